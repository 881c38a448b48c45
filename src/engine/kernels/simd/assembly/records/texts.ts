// A hash table from texts, as encoded between the quotes of a JSON string, to numbers from 0. The same text
// in another column is a different text. A table is a header of words and the memory to which they point:
//
//   0 entries   4 number of entries minus one   8 texts so far   12 maximum texts   16 rests   20 end of the rests
//   24 bytes of rests used   28 the new texts: (address, length, column) each, 12 bytes
//
// An entry has 32 bytes: the first 16 bytes of the text, padded with zeros, length << 8 | column + 1 (0 marks
// a free entry), the number, and the address of the bytes past these 16.

/** The smallest length that does not fit into an entry. */
const longest: usize = 1 << 22;

/** Returned by `numberOf` if there is no room for a new text. */
export const noRoom: u32 = 0xffffffff;

/** Returns the number of a text; a new text gets the next number. */
// @ts-expect-error: decorator
@inline
export function numberOf(texts: usize, column: u32, at: usize, length: usize): u32 {
  let a = load<u64>(at);
  let b = load<u64>(at, 8);
  if (length < 8) {
    a &= ((<u64>1) << (length << 3)) - 1;
    b = 0;
  } else if (length < 16) {
    b &= ((<u64>1) << ((length - 8) << 3)) - 1;
  }
  const shape = (<u32>length << 8) | (column + 1);
  let hash = (a ^ (<u64>shape * 0x9e3779b97f4a7c15)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 29) ^ b) * 0x94d049bb133111eb;
  if (length > 16) hash = hashOfRest(hash, at + 16, at + length);
  const entries = load<usize>(texts);
  const mask = load<u32>(texts, 4);
  let slot = <u32>(hash >> 32) & mask;
  while (true) {
    const entry = entries + ((<usize>slot) << 5);
    const held = load<u32>(entry, 16);
    if (held == shape && load<u64>(entry) == a && load<u64>(entry, 8) == b) {
      if (length <= 16 || isRest(load<usize>(entry, 24), at + 16, length - 16)) {
        return load<u32>(entry, 20);
      }
    }
    if (held == 0) return added(texts, entry, a, b, shape, at, length);
    slot = (slot + 1) & mask;
  }
}

function added(
  texts: usize,
  entry: usize,
  a: u64,
  b: u64,
  shape: u32,
  at: usize,
  length: usize,
): u32 {
  const number = load<u32>(texts, 8);
  if (number == load<u32>(texts, 12) || length >= longest) return noRoom;
  if (length > 16) {
    const used = load<usize>(texts, 24);
    const rest = load<usize>(texts, 16) + used;
    if (rest + length - 16 > load<usize>(texts, 20)) return noRoom;
    memory.copy(rest, at + 16, length - 16);
    store<usize>(texts, used + length - 16, 24);
    store<usize>(entry, rest, 24);
  }
  store<u64>(entry, a);
  store<u64>(entry, b, 8);
  store<u32>(entry, shape, 16);
  store<u32>(entry, number, 20);
  const note = load<usize>(texts, 28) + <usize>number * 12;
  store<usize>(note, at);
  store<usize>(note, length, 4);
  store<u32>(note, (shape & 0xff) - 1, 8);
  store<u32>(texts, number + 1, 8);
  return number;
}

function hashOfRest(hash: u64, at: usize, end: usize): u64 {
  for (; at + 8 <= end; at += 8) {
    hash = (hash ^ load<u64>(at)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  for (; at < end; at += 1) {
    hash = (hash ^ <u64>load<u8>(at)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  return hash ^ (hash << 32);
}

function isRest(rest: usize, at: usize, length: usize): bool {
  for (let i: usize = 0; i < length; i += 1) {
    if (load<u8>(rest + i) != load<u8>(at + i)) return false;
  }
  return true;
}
