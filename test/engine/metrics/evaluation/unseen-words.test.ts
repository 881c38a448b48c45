import { describe, expect, it } from 'vitest';
import { UnseenWords } from '../../../../src/engine/metrics/evaluation/unseen-words.js';

describe('UnseenWords', () => {
  it('distinguishes words of the training data from others, by their form', () => {
    const words = new UnseenWords(new Set(['the', 'dog', 'runs']));
    words.add(['the', 'cat', 'runs'], ['D', 'N', 'V'], ['D', 'V', 'N']);
    words.add(['The', 'dog', 'sleeps'], ['D', 'N', 'V'], ['D', 'N', 'V']);
    expect(words.unseen).toEqual({ tokens: 3, correct: 2, accuracy: 200 / 3 });
    expect(words.seen).toEqual({ tokens: 3, correct: 2, accuracy: 200 / 3 });
  });

  it('is undefined without tokens, and counts nothing of a sentence whose tags do not fit', () => {
    const words = new UnseenWords(new Set());
    expect(() => words.add(['a', 'b'], ['X'], ['X'])).toThrow('1 gold tags but 2');
    expect(() => words.add(['a'], ['X'], ['X', 'Y'])).toThrow('1 gold tags but 2');
    expect(words.unseen).toEqual({ tokens: 0, correct: 0, accuracy: null });
  });
});
