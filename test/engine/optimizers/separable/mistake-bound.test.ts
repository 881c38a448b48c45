import { describe, expect, it } from 'vitest';
import { perceptronLoss } from '../../../../src/engine/losses/perceptron-loss.js';
import { createOnlineLearner } from '../../../../src/engine/models/learning/learner.js';
import { perceptron } from '../../../../src/engine/optimizers/perceptron.js';
import { wrongTokens } from '../../../../src/engine/optimizers/wrong-tokens.js';
import { passOf, type SeparableOptions, separableCorpus } from './separable-corpus.js';

const full = process.env.TAGSTREAM_FULL === '1';

/** Runs the perceptron until it ends, and counts the sentences that were wrong. */
function mistakesOn(options: SeparableOptions) {
  const made = separableCorpus(options);
  const learner = createOnlineLearner(made.model, {
    loss: perceptronLoss,
    optimizer: perceptron,
    options: { untilSeparated: true, average: false },
  });
  const perPass: number[] = [];
  for (let pass = 1; pass <= 1000; pass += 1) {
    let mistakes = 0;
    let ending: string | undefined;
    for (const minibatch of passOf(made, pass)) {
      const contribution = learner.contribute(minibatch);
      if (wrongTokens(contribution, 0) > 0) mistakes += 1;
      ending = learner.apply(contribution).ending;
    }
    perPass.push(mistakes);
    if (ending !== undefined) break;
  }
  const mistakes = perPass.reduce((sum, each) => sum + each, 0);
  return { ...made, learner, perPass, mistakes, bound: made.radius2 / made.margin ** 2 };
}

describe.each([0.02, 0.05, 0.1, 0.2])('on data with a margin of %d', margin => {
  it.each(full ? [1, 2, 3, 4, 5] : [1, 2])(
    'makes at most R^2 / delta^2 mistakes, seed %i',
    seed => {
      const { mistakes, perPass, bound } = mistakesOn({ seed, sentences: 200, words: 12, margin });
      expect(mistakes).toBeLessThanOrEqual(bound);
      expect(mistakes).toBeGreaterThan(0);
      // The first pass without a mistake is the last one.
      expect(perPass.indexOf(0)).toBe(perPass.length - 1);
    },
  );
});

/** The figures of pipelines/papers/collins.md: 2,000 sentences, a bound of R^2 / delta^2 rounded down. */
const figures = [
  { margin: 0.02, radius2: 86, mistakes: 1098, passes: 34, bound: 194096 },
  { margin: 0.05, radius2: 86, mistakes: 311, passes: 11, bound: 33419 },
  { margin: 0.1, radius2: 86, mistakes: 89, passes: 3, bound: 8559 },
  { margin: 0.2, radius2: 86, mistakes: 37, passes: 2, bound: 2108 },
];

// The larger the margin, the longer it takes to draw such data.
it.each(full ? figures : figures.slice(1, 2))(
  'has the figures of the page: margin $margin',
  ({ margin, ...figures }) => {
    const { radius2, mistakes, perPass, bound } = mistakesOn({
      ...{ seed: 1, sentences: 2000, words: 12 },
      margin,
    });
    const measured = { radius2, mistakes, passes: perPass.length, bound: Math.floor(bound) };
    expect(measured).toEqual(figures);
  },
);
