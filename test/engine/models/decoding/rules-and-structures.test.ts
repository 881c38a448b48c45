import { expect, it } from 'vitest';
import { train } from '../../../../src/runtime/pipeline/training/train.js';

const corpus = [
  { tokens: ['Anna', 'flew', 'to', 'Oslo'], tags: ['B-PER', 'O', 'O', 'B-LOC'] },
  { tokens: ['Oslo', 'is', 'cold'], tags: ['B-LOC', 'O', 'O'] },
];

it.each([
  [{ hidden: 2 }, /sequence rules cannot be combined with hidden states/],
  [{ structure: 'segments' }, /sequence rules cannot be combined with the structure segments/],
] as const)('rules for whole sequences are refused with %o', async (model, expected) => {
  const features = { templates: 'U00:%x[0,0]\nB' };
  const { tagger } = await train({ corpus, features, epochs: 2, ...model });
  const sequence = [{ of: ['B-LOC'], atMost: 1 }];
  expect(tagger.tag(['Oslo', 'is'])).toHaveLength(2);
  expect(() => tagger.analyze(['Oslo', 'is'], {}, { sequence })).toThrow(expected);
});
