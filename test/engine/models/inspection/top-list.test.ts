import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { TopList } from '../../../../src/engine/models/inspection/top-list.js';

describe('TopList', () => {
  it.each([0, 1, 3, 500, 2000])('keeps the %i largest, as sorting finds them', limit => {
    const random = new Random(limit);
    // Few different weights, so that many are equal, and some 0.
    const weights = Array.from({ length: 1000 }, () => random.below(200) / 10 - 10);
    const top = new TopList(limit);
    for (const [key, weight] of weights.entries()) top.offer(key, weight);
    const sorted = weights
      .map((weight, key) => ({ key, weight }))
      .filter(({ weight }) => weight !== 0)
      .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
    expect(top.ranked).toEqual(sorted.slice(0, limit));
  });
});
