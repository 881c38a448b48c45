import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { ExactIndex } from '../../../../src/engine/features/index/exact-index.js';
import { singleLookups } from '../resources/single-lookups.js';

/** `count` different fingerprints; of some only one word differs. */
function fingerprints(count: number): [lo: number, hi: number][] {
  const random = new Random(5);
  return Array.from({ length: count }, (_, i) => {
    if (i % 40 === 0) return [i, 7];
    if (i % 40 === 1) return [-1, i];
    return [random.next() | 0, (random.next() & -65536) | i];
  });
}

describe('ExactIndex', () => {
  it('gives rows in the order of arrival, and finds them again', () => {
    const index = new ExactIndex();
    const indexLookups = singleLookups(index);
    expect(indexLookups.find(3, 4)).toBe(-1);
    expect(index.size).toBe(0);
    expect([
      indexLookups.intern(3, 4),
      indexLookups.intern(4, 3),
      indexLookups.intern(3, 4),
    ]).toEqual([0, 1, 0]);
    expect([indexLookups.find(3, 4), indexLookups.find(4, 3), indexLookups.find(0, 0)]).toEqual([
      0, 1, -1,
    ]);
    expect(index.size).toBe(2);
    expect(index.mode).toBe('exact');
  });

  it('takes fingerprints as signed or unsigned words alike, and zeros as no feature', () => {
    const index = new ExactIndex();
    const indexLookups = singleLookups(index);
    expect(indexLookups.intern(-1, -2)).toBe(0);
    expect(indexLookups.intern(0xffffffff, 0xfffffffe)).toBe(0);
    expect(indexLookups.find(-1, 0xfffffffe)).toBe(0);
    expect([indexLookups.intern(0, 1), indexLookups.intern(1, 0)]).toEqual([1, 2]);
    expect([indexLookups.intern(0, 0), indexLookups.find(0, 0), index.size]).toEqual([-1, -1, 3]);
  });

  it('keeps all rows as it grows far beyond its first size', () => {
    const index = new ExactIndex();
    const indexLookups = singleLookups(index);
    const all = fingerprints(60_000);
    const given = all.map(([lo, hi], i) => {
      // The first hundred are looked for again and again, across all the times that the table grows.
      const [first, second] = all[i % 100]!;
      if (indexLookups.find(first, second) !== (i < 100 ? -1 : i % 100)) return Number.NaN;
      return indexLookups.intern(lo, hi);
    });
    expect(given).toEqual(Array.from(all.keys()));
    const rows = all.map(([lo, hi]) => indexLookups.find(lo, hi));
    expect(rows).toEqual(Array.from(all.keys()));
    expect(index.size).toBe(60_000);
    expect(indexLookups.find(60_040, 7)).toBe(-1);
  });

  it('agrees with a map on random work, with cutoffs', () => {
    for (const cutoff of [1, 2, 5]) {
      const random = new Random(cutoff);
      const index = new ExactIndex(cutoff);
      const indexLookups = singleLookups(index);
      const all = fingerprints(3000);
      const counts = new Map<number, number>();
      const rows = new Map<number, number>();
      const found: number[] = [];
      const expected: number[] = [];
      for (let i = 0; i < 12_000; i += 1) {
        const key = Math.min(random.below(3000), random.below(3000));
        const [lo, hi] = all[key]!;
        if (random.below(4) === 0) {
          found.push(indexLookups.find(lo, hi));
        } else {
          counts.set(key, (counts.get(key) ?? 0) + 1);
          if (counts.get(key) === cutoff) rows.set(key, rows.size);
          found.push(indexLookups.intern(lo, hi));
        }
        expected.push(rows.get(key) ?? -1);
      }
      expect(found).toEqual(expected);
      expect(index.size).toBe(rows.size);
      expect(rows.size).toBeGreaterThan(500);
    }
  });

  it('gives a feature its row when it is seen for the cutoff-th time', () => {
    const index = new ExactIndex(3);
    const indexLookups = singleLookups(index);
    expect([indexLookups.intern(1, 1), indexLookups.intern(2, 2)]).toEqual([-1, -1]);
    expect([indexLookups.intern(1, 1), indexLookups.find(1, 1)]).toEqual([-1, -1]);
    expect([indexLookups.intern(1, 1), indexLookups.find(1, 1), index.size]).toEqual([0, 0, 1]);
    expect([indexLookups.intern(2, 2), indexLookups.intern(2, 2)]).toEqual([-1, 1]);
  });

  it('lists fingerprints by row, and is made again from the list', () => {
    const index = new ExactIndex(2);
    const indexLookups = singleLookups(index);
    const all = fingerprints(5000);
    for (const [lo, hi] of all) indexLookups.intern(lo, hi);
    for (const [lo, hi] of all.slice(1000).reverse()) indexLookups.intern(lo, hi);
    const list = index.fingerprints();
    expect(list).toHaveLength(8000);
    expect([list[0], list[1]]).toEqual(all[4999]!.map(word => word >>> 0));
    const again = ExactIndex.of(list);
    const againLookups = singleLookups(again);
    expect(again.size).toBe(4000);
    expect(again.fingerprints()).toEqual(list);
    expect(all.map(each => againLookups.find(...each))).toEqual(
      all.map(each => indexLookups.find(...each)),
    );
    expect(singleLookups(ExactIndex.of(new Uint32Array(0))).find(0, 0)).toBe(-1);
  });

  it('resumes from what was saved, counts below the cutoff included', () => {
    const index = new ExactIndex(2);
    const indexLookups = singleLookups(index);
    const all = fingerprints(2000);
    for (const [lo, hi] of all) indexLookups.intern(lo, hi);
    for (const [lo, hi] of all.slice(0, 500)) indexLookups.intern(lo, hi);
    const saved = structuredClone(index.save());
    const restored = ExactIndex.restore(saved, 2);
    const restoredLookups = singleLookups(restored);
    expect(restored.size).toBe(500);
    expect(restored.fingerprints()).toEqual(index.fingerprints());
    const rest = [...fingerprints(4000).slice(1500), ...fingerprints(4000)];
    const rows = rest.map(each => indexLookups.intern(...each));
    expect(rest.map(each => restoredLookups.intern(...each))).toEqual(rows);
    expect(restored.save()).toEqual(index.save());
    expect(restored.size).toBe(4000);
  });

  it('is apart from the state it was restored from', () => {
    const index = new ExactIndex();
    const indexLookups = singleLookups(index);
    indexLookups.intern(1, 2);
    const saved = index.save();
    const before = structuredClone(saved);
    singleLookups(ExactIndex.restore(saved, 1)).intern(3, 4);
    expect(saved).toEqual(before);
    expect(indexLookups.find(3, 4)).toBe(-1);
  });
});
