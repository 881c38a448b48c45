import { describe, expect, it } from 'vitest';
import type { Iteration } from '../../../src/core/training/trainer.js';
import { bcd } from '../../../src/trainers/descent/bcd.js';
import { cd } from '../../../src/trainers/descent/cd.js';
import { norm, pseudoGradient } from '../../../src/trainers/vectors/vectors.js';
import { smallProblems } from '../small-problem.js';
import { markedObjective } from './marked-objective.js';

const component = { bcd, cd };

function run(name: 'bcd' | 'cd', options: Record<string, unknown>, most = 3000) {
  const chosen = component[name].options.parse({ tolerance: 1e-9, decrease: 0, ...options });
  const marking = { partial: true, weighted: true, unlabelled: true };
  const objective = markedObjective(smallProblems[2], marking, chosen.l2);
  const trainer = component[name].create(chosen as never, { objective: () => objective });
  const done: Iteration[] = [];
  while (done.length < most && done.at(-1)?.ending === undefined) done.push(trainer.iterate());
  return { objective, done };
}

describe.each(['bcd', 'cd'] as const)('%s', name => {
  it('falls to a place without slope from any weights, also with sentences labelled in part', () => {
    const { objective, done } = run(name, { l1: 0.2, l2: 0.05 });
    const values = done.map(iteration => iteration.objective);
    expect(values).toEqual([...values].sort((a, b) => b - a));
    expect(done.at(-1)!.ending).toBeDefined();
    const weights = objective.weights();
    const gradient = new Float64Array(weights.length);
    const slopes = new Float64Array(weights.length);
    objective.evaluate(weights, gradient);
    pseudoGradient(weights, gradient, 0.2, slopes);
    expect(norm(slopes)).toBeLessThan(1e-4);
  });

  it('ends with no weight where L1 is larger than any slope, after few passes', () => {
    const { done } = run(name, { l1: 1000, l2: 0.05 });
    expect(done.at(-1)).toMatchObject({ ending: 'gradient', active: 0, gradientNorm: 0 });
    expect(done.length).toBeLessThan(4);
  });

  it('comes to the same minimum with a large factor at first', () => {
    const small = run(name, { l1: 0.2, l2: 0.5 }).done.at(-1)!;
    const large = run(name, { l1: 0.2, l2: 0.5, stabilise: 200 }).done.at(-1)!;
    expect(Math.abs(large.objective - small.objective)).toBeLessThan(1e-8 * small.objective);
  });

  it.runIf(name === 'bcd')(
    'comes to the same minimum in joint steps, by fewer evaluations a pass',
    () => {
      const apart = run(name, { l1: 0.2, l2: 0.5 }).done;
      const joint = run(name, { l1: 0.2, l2: 0.5, joint: true }).done;
      const values = joint.map(iteration => iteration.objective);
      expect(values).toEqual([...values].sort((a, b) => b - a));
      expect(Math.abs(values.at(-1)! / apart.at(-1)!.objective - 1)).toBeLessThan(1e-8);
      expect(joint[0]!.evaluations).toBeLessThan(apart[0]!.evaluations);
    },
  );

  it('counts the sentences that it looks at as parts of passes', () => {
    const { done } = run(name, { l1: 0.2, l2: 0.5 }, 2);
    // Two evaluations, and each observation visited at least twice over.
    expect(done[0]!.evaluations).toBeGreaterThan(4);
    expect(done[1]!.evaluations).toBeGreaterThan(done[0]!.evaluations);
  });
});
