import { describe, expect, it } from 'vitest';
import { Tagger, train } from '../../../../src/index.js';

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
/** What a span is, is said by its word and the label before it together. */
const chained = [
  ['go', 'ja', 'X', 'X'],
  ['go', 'no', 'X', 'Y'],
  ['ho', 'ja', 'Y', 'Y'],
  ['ho', 'no', 'Y', 'X'],
].map(([first, last, before, type]) => ({
  tokens: [first!, first!, last!, last!, 'today'],
  tags: [`B-${before}`, `I-${before}`, `B-${type}`, `I-${type}`, 'O'],
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

  it.each(['sgd', 'lbfgs'] as const)(
    'learns what depends on a span and the label before it, by %s',
    async name => {
      const trainer = name === 'sgd' ? { sgd: { eta0: 0.5, l2: 0.001 } } : { lbfgs: { l2: 0.001 } };
      const wrongOf = async (...segmentFeatures: string[]) => {
        const request = { corpus: chained, features, trainer, epochs: 40 };
        const { bytes } = await train({ ...request, ...segments, segmentFeatures });
        const tagger = Tagger.fromBytes(bytes);
        const found = tagger.analyze(chained[1]!.tokens, {}, { nbest: 2, spanProbabilities: true });
        expect(found.nbest![0]!.tags).toEqual(found.tags);
        expect(found.spans![0]!.probability).toBeGreaterThan(0.5);
        return chained.filter(({ tokens, tags }) => tagger.tag(tokens).join() !== tags.join())
          .length;
      };
      expect(await wrongOf('length', 'text', 'B:text')).toBe(0);
      expect(await wrongOf('length', 'text')).toBeGreaterThan(0);
    },
  );
});
