const table = new Uint32Array(256);
for (let n = 0; n < 256; n += 1) {
  let c = n;
  for (let bit = 0; bit < 8; bit += 1) c = c & 1 ? (c >>> 1) ^ 0x82f63b78 : c >>> 1;
  table[n] = c;
}

/**
 * CRC-32C (Castagnoli) of `bytes`, going on from `previous`. Finds every single error burst of up to
 * 32 bits; it is no defence against someone who alters a file on purpose.
 *
 * @example
 * checksum(new TextEncoder().encode('123456789')).toString(16) // => 'e3069283'
 */
export function checksum(bytes: Uint8Array, previous = 0): number {
  let c = ~previous;
  for (let i = 0; i < bytes.length; i += 1) c = table[(c ^ bytes[i]!) & 0xff]! ^ (c >>> 8);
  return ~c >>> 0;
}
