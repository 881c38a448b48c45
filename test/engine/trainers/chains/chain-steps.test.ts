import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { stepBackward, stepForward } from '../../../../src/engine/trainers/chains/chain-steps.js';
import type { ClassPotentials } from '../../../../src/engine/trainers/chains/class-potentials.js';

/** One class of transitions whose pairs with a score are listed. */
function listed(labels: number, scores: Float64Array): ClassPotentials {
  const cells = [...scores.keys()].filter(cell => scores[cell] !== 0);
  const active = {
    count: cells.length,
    from: Uint16Array.from(cells, cell => Math.floor(cell / labels)),
    to: Uint16Array.from(cells, cell => cell % labels),
    exps: Float64Array.from(cells, cell => Math.exp(scores[cell]!)),
  };
  return { labels, active: [active] } as unknown as ClassPotentials;
}

/** Nearly all mass on one label, and scores of -60 to 3. */
function problem(random: Random, labels: number) {
  const x = Float64Array.from({ length: labels }, () => 1e-14 * random.uniform());
  x[random.below(labels)] = 1;
  const scores = new Float64Array(labels * labels);
  for (let k = 0; k < 2 * labels; k += 1) {
    scores[random.below(scores.length)] =
      random.below(2) === 0 ? 3 * random.uniform() : -60 * random.uniform();
  }
  return { x, scores };
}

describe('steps over listed pairs', () => {
  it('say what sums of all pairs say, also where nearly all of a sum is taken away again', () => {
    const random = new Random(11);
    let cancelled = 0;
    for (let i = 0; i < 300; i += 1) {
      const labels = 2 + random.below(9);
      const { x, scores } = problem(random, labels);
      const potentials = listed(labels, scores);
      const forward = new Float64Array(labels);
      const backward = new Float64Array(labels);
      stepForward(potentials, 0, x, 0, forward, 0);
      stepBackward(potentials, 0, x, 0, backward, 0);
      for (let y = 0; y < labels; y += 1) {
        let to = 0;
        let from = 0;
        for (let other = 0; other < labels; other += 1) {
          to += x[other]! * Math.exp(scores[other * labels + y]!);
          from += x[other]! * Math.exp(scores[y * labels + other]!);
        }
        expect(Math.abs(forward[y]! / to - 1)).toBeLessThan(1e-11);
        expect(Math.abs(backward[y]! / from - 1)).toBeLessThan(1e-11);
        if (to < 1e-6) cancelled += 1;
      }
    }
    expect(cancelled).toBeGreaterThan(30);
  });
});
