import { describe, expect, it } from 'vitest';
import { Tagger, train } from '../../../src/index.js';

/** What a span is, is said by both of its words together (exclusive or), which no sum over single tokens is. */
const corpus = [
  ['blue', 'blue', 'X'],
  ['blue', 'green', 'Y'],
  ['green', 'blue', 'Y'],
  ['green', 'green', 'X'],
].map(([first, last, type]) => ({
  tokens: ['in', first!, last!, 'today'],
  tags: ['O', `B-${type}`, `I-${type}`, 'O'],
}));
const features = { templates: ['U:%x[0,0]', 'B'] };
const segments = {
  structure: 'segments',
  maxLength: 3,
  segmentFeatures: ['text', 'length'],
} as const;

describe('a model with the structure segments', () => {
  it.each([
    [{ sgd: { eta0: 0.5, l2: 0.001 } }, undefined],
    [{ perceptron: {} }, 'perceptron'],
    [{ lbfgs: { l2: 0.001 } }, undefined],
    [{ sgd: { eta0: 0.5, l2: 0.001 } }, 'hinge'],
  ] as const)('learns what no chain of its features can, by %j', async (trainer, loss) => {
    const request = { corpus, features, trainer, ...(loss && { loss }), epochs: 30 };
    const { bytes } = await train({ ...request, ...segments });
    const tagger = Tagger.fromBytes(bytes);
    const chain = (await train(request)).tagger;
    const wrong = (by: Tagger) =>
      corpus.filter(({ tokens, tags }) => by.tag(tokens).join() !== tags.join()).length;
    expect(wrong(tagger)).toBe(0);
    expect(wrong(chain)).toBeGreaterThan(0);
  });
});
