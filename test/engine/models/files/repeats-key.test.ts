import { expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { repeatsKey } from '../../../../src/engine/models/files/model-sections.js';

it('finds the one key of thousands that comes twice, wherever it is', () => {
  const random = new Random(5);
  const keys = Uint32Array.from({ length: 20_000 }, (_, i) => (i % 2 === 0 ? i : random.below(9)));
  expect(repeatsKey(keys)).toBe(false);
  for (const at of [0, 2, 9998, 19_996]) {
    const twice = keys.slice();
    twice.set(keys.subarray(19_998), at);
    expect(repeatsKey(twice)).toBe(true);
  }
});

it('takes 0 for no key', () => {
  expect(repeatsKey(Uint32Array.of(0, 1, 1, 0))).toBe(false);
  expect(repeatsKey(Uint32Array.of(0, 1, 0, 0))).toBe(true);
  expect(repeatsKey(new Uint32Array(0))).toBe(false);
});
