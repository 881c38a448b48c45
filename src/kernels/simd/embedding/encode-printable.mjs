/**
 * Bytes as printable characters, which `decode-printable.ts` reads: the 86 from `(` to `~` without the backslash. Each byte
 * has a place from 2 on, -8 the first, as small numbers are the most. Below 86 it is one character; above, two: the first
 * says how many times 86 are missing.
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
