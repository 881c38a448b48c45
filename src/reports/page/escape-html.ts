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
 * Text as HTML, for content and for quoted values of attributes. What HTML cannot hold (control
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
