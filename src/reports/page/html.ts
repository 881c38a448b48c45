import { escapeHtml } from './escape-html.js';

/** HTML that is complete and may stand in other HTML as it is. */
export class Markup {
  readonly text: string;

  /** @param text HTML; whatever of it came from outside must be escaped */
  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template: markup stays, all else is escaped, lists are joined, nothing is left out. */
export type Piece = Markup | string | number | undefined | readonly Piece[];

/**
 * A template of HTML in which all that is put in is escaped, unless it is markup.
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
