import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { ExactIndex } from '../../../../src/engine/features/index/exact-index.js';
import { LinearMemory } from '../../../../src/engine/kernels/memory/linear-memory.js';
import { singleLookups } from '../resources/single-lookups.js';

const prunable = (cutoff = 1) => new ExactIndex(cutoff, new LinearMemory(), true);

/** What `prune` frees when the rows in `kept` have weights. */
function prune(index: ExactIndex, kept: readonly number[] = []): number[] {
  const hasWeight = new Uint8Array(index.size);
  for (const row of kept) hasWeight[row] = 1;
  return [...index.prune(hasWeight)];
}

describe('an exact index that is pruned', () => {
  it('forgets what has no weight and was not seen since the last pruning', () => {
    const index = prunable();
    const { find, intern } = singleLookups(index);
    for (let i = 1; i <= 5; i += 1) intern(i, 9);
    // All have been seen just now: none goes.
    expect(prune(index)).toEqual([]);
    intern(2, 9);
    expect(prune(index, [3])).toEqual([0, 2, 4]);
    expect([1, 2, 3, 4, 5].map(i => find(i, 9))).toEqual([-1, 1, -1, 3, -1]);
    expect([index.size, index.rowsInUse]).toEqual([5, 2]);
    // Row 1 was seen before the last pruning; to look for it is not to see it.
    expect(prune(index, [3])).toEqual([1]);
    expect([index.size, index.rowsInUse]).toEqual([5, 1]);
  });

  it('gives free rows again, the lowest first, and then new ones', () => {
    const index = prunable();
    const { intern } = singleLookups(index);
    for (let i = 1; i <= 6; i += 1) intern(i, 9);
    prune(index);
    expect(prune(index, [2, 5])).toEqual([0, 1, 3, 4]);
    expect([intern(101, 9), intern(102, 9)]).toEqual([0, 1]);
    expect([...index.takeReused()]).toEqual([0, 1]);
    prune(index, [2]);
    // 0 and 1 were seen, 5 has lost its weight: it joins 3 and 4, which nobody has taken.
    expect([103, 104, 105, 106].map(i => intern(i, 9))).toEqual([3, 4, 5, 6]);
    expect([...index.takeReused()]).toEqual([3, 4, 5]);
    expect([...index.takeReused()]).toEqual([]);
    expect([index.size, index.rowsInUse]).toEqual([7, 7]);
  });

  it('gives up counting a feature below the cutoff that stays away', () => {
    const index = prunable(3);
    const { intern } = singleLookups(index);
    expect([intern(1, 1), intern(1, 1), intern(2, 2), intern(2, 2)]).toEqual([-1, -1, -1, -1]);
    prune(index);
    expect(intern(2, 2)).toBe(0);
    prune(index);
    // 1 had been seen twice, and starts anew; 2 has its row as long as it is seen or has a weight.
    expect([intern(1, 1), intern(1, 1), intern(1, 1), intern(2, 2)]).toEqual([-1, -1, 1, 0]);
  });

  it('lists fingerprints by row, zeros for those that are free', () => {
    const index = prunable();
    const { intern } = singleLookups(index);
    for (let i = 1; i <= 3; i += 1) intern(i, 10 * i);
    prune(index);
    prune(index, [0, 2]);
    expect([...index.fingerprints()]).toEqual([1, 10, 0, 0, 3, 30]);
  });

  it('keeps its table as small as what it holds, whatever has passed', () => {
    const index = prunable();
    const { intern, find } = singleLookups(index);
    for (let i = 1; i <= 10; i += 1) intern(i, 5);
    const kept = Array.from({ length: 10 }, (_, row) => row);
    for (let round = 1; round <= 8; round += 1) {
      for (let i = 0; i < 3000; i += 1) intern(round * 10_000 + i, 7);
      expect(index.capacity).toBe(round === 1 ? 4096 : 8192);
      prune(index, kept);
    }
    // The last two rounds' features share the rows.
    expect(index.size).toBe(6010);
    prune(index, kept);
    expect([index.capacity, index.rowsInUse]).toEqual([1024, 10]);
    expect([find(10, 5), find(11, 5), find(80_000, 7)]).toEqual([9, -1, -1]);
  });

  it('agrees with a map on random work, and resumes from what was saved', () => {
    for (const cutoff of [1, 3]) {
      const random = new Random(40 + cutoff);
      let index = prunable(cutoff);
      let lookups = singleLookups(index);
      const rows = new Map<number, number>();
      const counts = new Map<number, number>();
      const seen = new Set<number>();
      const free: number[] = [];
      let size = 0;
      const wrong: number[] = [];
      for (let i = 1; i <= 30_000; i += 1) {
        // Keys wander: old ones come rarely, and then not at all.
        const key = 1 + Math.floor(i / 20) + Math.min(random.below(400), random.below(400));
        if (random.below(4) === 0) {
          if (lookups.find(key, 3) !== (rows.get(key) ?? -1)) wrong.push(i);
          continue;
        }
        seen.add(key);
        if (!rows.has(key)) {
          counts.set(key, (counts.get(key) ?? 0) + 1);
          if (counts.get(key) === cutoff) {
            rows.set(key, free.length > 0 ? free.shift()! : size);
            size = Math.max(size, rows.get(key)! + 1);
          }
        }
        if (lookups.intern(key, 3) !== (rows.get(key) ?? -1)) wrong.push(i);
        if (i % 2500 === 0) {
          const hasWeight = new Uint8Array(size);
          for (const row of rows.values()) hasWeight[row] = random.below(8) === 0 ? 1 : 0;
          for (const key of [...counts.keys()]) {
            const row = rows.get(key);
            if (seen.has(key) || (row !== undefined && hasWeight[row] === 1)) continue;
            counts.delete(key);
            rows.delete(key);
            if (row !== undefined) free.push(row);
          }
          free.sort((a, b) => a - b);
          seen.clear();
          index.takeReused();
          index.prune(hasWeight);
          expect([index.size, index.rowsInUse]).toEqual([size, rows.size]);
        }
        if (i % 7000 === 0) {
          index.takeReused();
          const state = structuredClone(index.save());
          index = ExactIndex.restore(state, cutoff, new LinearMemory(), true);
          expect(index.save()).toEqual(state);
          lookups = singleLookups(index);
        }
      }
      expect(wrong).toEqual([]);
      expect(rows.size).toBeGreaterThan(200);
      expect(size).toBeLessThan(1500);
    }
  });
});
