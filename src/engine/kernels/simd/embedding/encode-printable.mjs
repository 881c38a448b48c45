/**
 * Encodes bytes as printable characters for `decode-printable.ts`: the 86 from `(` to `~` without the backslash. Each byte
 * maps to a number from 2 on, starting with -8, because small numbers are the most frequent. Numbers below 86 take one
 * character; others take two, the first of which counts the multiples of 86.
 *
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function encodePrintable(bytes) {
  const character = place => String.fromCharCode(place + (place < 52 ? 40 : 41));
  let text = '';
  for (const byte of bytes) {
    const place = ((byte + 8) & 0xff) + 2;
    const above = Math.floor(place / 86);
    text += `${above === 0 ? '' : character(above - 1)}${character(place % 86)}`;
  }
  return text;
}
