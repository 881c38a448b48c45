/** Table `k` has the checksum of each byte with `k` zero bytes after it: eight bytes are taken at once. */
const tables = Array.from({ length: 8 }, () => new Int32Array(256));
for (let n = 0; n < 256; n += 1) {
  let c = n;
  for (let bit = 0; bit < 8; bit += 1) c = c & 1 ? (c >>> 1) ^ 0x82f63b78 : c >>> 1;
  tables[0]![n] = c;
}
for (let k = 1; k < 8; k += 1) {
  for (let n = 0; n < 256; n += 1) {
    const c = tables[k - 1]![n]!;
    tables[k]![n] = tables[0]![c & 0xff]! ^ (c >>> 8);
  }
}
const [t0, t1, t2, t3, t4, t5, t6, t7] = tables as [
  ...[Int32Array, Int32Array, Int32Array, Int32Array],
  ...[Int32Array, Int32Array, Int32Array, Int32Array],
];

/**
 * CRC-32C (Castagnoli) of `bytes`, going on from `previous`. Finds every single error burst of up to
 * 32 bits; it is no defence against someone who alters a file on purpose.
 *
 * @example
 * checksum(new TextEncoder().encode('123456789')).toString(16) // => 'e3069283'
 */
export function checksum(bytes: Uint8Array, previous = 0): number {
  let c = ~previous;
  let i = 0;
  for (const end = bytes.length - 7; i < end; i += 8) {
    c =
      t7[(c ^ bytes[i]!) & 0xff]! ^
      t6[((c >>> 8) ^ bytes[i + 1]!) & 0xff]! ^
      t5[((c >>> 16) ^ bytes[i + 2]!) & 0xff]! ^
      t4[(c >>> 24) ^ bytes[i + 3]!]! ^
      t3[bytes[i + 4]!]! ^
      t2[bytes[i + 5]!]! ^
      t1[bytes[i + 6]!]! ^
      t0[bytes[i + 7]!]!;
  }
  for (; i < bytes.length; i += 1) c = t0[(c ^ bytes[i]!) & 0xff]! ^ (c >>> 8);
  return ~c >>> 0;
}
