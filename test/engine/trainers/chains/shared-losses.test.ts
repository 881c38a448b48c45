import { describe, expect, it } from 'vitest';
import { SharedLosses } from '../../../../src/engine/trainers/chains/shared-losses.js';
import type { Objective } from '../../../../src/engine/trainers/objective.js';
import { markedObjective } from '../descent/marked-objective.js';
import { smallProblems } from '../small-problem.js';

function shared(objective: Objective): SharedLosses | undefined {
  return SharedLosses.of(objective);
}

/** The losses of all minibatches, as the kernel has them. */
function lossOf(objective: Objective): number {
  return objective.corpus.reduce((sum, batch) => sum + objective.contribute(batch).loss, 0);
}

describe('losses over shared potentials', () => {
  it.each([{}, { weighted: true, unlabelled: true }])('are those of the kernel: %j', marking => {
    const objective = markedObjective(smallProblems[2], marking);
    const losses = shared(objective)!;
    const gradient = new Float64Array(objective.free.size);
    const weights = objective.weights();
    expect(losses.sum(gradient)).toBeCloseTo(lossOf(objective), 10);
    for (let i = 0; i < weights.length; i += 5) {
      const slope = [1e-5, -1e-5].map(step => {
        const moved = weights.slice();
        moved[i]! += step;
        objective.place(moved);
        return lossOf(objective);
      });
      expect(gradient[i]).toBeCloseTo((slope[0]! - slope[1]!) / 2e-5, 6);
    }
  });

  it('are left to the kernel where scores are too large, and there the objective continues', () => {
    const objective = markedObjective(smallProblems[2], {});
    const large = objective.weights().map((w, i) => (i === 0 ? 400 : w));
    objective.place(large);
    expect(shared(objective)!.sum(new Float64Array(large.length))).toBeUndefined();
    const value = objective.evaluate(large, new Float64Array(large.length));
    expect(value).toBeCloseTo(lossOf(objective), 8);
  });

  it('are not for plain transitions alone, label pairs, nor sentences labelled in part', () => {
    expect(shared(markedObjective(smallProblems[0], {}))).toBeUndefined();
    expect(shared(markedObjective(smallProblems[2], { partial: true }))).toBeUndefined();
    const observed = markedObjective(smallProblems[3], {});
    expect(SharedLosses.of(observed)).toBeUndefined();
  });
});
