import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import { Objective } from '../../../../src/engine/trainers/objective.js';
import { gis } from '../../../../src/engine/trainers/scaling/gis.js';
import { iis } from '../../../../src/engine/trainers/scaling/iis.js';
import { scalingGroups } from '../../../../src/engine/trainers/scaling/iterative-scaling.js';
import { markedObjective } from '../descent/marked-objective.js';
import { objectiveOf, smallProblems } from '../small-problem.js';

function create(component: typeof gis | typeof iis, objective: Objective, l2 = 0) {
  const options = component.options.parse({ l2 }) as never;
  return component.create(options, { objective: () => objective });
}

describe('groups of sentences for iterative scaling', () => {
  const { corpus, parameters } = objectiveOf(smallProblems[2]);
  const sentences = corpus.flatMap(minibatch => minibatch.sentences);
  const lengths = [...new Set(sentences.map(({ length }) => length))].sort((a, b) => a - b);

  it('have the totals of their features', () => {
    // A word, and from the second on a plain transition and one with the word.
    const groups = scalingGroups(corpus, parameters, 100);
    expect(groups.map(({ total }) => total)).toEqual(lengths.map(length => 3 * length - 2));
    const found = groups.flatMap(({ minibatches }) => minibatches.flatMap(m => m.sentences));
    expect(new Set(found)).toEqual(new Set(sentences));
  });

  it('are no more than asked for, with the largest total of their sentences', () => {
    const groups = scalingGroups(corpus, parameters, 2);
    expect(groups.length).toBeLessThanOrEqual(2);
    expect(groups.at(-1)!.total).toBe(3 * lengths.at(-1)! - 2);
  });
});

describe('generalised iterative scaling', () => {
  it('takes steps of log(observed / expected) / C', () => {
    const objective = objectiveOf(smallProblems[0], { l2: 0 });
    const gradient = new Float64Array(objective.free.size);
    objective.evaluate(gradient.slice(), gradient);
    const counts = new Float64Array(objective.free.size);
    for (const { sentences } of objective.corpus) {
      for (const { gold, stateRows, length } of sentences) {
        for (let t = 0; t < length; t += 1) counts[stateRows[t]! * 3 + gold![t]!]! += 1;
      }
    }
    const most = Math.max(
      ...objective.corpus.flatMap(({ sentences }) => sentences.map(s => 2 * s.length - 1)),
    );
    create(gis, objective).iterate();
    const weights = objective.weights();
    let checked = 0;
    for (let i = 0; i < objective.free.transitionsFrom; i += 1) {
      const observed = counts[i]!;
      if (observed === 0) continue;
      const step = Math.log(observed / (gradient[i]! + observed)) / most;
      expect(weights[i]).toBeCloseTo(step, 12);
      checked += 1;
    }
    expect(checked).toBeGreaterThan(8);
  });

  it('is slower than improved scaling', () => {
    const inTwenty = (component: typeof gis | typeof iis) => {
      const trainer = create(component, objectiveOf(smallProblems[2], { l2: 0.5 }), 0.5);
      return Array.from({ length: 20 }, () => trainer.iterate().objective).at(-1)!;
    };
    expect(inTwenty(iis)).toBeLessThan(inTwenty(gis));
  });
});

describe.each([gis, iis])('$name', component => {
  it('falls without L2 too, where some weights have no bound', () => {
    const trainer = create(component, objectiveOf(smallProblems[2], { l2: 0 }));
    const values = Array.from({ length: 30 }, () => trainer.iterate().objective);
    expect(values).toEqual([...values].sort((a, b) => b - a));
    expect(values.at(-1)!).toBeLessThan(0.6 * values[0]!);
  });

  it('refuses sentences that are labelled in part, values below 0 and other losses', () => {
    const partial = markedObjective(smallProblems[0], { partial: true });
    expect(() => create(component, partial)).toThrow('partially labelled');
    const { kernel, parameters, corpus } = objectiveOf(smallProblems[0]);
    const [first] = corpus[0]!.sentences;
    const stateValues = new Float64Array(first!.stateRows.length).fill(-1);
    const negative = [packMinibatch([{ ...first!, stateValues }])];
    const common = { kernel, parameters };
    const below = new Objective({ ...common, corpus: negative, loss: logLoss });
    expect(() => create(component, below)).toThrow('negative feature value -1');
    const loss = { ...logLoss, name: 'perceptron' as const };
    const other = new Objective({ ...common, corpus, loss });
    expect(() => create(component, other)).toThrow('does not support the loss perceptron');
  });
});
