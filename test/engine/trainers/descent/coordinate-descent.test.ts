import { describe, expect, it } from 'vitest';
import type { Iteration } from '../../../../src/engine/core/training/trainer.js';
import { bcd } from '../../../../src/engine/trainers/descent/bcd.js';
import { cd } from '../../../../src/engine/trainers/descent/cd.js';
import { observationsOf } from '../../../../src/engine/trainers/descent/observation-visit.js';
import { weightBlocks } from '../../../../src/engine/trainers/vectors/free-parameters.js';
import { norm, pseudoGradient } from '../../../../src/engine/trainers/vectors/vectors.js';
import { everyNth } from '../../../house/long-forms.js';
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
  it('falls to a place without slope from any weights, also with sentences labelled in part', {
    tags: 'slow',
  }, () => {
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

  it('comes to the same minimum with a large factor at first', { tags: 'slow' }, () => {
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

  for (const { rows, tags } of everyNth(2, [{ curvature: 'exact' }, { activePasses: 3 }])) {
    it.each(rows)(
      'comes to the same minimum, where no weight has a slope, with %j',
      { tags },
      further => {
        const plain = run(name, { l1: 0.8, l2: 0.5 });
        const other = run(name, { l1: 0.8, l2: 0.5, ...further });
        expect(
          Math.abs(other.done.at(-1)!.objective / plain.done.at(-1)!.objective - 1),
        ).toBeLessThan(1e-9);
        expect(other.done.at(-1)!.active).toBe(plain.done.at(-1)!.active);
        expect(other.done.at(-1)!.active).toBeLessThan(plain.objective.free.size / 2);
        expect(other.done.at(-1)!.gradientNorm).toBeLessThan(1e-4);
        if ('activePasses' in further) expect(other.done.length).toBeLessThan(plain.done.length);
      },
    );
  }

  it('counts the sentences that it looks at as parts of passes', () => {
    const { done } = run(name, { l1: 0.2, l2: 0.5 }, 2);
    // Two evaluations, and each observation visited at least twice over.
    expect(done[0]!.evaluations).toBeGreaterThan(4);
    expect(done[1]!.evaluations).toBeGreaterThan(done[0]!.evaluations);
  });
});

describe('bcd with a penalty on groups', () => {
  it.each([
    { joint: false, l1: 0, group: 1 },
    { joint: false, l1: 0.3, group: 1 },
    { joint: true, l1: 0, group: 1.2 },
    { joint: true, l1: 0.3, group: 0.6, activePasses: 2 },
  ])(
    'ends where proximal gradients end, with whole groups at zero: %j',
    { tags: 'slow' },
    options => {
      const { objective, done } = run('bcd', { l2: 0.2, ...options });
      const blocks = options.joint
        ? observationsOf(objective).map(each => each.blocks.flatMap(({ at }) => [...at]))
        : weightBlocks(objective.free, objective.parameters).map(({ at }) => [...at]);
      const found = objective.weights();
      const lengths = blocks.map(at => Math.hypot(...at.map(i => found[i]!)));
      const empty = lengths.filter(length => length === 0).length;
      expect(empty).toBeGreaterThan(0);
      expect(empty).toBeLessThan(blocks.length);
      const optimum = proximalGradient(objective, blocks, options);
      expect(Math.abs(done.at(-1)!.objective - optimum.value)).toBeLessThan(1e-7);
      for (const i of found.keys()) expect(found[i]).toBeCloseTo(optimum.weights[i]!, 4);
    },
  );
});

/** Minimises loss + l2 + l1 + sum of group sqrt(n) |w_g| by steps of one length, each followed by the penalties' proximal map. */
function proximalGradient(
  objective: ReturnType<typeof markedObjective>,
  groups: readonly number[][],
  { l1, group }: { readonly l1: number; readonly group: number },
) {
  const weights = new Float64Array(objective.free.size);
  const gradient = new Float64Array(weights.length);
  const step = 0.02;
  let smooth = 0;
  for (let k = 0; k < 3000; k += 1) {
    smooth = objective.evaluate(weights, gradient);
    for (const at of groups) {
      const z = at.map(i => {
        const to = weights[i]! - step * gradient[i]!;
        return Math.sign(to) * Math.max(Math.abs(to) - step * l1, 0);
      });
      const left = Math.max(1 - (step * group * Math.sqrt(at.length)) / Math.hypot(...z), 0);
      for (const [k, i] of at.entries()) weights[i] = z[k] === 0 ? 0 : left * z[k]!;
    }
  }
  smooth = objective.evaluate(weights, gradient);
  const one = weights.reduce((sum, w) => sum + Math.abs(w), 0);
  const long = groups.reduce(
    (sum, at) => sum + Math.sqrt(at.length) * Math.hypot(...at.map(i => weights[i]!)),
    0,
  );
  return { weights, value: smooth + l1 * one + group * long };
}
