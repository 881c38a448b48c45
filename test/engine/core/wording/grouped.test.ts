import { expect, it } from 'vitest';
import { grouped } from '../../../../src/engine/core/wording/numbers.js';

it.each([
  0, 7, 999, 1000, 12_345, 999_999, 1_000_000, 1e15, -1, -999, -1000, -1_234_567, 0.25, 1234.5,
])('writes %d as English does', value => {
  expect(grouped(value)).toBe(value.toLocaleString('en'));
});
