/**
 * Entries after which the table of an index is doubled: three quarters of its places. Entries lie side by side, four
 * in a cache line, so that a fuller table is searched as fast, and half as much memory is touched.
 *
 * @example
 * mostIndexEntries(1024) // => 768
 */
export function mostIndexEntries(places: number): number {
  return (places >>> 2) * 3;
}
