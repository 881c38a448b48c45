import { expect, it } from 'vitest';
import { tokenEntropies, tokenShares } from '../../src/annotation/learning/uncertainty.js';
import type { Sentence } from '../../src/core/sentence/sentence.js';
import { train } from '../../src/pipeline/training/train.js';

const sentence = (tokens: readonly string[]): Sentence => ({
  tokens,
  columns: {},
  document: {},
  part: { index: 0, count: 1, start: 0 },
});

it('shares the entropy of all label sequences that the scheme allows between tokens', async () => {
  const corpus = [
    { tokens: ['Anna', 'Berg', 'flew'], tags: ['B-PER', 'I-PER', 'O'] },
    { tokens: ['Berg', 'is', 'high'], tags: ['B-LOC', 'O', 'O'] },
    { tokens: ['New', 'Bath', 'Berg'], tags: ['B-LOC', 'I-LOC', 'I-LOC'] },
  ];
  const features = { templates: 'U:%x[0,0]\nB' };
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
