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

/** Bits of the filter, which stays in the first cache of a processor, and most entries it is made for. */
export const filterMask = 2 ** 18 - 1;
export const filterEntries = 2 ** 16;
export const filterBytes = (filterMask + 1) / 8;

/** The filter of some fingerprints, lo and hi in turn: its address. */
export function makeFilter(memory: LinearMemory, fingerprints: Uint32Array): number {
  const offset = memory.allocate(filterBytes);
  const filter = new Uint32Array(memory.buffer, offset, filterBytes / 4);
  for (let i = 1; i < fingerprints.length; i += 2) {
    const bit = fingerprints[i]! & filterMask;
    filter[bit >>> 5]! |= 1 << (bit & 31);
  }
  return offset;
}

/** A table that is less than an eighth full is halved until it is more. */
export function fittingCapacity(entries: number, capacity: number): number {
  let fitting = capacity;
  while (fitting > leastEntries && 8 * entries <= fitting) fitting /= 2;
  return fitting;
}
