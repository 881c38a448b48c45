import { describe, expect, it } from 'vitest';
import {
  RecordSelector,
  type Selection,
  selectionOptions,
} from '../../../../src/runtime/io/sources/select-records.js';

const kept = (selection: Selection, count: number) => {
  const selector = new RecordSelector(selection);
  return Array.from({ length: count }, (_, i) => i).filter(() => selector.next());
};

describe('RecordSelector', () => {
  it('keeps all records by default', () => {
    expect(kept({}, 4)).toEqual([0, 1, 2, 3]);
  });

  it('keeps the records whose index has one of the remainders', () => {
    expect(kept({ split: { every: 10, take: [9] } }, 30)).toEqual([9, 19, 29]);
    expect(kept({ split: { every: 4, take: [3, 0] } }, 9)).toEqual([0, 3, 4, 7, 8]);
  });

  it('keeps runs of records that follow each other', () => {
    expect(kept({ split: { every: 3, run: 2, take: [1] } }, 11)).toEqual([2, 3, 8, 9]);
    expect(kept({ split: { every: 3, run: 2, except: [1] } }, 8)).toEqual([0, 1, 4, 5, 6, 7]);
  });

  it('divides the records without rest into taken and excepted ones', () => {
    const taken = kept({ split: { every: 10, take: [2, 9] } }, 95);
    const others = kept({ split: { every: 10, except: [2, 9] } }, 95);
    expect([...taken, ...others].sort((a, b) => a - b)).toEqual(
      Array.from({ length: 95 }, (_, i) => i),
    );
    expect(taken.length).toBe(19);
  });

  it('limits the kept records, over all files, and counts the index in each file', () => {
    const selector = new RecordSelector({ split: { every: 3, take: [1] }, limit: 2 });
    expect([0, 1].map(() => selector.next())).toEqual([false, true]);
    selector.startFile();
    expect([0, 1].map(() => selector.next())).toEqual([false, true]);
    expect(selector.done).toBe(true);
    selector.startFile();
    expect([0, 1].map(() => selector.next())).toEqual([false, false]);
  });

  it('is done at once with a limit of 0', () => {
    expect(new RecordSelector({ limit: 0 }).done).toBe(true);
    expect(kept({ limit: 0 }, 3)).toEqual([]);
  });

  it.each([
    [{ split: { every: 10, take: [10] } }],
    [{ split: { every: 1, take: [0] } }],
    [{ split: { every: 10, take: [] } }],
    [{ split: { every: 10, take: [1], except: [2] } }],
    [{ limit: -1 }],
    [{ limits: 1 }],
  ])('refuses %j', selection => {
    expect(selectionOptions.safeParse(selection).success).toBe(false);
    expect(() => new RecordSelector(selection as Selection)).toThrowError(/^source/);
  });
});

describe('folds', () => {
  it('are disjoint parts of the same size, which depend on the seed alone', () => {
    const kept = (folds: Selection['folds'], count = 47) => {
      const selector = new RecordSelector({ split: { every: 2, take: [1] }, limit: 40, folds });
      return Array.from({ length: 2 * count }, (_, i) => i).filter(() => selector.next());
    };
    const parts = [0, 1, 2, 3].map(take => kept({ of: 4, seed: 7, take }));
    expect(parts.map(({ length }) => length)).toEqual([10, 10, 10, 10]);
    const all = parts.flat().sort((a, b) => a - b);
    expect(all).toEqual(Array.from({ length: 40 }, (_, i) => 2 * i + 1));
    expect(kept({ of: 4, seed: 7, except: 2 })).toEqual(all.filter(i => !parts[2]!.includes(i)));
    expect(kept({ of: 4, seed: 7, take: 2 })).toEqual(parts[2]);
    expect(kept({ of: 4, seed: 8, take: 2 })).not.toEqual(parts[2]);
    expect(() => new RecordSelector({ folds: { of: 4, take: 4 } })).toThrow('below of');
  });

  it('have so many records that follow each other', () => {
    const kept = (folds: Selection['folds']) => {
      const selector = new RecordSelector({ folds });
      return Array.from({ length: 12 }, (_, i) => i).filter(() => selector.next());
    };
    const parts = [0, 1, 2].map(take => kept({ of: 3, run: 4, take }));
    expect(parts.sort((a, b) => a[0]! - b[0]!)).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8, 9, 10, 11],
    ]);
  });

  it('divide what others keep', () => {
    const kept = (folds: Selection['folds']) => {
      const selector = new RecordSelector({ folds });
      return Array.from({ length: 60 }, (_, i) => i).filter(() => selector.next());
    };
    const outer = { of: 3, take: 1 };
    const all = kept(outer);
    const parts = [0, 1].map(take => kept([outer, { of: 2, run: 10, take }]));
    expect(parts.sort((a, b) => a[0]! - b[0]!)).toEqual([all.slice(0, 10), all.slice(10)]);
    expect(kept([])).toHaveLength(60);
  });
});
