/**
 * Returns the 32-bit FNV-1a hash of a text's UTF-8 bytes.
 *
 * @example
 * fnv1a('order 17') // => 220720129
 */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
