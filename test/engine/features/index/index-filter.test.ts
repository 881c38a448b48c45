import { expect, test } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { ExactIndex } from '../../../../src/engine/features/index/exact-index.js';
import { filterBytes } from '../../../../src/engine/features/index/index-table.js';
import { singleLookups } from '../resources/single-lookups.js';

test('a filter has eight bits for each entry, within its bounds', () => {
  expect(filterBytes(0)).toBe(32_768);
  expect(filterBytes(32_768)).toBe(32_768);
  expect(filterBytes(32_769)).toBe(65_536);
  expect(filterBytes(2 ** 19)).toBe(524_288);
  expect(filterBytes(2 ** 21)).toBe(524_288);
  expect(filterBytes(2 ** 21 + 1)).toBe(0);
});

test.each([1_000, 50_000, 140_000])('an index of %i features finds them, and no others', count => {
  const random = new Random(count);
  const words = Uint32Array.from({ length: 2 * count }, () => random.next() | 1);
  const lookups = singleLookups(ExactIndex.of(words));
  for (let i = 0; i < count; i += 1) {
    const [lo, hi] = [words[2 * i]!, words[2 * i + 1]!];
    if (lookups.find(lo, hi) !== i) expect.fail(`feature ${i} is not found`);
    if (lookups.find(lo ^ 2, hi) !== -1) expect.fail(`what is not feature ${i} is found`);
    if (lookups.find(lo, hi ^ 2) !== -1) expect.fail(`what is not feature ${i} is found`);
  }
});
