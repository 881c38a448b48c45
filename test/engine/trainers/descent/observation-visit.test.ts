import { describe, expect, it } from 'vitest';
import {
  ObservationVisit,
  observationsOf,
} from '../../../../src/engine/trainers/descent/observation-visit.js';
import { SentenceFinder } from '../../../../src/engine/trainers/descent/visited-sentences.js';
import type { Objective } from '../../../../src/engine/trainers/objective.js';
import { smallProblems } from '../small-problem.js';
import { type Marking, markedObjective } from './marked-objective.js';

const markings: readonly Marking[] = [
  {},
  { weighted: true },
  { unlabelled: true },
  { partial: true, weighted: true, unlabelled: true },
];

/** Visits all observations; the parts of their gradients and curvatures as whole vectors. */
function visitAll(objective: Objective, isExact = false) {
  const finder = new SentenceFinder(objective.corpus);
  const gradient = new Float64Array(objective.free.size).fill(Number.NaN);
  const curvature = gradient.slice();
  const seen = observationsOf(objective);
  for (const observation of seen) {
    const visit = new ObservationVisit(objective, finder, observation, observation.blocks, isExact);
    visit.evaluate();
    for (const { block, from, end } of visit.blocks) {
      for (let k = from; k < end; k += 1) {
        expect(gradient[block.at[k - from]!]).toBeNaN();
        gradient[block.at[k - from]!] = visit.gradient[k]!;
        curvature[block.at[k - from]!] = visit.curvature[k]!;
      }
    }
  }
  return { gradient, curvature, seen };
}

function difference(x: Float64Array, y: Float64Array): number {
  return x.reduce((most, value, i) => Math.max(most, Math.abs(value - y[i]!)), 0);
}

describe.each(smallProblems)('visits of observations, $name', problem => {
  it.each(markings)('find the gradient of the objective, each weight once: %j', marking => {
    const objective = markedObjective(problem, marking);
    const weights = objective.weights();
    const expected = new Float64Array(weights.length);
    objective.evaluate(weights, expected);
    expect(difference(visitAll(objective).gradient, expected)).toBeLessThan(1e-12);
    expect(objective.weights()).toEqual(weights);
  });

  it('take the curvature of sentences labelled in part from all their labels', () => {
    const whole = visitAll(markedObjective(problem, { weighted: true }));
    const part = visitAll(markedObjective(problem, { weighted: true, partial: true }));
    expect(difference(part.curvature, whole.curvature)).toBeLessThan(1e-12);
    expect(difference(part.gradient, whole.gradient)).toBeGreaterThan(1e-3);
  });

  it('have the exact curvature of what occurs once in a sentence, and none below zero', () => {
    const objective = markedObjective(problem, {});
    const weights = objective.weights();
    const { curvature, seen } = visitAll(objective);
    const once = seen.filter(({ tokens }) => {
      if (tokens === undefined || tokens.length === 0) return false;
      return new SentenceFinder(objective.corpus).find(tokens).count === tokens.length;
    });
    const at = [...once.flatMap(({ blocks }) => blocks.flatMap(block => [...block.at]))];
    for (const i of at) {
      expect(Math.abs(bentBy(objective, weights, i) - curvature[i]!)).toBeLessThan(1e-6);
    }
    expect(Math.min(...curvature)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...curvature)).toBeGreaterThan(0.1);
  });
});

describe.each(smallProblems)('exact curvature, $name', problem => {
  it.each([{}, { weighted: true, unlabelled: true }])(
    'is that of differences of slopes: %j',
    marking => {
      const objective = markedObjective(problem, marking);
      const weights = objective.weights();
      const { gradient, curvature } = visitAll(objective, true);
      const plain = visitAll(objective);
      expect(gradient).toEqual(plain.gradient);
      for (const i of weights.keys()) {
        expect(Math.abs(bentBy(objective, weights, i) - curvature[i]!)).toBeLessThan(1e-6);
      }
      expect(difference(curvature, plain.curvature)).toBeGreaterThan(0.01);
    },
  );

  it('of sentences labelled in part is that of all their labels', () => {
    const whole = visitAll(markedObjective(problem, { weighted: true }), true);
    const part = visitAll(markedObjective(problem, { weighted: true, partial: true }), true);
    expect(difference(part.curvature, whole.curvature)).toBeLessThan(1e-12);
  });
});

/** The second derivative by weight `i`, by the difference of two slopes. */
function bentBy(objective: Objective, weights: Float64Array, i: number): number {
  const slope = (h: number) => {
    const moved = weights.slice();
    moved[i]! += h;
    const gradient = new Float64Array(moved.length);
    objective.evaluate(moved, gradient);
    return gradient[i]!;
  };
  return (slope(1e-5) - slope(-1e-5)) / 2e-5;
}

describe('observations', () => {
  it('join the features that are active at the same tokens', () => {
    const objective = markedObjective(smallProblems[2], {});
    const seen = observationsOf(objective);
    // Six words, each with a state and an edge feature, and the plain transitions.
    expect(seen.map(({ blocks }) => blocks.map(({ kind }) => kind).join(' ')).sort()).toEqual([
      ...Array.from({ length: 6 }, () => 'state edge'),
      'transitions',
    ]);
    const tokens = seen.flatMap(observation => [...(observation.tokens ?? [])]);
    const count = objective.corpus.reduce((sum, minibatch) => sum + minibatch.tokens, 0);
    expect(tokens.sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, t) => t));
  });

  it('are looked for in the sentences that contain them, and no others', () => {
    const objective = markedObjective(smallProblems[1], {});
    const finder = new SentenceFinder(objective.corpus);
    for (const { tokens, blocks } of observationsOf(objective)) {
      if (tokens === undefined) continue;
      const found = finder.find(tokens).minibatches.flatMap(({ sentences }) => sentences);
      const containing = objective.corpus
        .flatMap(({ sentences }) => sentences)
        .filter(({ stateRows }) => stateRows.includes(blocks[0]!.row));
      expect(found).toEqual(containing);
    }
  });
});
