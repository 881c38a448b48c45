/**
 * Whether a byte, or a unit of text, is a blank, a tab or a carriage return: what blank lines are made of. Other white
 * space may be a token.
 *
 * @example
 * [32, 9, 13, 0xa0].map(isBlankByte) // => [true, true, true, false]
 */
export function isBlankByte(byte: number): boolean {
  return byte === 32 || byte === 9 || byte === 13;
}
