import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import type { ParameterStore } from '../../../../src/engine/kernels/store/parameter-store.js';
import {
  nonZeroWeights,
  readModel,
  writeModel,
} from '../../../../src/engine/models/files/model-file.js';
import { dropSmallWeights } from '../../../../src/engine/models/selection/drop-small-weights.js';
import { syntheticCorpus } from '../examples/synthetic-corpus.js';
import { train } from '../examples/train.js';

const templates = 'U0:%x[0,0]\nB\nB0:%x[0,0]';
const corpus = syntheticCorpus(new Random(3), 40);

function weightsOf({ weights: { state, edges, pairs } }: ParameterStore): number[] {
  return [...state.view, ...edges.view, ...pairs.view];
}

const nonZero = (weights: readonly number[]) => weights.filter(weight => weight !== 0);

describe.each(['all', 'observed'] as const)('weights of a model (support %s)', support => {
  const learner = train(corpus, { spec: { templates, support } });
  const whole = weightsOf(learner.deployedParameters());

  it('are zero below a threshold, and what they were above', () => {
    const deployed = learner.deployedParameters();
    dropSmallWeights(deployed.weights, { below: 0.05 });
    expect(weightsOf(deployed)).toEqual(whole.map(w => (Math.abs(w) < 0.05 ? 0 : w)));
    expect(nonZero(weightsOf(deployed)).length).toBeLessThan(nonZero(whole).length);
  });

  it.each([1, 10, 40, 1e6])('stay as the %d largest', keep => {
    const deployed = learner.deployedParameters();
    dropSmallWeights(deployed.weights, { keep });
    const kept = nonZero(weightsOf(deployed)).map(Math.abs);
    const largest = nonZero(whole)
      .map(Math.abs)
      .sort((a, b) => b - a)
      .slice(0, keep);
    expect(kept.sort((a, b) => b - a)).toEqual(largest);
  });

  it('make a smaller model file, which is read as any other', () => {
    const bytes = writeModel(learner, { keep: 20 });
    expect(nonZeroWeights(bytes)).toBe(20);
    expect(bytes.length).toBeLessThan(writeModel(learner).length);
    expect(nonZero(weightsOf(readModel(bytes).parameters))).toHaveLength(20);
    expect(nonZero(weightsOf(learner.deployedParameters()))).toEqual(nonZero(whole));
  });
});

it('of equal weights the first stay', () => {
  const { weights } = train(corpus, { spec: { templates } }).deployedParameters();
  weights.state.view.fill(0).set([3, -2, 2, 1, 2]);
  weights.edges.view.fill(0).set([-2]);
  dropSmallWeights(weights, { keep: 3 });
  expect(Array.from(weights.state.view.subarray(0, 5))).toEqual([3, -2, 2, 0, 0]);
  expect(weights.edges.view[0]).toBe(0);
});
