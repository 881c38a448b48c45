/**
 * CRC-32C of `length` bytes, continuing from the inverted checksum `state`, eight bytes at once; returns
 * the new state. Table `k` (256 words each) has the checksum of each byte with `k` zero bytes after it.
 */
export function crc32c(tables: usize, bytes: usize, length: i32, state: u32): u32 {
  let c = state;
  const end = bytes + <usize>(<u32>length);
  let at = bytes;
  for (; at + 8 <= end; at += 8) {
    const low = c ^ load<u32>(at);
    const high = load<u32>(at, 4);
    c =
      entry(tables, 7, low & 0xff) ^
      entry(tables, 6, (low >> 8) & 0xff) ^
      entry(tables, 5, (low >> 16) & 0xff) ^
      entry(tables, 4, low >> 24) ^
      entry(tables, 3, high & 0xff) ^
      entry(tables, 2, (high >> 8) & 0xff) ^
      entry(tables, 1, (high >> 16) & 0xff) ^
      entry(tables, 0, high >> 24);
  }
  for (; at < end; at += 1) c = entry(tables, 0, (c ^ <u32>load<u8>(at)) & 0xff) ^ (c >> 8);
  return c;
}

// @ts-expect-error: decorator
@inline
function entry(tables: usize, k: i32, byte: u32): u32 {
  return load<u32>(tables + ((<usize>k) << 10) + ((<usize>byte) << 2));
}
