import { expect, it } from 'vitest';
import { risingRuns } from '../../../../src/engine/trainers/space/vector-tables.js';

const vector = (...places: number[]) => ({
  places: Uint32Array.from(places),
  values: Float64Array.from(places, place => place / 2),
});

it.each([
  [[[1, 4, 9]], [[1, 4, 9]]],
  [[[1, 4, 2, 3, 0]], [[1, 4], [2, 3], [0]]],
  [
    [[], [5], [3, 8, 1]],
    [[5], [3, 8], [1]],
  ],
  [[], []],
])('cuts %j into %j', (given, expected) => {
  const runs = risingRuns(given.map(places => vector(...places)));
  expect(runs.map(({ places }) => [...places])).toEqual(expected);
  expect(runs.map(({ values }) => [...values])).toEqual(
    expected.map(places => places.map(place => place / 2)),
  );
});
