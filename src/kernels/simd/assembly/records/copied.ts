/** Copies bytes in pieces of 16, up to 15 too many; returns the end of the copy. */
// @ts-expect-error: decorator
@inline
export function copied(from: usize, bytes: usize, out: usize): usize {
  for (let i: usize = 0; i < bytes; i += 16) v128.store(out + i, v128.load(from + i));
  return out + bytes;
}
