const upper = /^\p{Lu}$/u;
const letter = /^\p{L}$/u;
const digit = /^\p{N}$/u;

/** Class of a character: `X` capital, `x` other letter, `d` digit, itself otherwise (a code point). */
export function characterClass(point: number): number {
  if (point < 0x80) {
    if (point >= 0x61 && point <= 0x7a) return 0x78;
    if (point >= 0x41 && point <= 0x5a) return 0x58;
    if (point >= 0x30 && point <= 0x39) return 0x64;
    return point;
  }
  const character = String.fromCodePoint(point);
  if (upper.test(character)) return 0x58;
  if (letter.test(character)) return 0x78;
  return digit.test(character) ? 0x64 : point;
}

/**
 * One word for what a token looks like: `number`, `caps`, `initial`, `mixed`, `lower`, `alnum` (letters
 * and digits), `hyphen` (letters and hyphens), `abbreviation` (letters and full stops) or `symbol`.
 *
 * @example
 * ['3.5', 'USA', 'Anna', 'iPod', 'cat', 'B2B', 'co-op', 'a.m.', '?'].map(tokenType)
 * // => ['number', 'caps', 'initial', 'mixed', 'lower', 'alnum', 'hyphen', 'abbreviation', 'symbol']
 */
export function tokenType(token: string): string {
  let capitals = 0;
  let letters = 0;
  let digits = 0;
  let hyphens = 0;
  let stops = 0;
  let length = 0;
  for (const character of token) {
    const kind = characterClass(character.codePointAt(0)!);
    length += 1;
    if (kind === 0x58) capitals += 1;
    if (kind === 0x58 || kind === 0x78) letters += 1;
    if (kind === 0x64) digits += 1;
    if (kind === 0x2d) hyphens += 1;
    if (kind === 0x2e) stops += 1;
  }
  if (digits > 0) return letters > 0 ? 'alnum' : 'number';
  if (letters === 0) return 'symbol';
  if (hyphens > 0 && letters + hyphens === length) return 'hyphen';
  if (stops > 0 && letters + stops === length) return 'abbreviation';
  if (capitals === 0) return 'lower';
  if (capitals === letters) return letters === 1 ? 'initial' : 'caps';
  const first = characterClass(token.codePointAt(0)!);
  return capitals === 1 && first === 0x58 ? 'initial' : 'mixed';
}
