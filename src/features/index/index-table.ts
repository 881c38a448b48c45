import type { LinearMemory } from '../../kernels/memory/linear-memory.js';

/**
 * Words per entry: lo, hi, row + 1 (0 while it has no row), count (0 marks a free entry). If the index is pruned,
 * the top bit of the count says that the feature was seen since the last pruning; for a feature with a row,
 * evictions store its age + 1 there: see `entryWorth`.
 */
export const entryWords = 4;
export const entryBytes = 4 * entryWords;

/** Entries of the smallest table. */
export const leastEntries = 1024;

/** Bits of the smallest filter, which fits into the L1 cache, and of the largest, which fits into L2. */
const leastFilterBits = 2 ** 18;
const mostFilterBits = 2 ** 22;

/** A bit set that rejects most absent fingerprints by the low bits of their high half. */
export interface Filter {
  /** Address, or 0 for none. */
  readonly offset: number;
  /** Number of bits, a power of two, minus one. */
  readonly mask: number;
}

export const noFilter: Filter = { offset: 0, mask: 0 };

/**
 * Returns the size in bytes of the filter of an index with this many entries: at least eight bits each, so that at most one
 * in eight absent fingerprints passes, two in five at the largest size. 0 if most of them would pass.
 */
export function filterBytes(entries: number): number {
  let bits = leastFilterBits;
  while (bits < 8 * entries && bits < mostFilterBits) bits *= 2;
  return 2 * entries <= bits ? bits / 8 : 0;
}

/** Returns a zeroed filter for this many entries. */
export function allocateFilter(memory: LinearMemory, entries: number): Filter {
  const bytes = filterBytes(entries);
  return bytes === 0 ? noFilter : { offset: memory.allocate(bytes), mask: 8 * bytes - 1 };
}

/** Builds the filter of some fingerprints, lo and hi in turn. */
export function makeFilter(memory: LinearMemory, fingerprints: Uint32Array): Filter {
  const filter = allocateFilter(memory, fingerprints.length / 2);
  const { offset, mask } = filter;
  if (offset === 0) return filter;
  const words = new Uint32Array(memory.buffer, offset, (mask + 1) / 32);
  for (let i = 1; i < fingerprints.length; i += 2) {
    const bit = fingerprints[i]! & mask;
    words[bit >>> 5]! |= 1 << (bit & 31);
  }
  return filter;
}

/** Halves the capacity of a table while it is less than an eighth full. */
export function fittingCapacity(entries: number, capacity: number): number {
  let fitting = capacity;
  while (fitting > leastEntries && 8 * entries <= fitting) fitting /= 2;
  return fitting;
}

/**
 * Returns the number of entries after which an index table is doubled: three quarters of its places. Four adjacent
 * entries share a cache line, so a fuller table is searched as fast and touches half as much memory.
 *
 * @example
 * mostIndexEntries(1024) // => 768
 */
export function mostIndexEntries(places: number): number {
  return (places >>> 2) * 3;
}
