/**
 * Computes the CRC-32C of `length` bytes, continuing from the inverted checksum `state`, 16 bytes at a
 * time, of which twelve are independent of the state; returns the new state. Table `k` (256 words) has
 * the checksum of each byte followed by `k` zero bytes.
 */
export function crc32c(tables: usize, bytes: usize, length: i32, state: u32): u32 {
  let c = state;
  const end = bytes + <usize>(<u32>length);
  let at = bytes;
  for (; at + 16 <= end; at += 16) {
    const others =
      word(tables, 8, load<u32>(at, 4)) ^
      word(tables, 4, load<u32>(at, 8)) ^
      word(tables, 0, load<u32>(at, 12));
    c = word(tables, 12, c ^ load<u32>(at)) ^ others;
  }
  for (; at < end; at += 1) c = entry(tables, 0, (c ^ <u32>load<u8>(at)) & 0xff) ^ (c >> 8);
  return c;
}

/** Returns the contribution of a word's four bytes if `k` bytes follow. */
// @ts-expect-error: decorator
@inline
function word(tables: usize, k: i32, w: u32): u32 {
  return (
    entry(tables, k + 3, w & 0xff) ^
    entry(tables, k + 2, (w >> 8) & 0xff) ^
    entry(tables, k + 1, (w >> 16) & 0xff) ^
    entry(tables, k, w >> 24)
  );
}

// @ts-expect-error: decorator
@inline
function entry(tables: usize, k: i32, byte: u32): u32 {
  return load<u32>(tables + ((<usize>k) << 10) + ((<usize>byte) << 2));
}

let depth: i32 = 0;
let deepest: i32 = 0;
let isInString: bool = false;
let isEscaped: bool = false;

/**
 * Returns the nesting depth of the arrays and objects of JSON up to here, of which these `length` bytes are the next
 * ones, or the first ones if `isFirst`.
 */
export function jsonDepth(bytes: usize, length: i32, isFirst: bool): i32 {
  if (isFirst) {
    depth = 0;
    deepest = 0;
    isInString = false;
    isEscaped = false;
  }
  const end = bytes + <usize>(<u32>length);
  let inString = isInString;
  let escaped = isEscaped;
  let level = depth;
  for (let at = bytes; at < end; at += 1) {
    const byte = load<u8>(at);
    if (inString) {
      // The bytes of letters that take several are above these.
      if (escaped) escaped = false;
      else if (byte == 0x5c) escaped = true;
      else if (byte == 0x22) inString = false;
    } else if (byte == 0x22) {
      inString = true;
    } else if (byte == 0x5b || byte == 0x7b) {
      level += 1;
      if (level > deepest) deepest = level;
    } else if (byte == 0x5d || byte == 0x7d) {
      level -= 1;
    }
  }
  isInString = inString;
  isEscaped = escaped;
  depth = level;
  return deepest;
}
