import { expect, it } from 'vitest';
import { tokenEntropies, tokenShares } from '../../src/annotation/learning/uncertainty.js';
import type { Sentence } from '../../src/engine/core/sentence/sentence.js';
import { train } from '../../src/runtime/pipeline/training/train.js';

const sentence = (tokens: readonly string[]): Sentence => ({
  tokens,
  columns: {},
  document: {},
  part: { index: 0, count: 1, start: 0 },
});

const corpus = [
  { tokens: ['Anna', 'Berg', 'flew'], tags: ['B-PER', 'I-PER', 'O'] },
  { tokens: ['Berg', 'is', 'high'], tags: ['B-LOC', 'O', 'O'] },
  { tokens: ['New', 'Bath', 'Berg'], tags: ['B-LOC', 'I-LOC', 'I-LOC'] },
];
const features = { templates: 'U:%x[0,0]\nB' };

it('shares the entropy of all label sequences that the scheme allows between tokens', async () => {
  const { tagger } = await train({ corpus, features, epochs: 3 });
  for (const tokens of [['Berg'], ['New', 'Berg'], ['is', 'Anna', 'Berg', 'Bath']]) {
    const { nbest } = tagger.analyze(tokens, {}, { nbest: 1000 });
    const entropy = nbest!.reduce((sum, { probability: p }) => sum - p * Math.log(p), 0);
    const shares = tokenShares(tagger.model, sentence(tokens));
    const sum = shares.reduce((all, share) => all + share, 0);
    expect(sum).toBeCloseTo(entropy, 4);
    // Neighbours show something of each other.
    const alone = tokenEntropies(tagger.model, sentence(tokens)).reduce((all, each) => all + each);
    if (tokens.length > 1) expect(alone).toBeGreaterThan(1.05 * sum);
  }
});

it.each([
  ['hidden states', { hidden: 2 }],
  ['segments', { structure: 'segments' }],
  ['a local scorer', { scorer: 'memm' }],
  ['pruned labels', { prune: { most: 2 } }],
] as const)('has the entropies of tokens of a model with %s', async (_, more) => {
  const { tagger } = await train({ corpus, features, epochs: 3, ...more });
  const given = sentence(['Anna', 'Berg', 'is']);
  expect(tokenShares(tagger.model, given)).toEqual(tokenEntropies(tagger.model, given));
});
