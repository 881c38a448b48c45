/** Complete HTML that can be inserted into other HTML unescaped. */
export class Markup {
  readonly text: string;

  /** @param text HTML; anything in it from outside must be escaped */
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Values of a template: markup is kept, everything else is escaped, lists are joined, undefined adds
 * nothing.
 */
export type Piece = Markup | string | number | undefined | readonly Piece[];

/**
 * Returns a template of HTML in which all inserted values are escaped, unless they are markup.
 *
 * @example
 * html`<p>${'a < b'} ${html`<b>c</b>`}</p>`.text // => '<p>a &lt; b <b>c</b></p>'
 */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  let text = strings[0]!;
  for (const [i, piece] of pieces.entries()) text += textOf(piece) + strings[i + 1]!;
  return new Markup(text);
}

function textOf(piece: Piece): string {
  if (piece instanceof Markup) return piece.text;
  if (piece === undefined) return '';
  if (typeof piece === 'object') return piece.map(textOf).join('');
  return escapeHtml(String(piece));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to replace
const controls = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/**
 * Escapes text for HTML content and quoted attribute values. What HTML cannot represent (control
 * characters, halves of surrogate pairs) becomes U+FFFD.
 *
 * @example
 * escapeHtml('<b>"A" & B</b>') // => '&lt;b&gt;&quot;A&quot; &amp; B&lt;/b&gt;'
 */
export function escapeHtml(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(controls, '\ufffd')
    .replace(/[&<>"']/g, character => entities[character]!);
}

/** Wraps wide content in a box that scrolls independently, also by keyboard. */
/** Renders warnings about a page's figures; nothing if there are none. */
export function warningList(warnings: readonly string[]): Markup | undefined {
  if (warnings.length === 0) return undefined;
  return html`<ul class="warnings">${warnings.map(warning => html`<li><strong>Warning:</strong> ${warning}</li>`)}</ul>
`;
}

export function scrollable(name: string, content: Markup): Markup {
  return html`<div class="scroll" role="region" aria-label="${name}: table" tabindex="0">
${content}
</div>`;
}
