import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { referenceKernel } from '../../../../src/engine/kernels/reference/reference-kernel.js';
import { roundWeights } from '../../../../src/engine/models/files/model-file.js';
import { syntheticCorpus } from '../examples/synthetic-corpus.js';
import { train } from '../examples/train.js';

describe('rounded weights', () => {
  const templates = 'U0:%x[0,0]\nB\nB0:%x[0,0]';
  const corpus = syntheticCorpus(new Random(3), 40);

  it.each(['all', 'observed'] as const)('are multiples, half a part off at most (%s)', support => {
    const learner = train(corpus, { spec: { templates, support } });
    const whole = learner.deployedParameters().weights;
    const { weights } = learner.deployedParameters();
    roundWeights(weights, 64);
    for (const table of ['state', 'edges', 'pairs'] as const) {
      const before = whole[table].view;
      weights[table].view.forEach((weight, i) => {
        expect(Number.isInteger(weight * 64)).toBe(true);
        expect(Math.abs(weight - before[i]!)).toBeLessThanOrEqual(1 / 128);
      });
    }
    expect(weights.state.view.some(weight => weight !== 0)).toBe(true);
  });

  it('go to the even one from the middle, above and below zero alike', () => {
    const { weights } = train(corpus.slice(0, 2), {
      spec: { templates },
      kernel: referenceKernel,
    }).model.parameters;
    const { view } = weights.state;
    view.set([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.75, -0.75].map(parts => parts / 64));
    roundWeights(weights, 64);
    const rounded = Array.from(view.subarray(0, 8), weight => weight * 64 + 0);
    expect(rounded).toEqual([0, 2, 2, 0, -2, -2, 1, -1]);
  });
});
