import { expect, it } from 'vitest';
import { rowWidth } from '../../../../src/engine/kernels/memory/real-table.js';

it('is the next multiple of four, and at least four', () => {
  expect([0, 1, 4, 5, 8, 9, 22].map(rowWidth)).toEqual([4, 4, 4, 8, 8, 12, 24]);
});
