/** Copies bytes in pieces of 16, up to 15 more than there are; returns where they end. */
// @ts-expect-error: decorator
@inline
export function copied(from: usize, bytes: usize, out: usize): usize {
  for (let i: usize = 0; i < bytes; i += 16) v128.store(out + i, v128.load(from + i));
  return out + bytes;
}
