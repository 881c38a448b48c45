import { describe, expect, it } from 'vitest';
import type { Range } from '../../../../src/engine/core/sentence/document.js';
import { pushTrimmed } from '../../../../src/engine/text/white-space.js';

describe('pushTrimmed', () => {
  it.each([
    ['  ab ', 0, 5, [[2, 4]]],
    ['a b', 0, 3, [[0, 3]]],
    ['a b', 1, 2, []],
    ['a b', 1, 1, []],
    ['\u3000x\ufeff', 0, 3, [[1, 2]]],
  ])('of %j from %i to %i', (text, start, end, expected) => {
    const ranges: Range[] = [];
    pushTrimmed(ranges, text, start, end);
    expect(ranges).toEqual(expected);
  });
});
