import { describe, expect, it } from 'vitest';
import { isWhiteSpace } from '../../../src/engine/text/white-space.js';

describe('isWhiteSpace', () => {
  it('is what a regular expression takes for white space, for every UTF-16 unit', () => {
    const different: number[] = [];
    for (let unit = 0; unit <= 0xffff; unit += 1) {
      if (isWhiteSpace(unit) !== /\s/.test(String.fromCharCode(unit))) different.push(unit);
    }
    expect(different).toEqual([]);
  });
});
