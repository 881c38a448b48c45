import type { LinearMemory } from '../../kernels/memory/linear-memory.js';

/**
 * Words an entry takes: lo, hi, row + 1 (0 while it has no row), times seen (0 marks a free entry). Where the
 * index is pruned, the top bit of the last says that the feature was seen since the last pruning; of a feature that
 * has a row, evictions keep its age + 1 there: see `entryWorth`.
 */
export const entryWords = 4;
export const entryBytes = 4 * entryWords;

/** Entries of the smallest table. */
export const leastEntries = 1024;

/** Bits of the smallest filter, which stays in the first cache of a processor, and of the largest, which stays in the second. */
const leastFilterBits = 2 ** 18;
const mostFilterBits = 2 ** 22;

/** A bit set in which most absent fingerprints are found to be absent, by the low bits of their high half. */
export interface Filter {
  /** Address, or 0 for none. */
  readonly offset: number;
  /** Its bits, a power of two, less one. */
  readonly mask: number;
}

export const noFilter: Filter = { offset: 0, mask: 0 };

/**
 * Returns the size in bytes of the filter of an index with this many entries: eight bits or more for each, so that it lets at
 * most one absent fingerprint of eight pass, two of five at the largest size. 0 if it would let most of them pass.
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

/** The filter of some fingerprints, lo and hi in turn. */
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

/** A table that is less than an eighth full is halved until it is more. */
export function fittingCapacity(entries: number, capacity: number): number {
  let fitting = capacity;
  while (fitting > leastEntries && 8 * entries <= fitting) fitting /= 2;
  return fitting;
}

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
