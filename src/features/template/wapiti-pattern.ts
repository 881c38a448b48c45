import { type TextPattern, textPattern } from '../../text/patterns/text-pattern.js';

/** Wapiti's letter classes, which JavaScript spells differently, and the quote inside quotes. */
const classes: Readonly<Record<string, string>> = {
  a: '\\p{L}',
  A: '\\P{L}',
  l: '\\p{Ll}',
  L: '\\P{Ll}',
  u: '\\p{Lu}',
  U: '\\P{Lu}',
  p: '\\p{P}',
  P: '\\P{P}',
  '"': '"',
};

/**
 * A pattern of a template, as a JavaScript expression with the flag `u` that takes linear time: Wapiti's `\a \l \u \p` and
 * their negations become Unicode classes, `\"` is a quote, everything else stays; `\p{...}` and
 * `\u1234` keep the meaning that they have in JavaScript.
 *
 * @throws SyntaxError if the result is not a valid expression; TagstreamError `config` where it cannot be matched
 *   without backtracking
 * @example
 * compilePattern('^\\u').test('Éa') // => true
 */
export function compilePattern(pattern: string): TextPattern {
  const translated = pattern.replace(/\\(u[0-9a-fA-F]{4}|[uUpP]\{|.)/gu, (whole, letter: string) =>
    letter.length === 1 ? (classes[letter] ?? whole) : whole,
  );
  return textPattern(translated);
}
