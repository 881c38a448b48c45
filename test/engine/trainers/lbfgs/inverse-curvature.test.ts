import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import type { Iteration, Trainer } from '../../../../src/engine/core/training/trainer.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import { settleCorpus } from '../../../../src/engine/models/learning/settle-corpus.js';
import { inverseCurvature } from '../../../../src/engine/trainers/lbfgs/inverse-curvature.js';
import { lbfgs } from '../../../../src/engine/trainers/lbfgs/lbfgs.js';
import { Objective } from '../../../../src/engine/trainers/objective.js';
import { objectiveOf, smallProblems } from '../small-problem.js';

function iterations(trainer: Trainer): Iteration[] {
  const done: Iteration[] = [];
  while (done.length < 1000 && done.at(-1)?.ending === undefined) done.push(trainer.iterate());
  return done;
}

/** The inverse curvature of each weight times the second difference there. */
function ratiosOf(objective: Objective): number[] {
  const inverse = inverseCurvature(objective);
  const { size } = objective.free;
  const [low, high] = [new Float64Array(size), new Float64Array(size)];
  const step = 1e-4;
  return Array.from(inverse, (each, k) => {
    const weights = new Float64Array(size);
    weights[k] = -step;
    objective.evaluate(weights, low);
    weights[k] = step;
    objective.evaluate(weights, high);
    return (each * (high[k]! - low[k]!)) / (2 * step);
  });
}

it('counts the links of a graph', () => {
  const graph = { potentials: 'free', maxWidth: 3, schedule: 'residual' } as const;
  const model = createModel({ templates: 'U:%x[0,0]', graph }, undefined, kernels.simd64);
  const tokens = ['a', 'b', 'c', 'd'];
  const document = {
    tokens,
    links: [
      [0, 1, 's'],
      [2, 3, 's'],
    ],
  };
  const tags = ['X', 'Y', 'Z', 'X'];
  const part = { index: 0, count: 1, start: 0 };
  const encoded = [1, 2, 3].map(() => model.encode({ tokens, tags, document, part, columns: {} }));
  const corpus = [packMinibatch(settleCorpus(model, encoded))];
  model.reserve();
  const { kernel, parameters } = model;
  const objective = new Objective({ kernel, parameters, corpus, loss: logLoss, l2: 0.1 });
  for (const ratio of ratiosOf(objective)) {
    expect(ratio).toBeGreaterThan(0.5);
    expect(ratio).toBeLessThan(2);
  }
});

describe.each(smallProblems)('inverse curvature: $name', problem => {
  it('is near the second differences at weights of zero', () => {
    for (const ratio of ratiosOf(objectiveOf(problem, { l2: 0.1 }))) {
      // Exact for state features; transitions that follow each other are not independent.
      expect(ratio).toBeGreaterThan(0.5);
      expect(ratio).toBeLessThan(2);
    }
  });

  it('leads L-BFGS to the same minimum', () => {
    const exact = { l2: 0.1, decrease: 0, tolerance: 1e-6 };
    const ends = [false, true].map(scaled => {
      const objective = objectiveOf(problem, { l2: 0.1 });
      const options = lbfgs.options.parse({ ...exact, scaled });
      return iterations(lbfgs.create(options, { objective: () => objective })).at(-1)!;
    });
    expect(ends.map(({ ending }) => ending)).toEqual(['gradient', 'gradient']);
    expect(ends[1]!.objective).toBeCloseTo(ends[0]!.objective, 8);
  });
});
