import { describe, expect, it } from 'vitest';
import {
  countEqualTags,
  TokenAccuracy,
} from '../../../../src/engine/metrics/scores/token-accuracy.js';

describe('TokenAccuracy', () => {
  it('is the share of equal tags over all sentences', () => {
    const accuracy = new TokenAccuracy();
    accuracy.add(['N', 'V', 'N'], ['N', 'N', 'N']);
    accuracy.add(['N'], ['V']);
    accuracy.add([], []);
    expect([accuracy.tokens, accuracy.correct, accuracy.percent]).toEqual([4, 2, 50]);
  });

  it('is undefined before any token', () => {
    expect(new TokenAccuracy().percent).toBeNull();
  });

  it('compares whole tags', () => {
    expect(countEqualTags(['B-NP', 'I-NP', 'O'], ['I-NP', 'I-NP', 'o'])).toBe(1);
  });

  it('counts nothing of a sentence whose lengths differ', () => {
    const accuracy = new TokenAccuracy();
    expect(() => accuracy.add(['N'], ['N', 'V'])).toThrow('1 gold tags but 2 predicted tags');
    expect(accuracy.tokens).toBe(0);
  });
});
