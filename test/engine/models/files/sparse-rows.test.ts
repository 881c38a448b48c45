import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromSparseRows, toSparseRows } from '../../../../src/engine/models/files/sparse-rows.js';

describe('sparse rows', () => {
  it('keep the numbers that are not zero, with a bit for each label', () => {
    const table = Float64Array.of(0, 0, 0, 0, 1.5, 0, -2, 0, 0, 0, 0, 0, 0, 0.25, 0, 0);
    const { rows, masks, values } = toSparseRows(table, 4, 3, 4);
    expect(Array.from(rows)).toEqual([1, 3]);
    expect(Array.from(masks)).toEqual([0b101, 0b010]);
    expect(Array.from(values)).toEqual([1.5, -2, 0.25]);
  });

  it('do not look at rows and lanes beyond those that count', () => {
    const table = Float64Array.of(1, 2, 9, 9, 9, 9, 9, 9);
    const { rows, values } = toSparseRows(table, 1, 2, 4);
    expect([Array.from(rows), Array.from(values)]).toEqual([[0], [1, 2]]);
  });

  it('come back as they were, whatever their number of labels', () => {
    const number = fc.oneof(
      fc.constant(0),
      fc.integer({ min: -8, max: 8 }).map(n => n / 4),
    );
    const problem = fc
      .tuple(fc.integer({ min: 1, max: 27 }), fc.integer({ min: 0, max: 6 }))
      .chain(([labels, count]) =>
        fc.tuple(
          fc.constant(labels),
          fc.array(fc.array(number, { minLength: labels, maxLength: labels }), {
            minLength: count,
            maxLength: count,
          }),
        ),
      );
    fc.assert(
      fc.property(problem, ([labels, dense]) => {
        const width = labels + (labels % 4);
        const table = new Float64Array(dense.length * width);
        for (const [row, numbers] of dense.entries()) table.set(numbers, row * width);
        const sparse = toSparseRows(table, dense.length, labels, width);
        expect(sparse.masks).toHaveLength(sparse.rows.length * Math.ceil(labels / 8));
        const back = new Float64Array(table.length);
        fromSparseRows(sparse, labels, back, width, i => sparse.rows[i]!);
        expect(back).toEqual(table.map(each => each + 0));
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it('are none where there is no label', () => {
    const sparse = toSparseRows(new Float64Array(0), 0, 0, 4);
    expect(sparse.values).toHaveLength(0);
    fromSparseRows(sparse, 0, new Float64Array(0), 4, i => i);
  });
});
