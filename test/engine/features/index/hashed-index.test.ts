import { describe, expect, it } from 'vitest';
import { Fingerprint } from '../../../../src/engine/features/fingerprints/fingerprint.js';
import { HashedIndex } from '../../../../src/engine/features/index/hashed-index.js';
import { singleLookups } from '../resources/single-lookups.js';

describe('HashedIndex', () => {
  it('finds for each feature the same row below its size, whether it may grow or not', () => {
    const index = new HashedIndex(97);
    const indexLookups = singleLookups(index);
    expect(index.mode).toBe('hashed');
    for (let i = -500; i < 500; i += 1) {
      if (i === 0) continue;
      const row = indexLookups.find(i * 7919, i * -104729);
      expect(Number.isInteger(row) && row >= 0 && row < 97).toBe(true);
      expect(indexLookups.intern(i * 7919, i * -104729)).toBe(row);
    }
    expect(index.size).toBe(97);
  });

  it('takes fingerprints as signed or unsigned words alike', () => {
    const index = new HashedIndex(1000);
    const indexLookups = singleLookups(index);
    expect(indexLookups.find(-5, -9)).toBe(indexLookups.find(0xfffffffb, 0xfffffff7));
  });

  it('divides words evenly among its rows', () => {
    const index = new HashedIndex(500);
    const indexLookups = singleLookups(index);
    const hash = new Fingerprint();
    const rows = new Uint32Array(500);
    for (let i = 0; i < 50_000; i += 1) {
      hash.start();
      hash.text(`word ${i}`);
      hash.finish();
      rows[indexLookups.find(hash.lo, hash.hi)]! += 1;
    }
    const chiSquare = rows.reduce((sum, count) => sum + (count - 100) ** 2 / 100, 0);
    // 499 degrees of freedom: mean 499, standard deviation 32.
    expect(Math.abs(chiSquare - 499)).toBeLessThan(5 * 32);
  });

  it('has no state but its size', () => {
    expect(new HashedIndex(8).save()).toEqual({ json: { size: 8 }, arrays: {} });
  });

  it('has one row for all where its size is 1; zeros are no feature', () => {
    const index = new HashedIndex(1);
    const indexLookups = singleLookups(index);
    expect([indexLookups.find(1, 2), indexLookups.intern(-3, 4), indexLookups.find(0, 0)]).toEqual([
      0, 0, -1,
    ]);
  });
});
