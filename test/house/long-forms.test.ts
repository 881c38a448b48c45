import { describe, expect, it } from 'vitest';
import { Random } from '../../src/engine/core/random.js';
import { coverPairs, coverValues, everyNth, type Part } from './long-forms.js';

const random = new Random(3);
const tables = Array.from({ length: 40 }, () => {
  const sizes = [2, 3, 4].slice(random.below(2)).map(size => size + random.below(3));
  return Array.from({ length: 1 + random.below(120) }, () => sizes.map(size => random.below(size)));
});

const fastOf = <Row>(parts: readonly Part<Row>[]) => parts[0]!.rows;
const valuesIn = (rows: readonly (readonly number[])[]) =>
  new Set(rows.flatMap(row => row.map((value, i) => `${i}:${value}`)));
const pairsIn = (rows: readonly (readonly number[])[]) =>
  new Set(rows.flatMap(row => row.flatMap((a, i) => row.map((b, j) => `${i}:${a} ${j}:${b}`))));

describe('the fast part of a table', () => {
  it.each([
    ['every third row', (rows: number[][]) => everyNth(3, rows)],
    ['rows that cover values', (rows: number[][]) => coverValues(rows, row => row)],
    ['rows that cover pairs', (rows: number[][]) => coverPairs(rows, row => row)],
  ])('and the slow one are the table: %s', (_, divide) => {
    for (const table of tables) {
      const [fast, slow] = divide(table);
      expect(fast!.tags).toEqual([]);
      expect(slow?.tags ?? ['slow']).toEqual(['slow']);
      const all = [...fast!.rows, ...(slow?.rows ?? [])];
      expect(new Set(all)).toEqual(new Set(table));
      expect(all).toHaveLength(table.length);
    }
  });

  it('has every value, every pair, or every nth row', () => {
    for (const table of tables) {
      expect(valuesIn(fastOf(coverValues(table, row => row)))).toEqual(valuesIn(table));
      expect(pairsIn(fastOf(coverPairs(table, row => row)))).toEqual(pairsIn(table));
      expect(fastOf(everyNth(4, table))).toEqual(table.filter((_, i) => i % 4 === 0));
    }
  });

  it('is small: of all triples of four values a fifth covers the pairs, and four rows the values', () => {
    const values = [0, 1, 2, 3];
    const all = values.flatMap(a => values.flatMap(b => values.map(c => [a, b, c])));
    expect(fastOf(coverPairs(all, row => row)).length).toBeLessThanOrEqual(22);
    expect(fastOf(coverValues(all, row => row))).toHaveLength(4);
  });

  it('shares the values of a small dimension evenly among those of a large one', () => {
    const all = Array.from({ length: 60 }, (_, i) => [Math.floor(i / 3), i % 3] as const);
    const fast = fastOf(coverValues(all, row => row));
    expect(fast).toHaveLength(20);
    const times = [0, 1, 2].map(kernel => fast.filter(row => row[1] === kernel).length);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(6);
  });
});
