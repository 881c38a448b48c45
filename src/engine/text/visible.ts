/**
 * Characters that control a terminal or change the reading order of a line: control characters,
 * line and paragraph separators, direction marks and overrides, annotation marks.
 */
const commanding =
  /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]/gu;

/** A text style, as the program itself emits it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what a style begins with
const style = /(\x1b\[[0-9;]*m)/;

const escaped = (character: string) => `\\u{${character.codePointAt(0)!.toString(16)}}`;

/**
 * Returns a text with its control characters spelled out, so that it cannot control a terminal.
 *
 * @example
 * visible('a\tb') // => 'a\\u{9}b'
 * visible('a\u202eb') // => 'a\\u{202e}b'
 */
export function visible(text: string): string {
  return spellOut(text, escaped);
}

/**
 * Replaces each control character of a text.
 *
 * @example
 * spellOut('a\u0007b', () => '?') // => 'a?b'
 */
export function spellOut(text: string, spell: (character: string) => string): string {
  return text.replace(commanding, character => spell(character));
}

/**
 * Does the same as `visible` for a text of several lines, with tabs.
 *
 * @param coloured whether styles are kept; requires that all external text has passed through
 * `visible`
 * @example
 * visibleLines('a\tb\n\u001b[1mc') // => 'a\tb\n\\u{1b}[1mc'
 */
export function visibleLines(text: string, coloured = false): string {
  const shown = (part: string) =>
    spellOut(part, character => (/[\n\t]/.test(character) ? character : escaped(character)));
  if (!coloured) return shown(text);
  const parts = text.split(style);
  return parts.map((part, i) => (i % 2 === 1 ? part : shown(part))).join('');
}

/**
 * Returns equivalent JSON on one line, with control characters as JSON escapes.
 *
 * @example
 * visibleJson('["\u202e"]') // => '["\\u202e"]'
 */
export function visibleJson(json: string): string {
  return spellOut(json, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
