import { expect, it } from 'vitest';
import { TrainingSample } from '../../../../src/engine/models/inspection/training-sample.js';

const corpus = Array.from({ length: 12 }, (_, i) => ({ tokens: ['word', String(i % 10)] }));

it('has the first eight different sentences, and is found where all of them are', () => {
  const sample = new TrainingSample();
  for (const sentence of [corpus[0]!, ...corpus]) sample.add(sentence);
  expect([sample.isFull, sample.marks.length, new Set(sample.marks).size]).toEqual([true, 8, 8]);
  const found = (sentences: typeof corpus) => {
    const search = new TrainingSample(sample.marks);
    for (const sentence of sentences) search.look(sentence);
    return search.isFound;
  };
  expect(found([...corpus].reverse())).toBe(true);
  expect(found(corpus.slice(0, 8))).toBe(true);
  expect(found(corpus.slice(1, 10))).toBe(false);
});

it('sees where tokens end, and is not found without sentences', () => {
  const sample = new TrainingSample();
  expect(sample.isFound).toBe(false);
  sample.add({ tokens: ['ab', 'c'] });
  sample.look({ tokens: ['a', 'bc'] });
  expect(sample.isFound).toBe(false);
  sample.look({ tokens: ['ab', 'c'] });
  expect(sample.isFound).toBe(true);
});
