import { expect, it } from 'vitest';
import { jsonDepth } from '../../src/core/json-depth.js';

it.each([
  ['1', 0],
  ['[]', 1],
  ['[[],[],{"a":[]}]', 3],
  ['{"[[[":"\\"[[["}', 1],
  ['["\\\\",[]]', 2],
  ['["a\\\\\\"[[[",[]]', 2],
  ['["\\"', 1],
  ['['.repeat(100_000), 100_000],
])('finds the depth of %.40s: %i', (json, depth) => {
  expect(jsonDepth(json)).toBe(depth);
});
