import type { LinearMemory } from '../../kernels/memory/linear-memory.js';

/**
 * Number of words per entry: lo, hi, row + 1 (0 for a feature without a row), count (0 for a free
 * entry). If the index is pruned, the top bit of the count marks a feature that was seen since the
 * last pruning. For a feature with a row, evictions store its age + 1 as the count: see
 * `entryWorth`.
 */
export const entryWords = 4;
export const entryBytes = 4 * entryWords;

/** Number of entries of the smallest table. */
export const leastEntries = 1024;

/**
 * Number of bits of the smallest filter, which fits into the L1 cache, and of the largest, which
 * fits into L2.
 */
const leastFilterBits = 2 ** 18;
const mostFilterBits = 2 ** 22;

/** A bit set that rejects most absent fingerprints by the low bits of their hi words. */
export interface Filter {
  /** Address; 0 if there is no filter. */
  readonly offset: number;
  /** Number of bits, a power of two, minus one. */
  readonly mask: number;
}

export const noFilter: Filter = { offset: 0, mask: 0 };

/**
 * Returns the size in bytes of a filter for an index with this many entries: at least eight bits
 * per entry, so that up to one in eight absent fingerprints passes, or two in five at the largest
 * size. 0 if most of them would pass.
 */
export function filterBytes(entries: number): number {
  let bits = leastFilterBits;
  while (bits < 8 * entries && bits < mostFilterBits) bits *= 2;
  return 2 * entries <= bits ? bits / 8 : 0;
}

/** Builds a filter for fingerprints, alternating lo and hi. */
export function makeFilter(memory: LinearMemory, fingerprints: Uint32Array): Filter {
  const bytes = filterBytes(fingerprints.length / 2);
  if (bytes === 0) return noFilter;
  const offset = memory.allocate(bytes);
  const mask = 8 * bytes - 1;
  const words = new Uint32Array(memory.buffer, offset, bytes / 4);
  for (let i = 1; i < fingerprints.length; i += 2) {
    const bit = fingerprints[i]! & mask;
    words[bit >>> 5]! |= 1 << (bit & 31);
  }
  return { offset, mask };
}

/** Returns a table's capacity, halved repeatedly while the table is less than an eighth full. */
export function fittingCapacity(entries: number, capacity: number): number {
  let fitting = capacity;
  while (fitting > leastEntries && 8 * entries <= fitting) fitting /= 2;
  return fitting;
}

/**
 * Returns the number of entries above which an index table is doubled: three quarters of its
 * places. As four adjacent entries share a cache line, a fuller table is searched as fast, and
 * needs half as much memory.
 *
 * @example
 * mostIndexEntries(1024) // => 768
 */
export function mostIndexEntries(places: number): number {
  return (places >>> 2) * 3;
}
