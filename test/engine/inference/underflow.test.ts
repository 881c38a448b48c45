import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { forwardBackward } from '../../../src/engine/inference/forward-backward.js';
import type { Kernel } from '../../../src/engine/kernels/kernel.js';
import type { ChainScores } from '../../contracts/oracle/chain-scores.js';
import { marginalDifference } from '../../contracts/oracle/differences/marginal-difference.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { logRecursion } from '../../contracts/oracle/log-recursion.js';
import { givenScores } from '../../contracts/oracle/problems/given-scores.js';
import { roundedScores } from '../../contracts/oracle/problems/rounded-scores.js';
import { everyNth } from '../../house/long-forms.js';

/** Two labels; `lead` is what label 0 has over label 1 at each token, changing costs `change`. */
function race(lead: readonly number[], change: number): ChainScores {
  return {
    emissions: lead.map(score => [Math.max(score, 0), Math.max(-score, 0)]),
    transitions: lead.map(() => [
      [0, -change],
      [-change, 0],
    ]),
  };
}

/** The largest difference of log Z and marginals from the recursion in log space. */
function differenceFromOracle(kernel: Kernel, unrounded: ChainScores, slots: boolean): number {
  const scores = roundedScores(unrounded, kernel.precision);
  const lattice = givenScores(kernel, scores, slots);
  const logZ = forwardBackward(kernel, lattice, 0, 'auto');
  return marginalDifference(lattice, 0, logZ, logRecursion(scores));
}

for (const { rows, tags } of everyNth(6, kernelRows)) {
  describe.each(rows)('underflow in the $name kernel', { tags }, ({ kernel, tolerance }) => {
    for (const slots of [false, true]) {
      const how = slots ? 'a matrix for each token' : 'one matrix';

      it(`a path that vanishes early may win ten tokens later (${how})`, () => {
        // exp(-760) is zero. Then label 1 gains 65 a token, 845 in all, and exp(-65) is more than 2^-100:
        // no single scale gives it away.
        const early = race([760, ...new Array<number>(13).fill(-65)], 2000);
        expect(logRecursion(early).nodes[0]![1]).toBeCloseTo(1, 12);
        expect(differenceFromOracle(kernel, early, slots)).toBeLessThanOrEqual(tolerance);
        // The same, mirrored: now it is the backward value that vanishes.
        const late = race([...new Array<number>(13).fill(-65), 760], 2000);
        expect(differenceFromOracle(kernel, late, slots)).toBeLessThanOrEqual(tolerance);
      });

      it(`a path that is left with few digits may win later (${how})`, () => {
        // exp(-740) is a denormal number of one or two digits; exp(-700) is the last with all of them.
        for (const start of [690, 700, 710, 720, 730, 735, 738, 740, 742, 744, 745, 746, 750]) {
          for (const gain of [30, 55, 60, 65, 68]) {
            const rest = new Array<number>(13).fill(-gain);
            for (const lead of [
              [start, ...rest],
              [...rest, start],
              [...rest.slice(0, 5), start, ...rest.slice(5)],
            ]) {
              const scores = race(lead, 3000);
              expect(differenceFromOracle(kernel, scores, slots)).toBeLessThanOrEqual(tolerance);
            }
          }
        }
      });

      it(`a path that has lost digits over some tokens may draw level (${how})`, () => {
        // exp(-88) is the least float32 with all its digits, exp(-103) the last one; exp(-708), exp(-745).
        const [least, most, steepest] =
          kernel.precision === 'float64' ? [690, 750, 68] : [66, 108, 40];
        for (let start = least; start <= most; start += 1) {
          for (const gain of [steepest / 4, steepest / 2, steepest]) {
            // Both paths are as good in the end, but for 0.3: each digit that was lost would show.
            const whole = new Array<number>(Math.floor(start / gain)).fill(-gain);
            const rest = [...whole, whole.length * gain - start - 0.3];
            for (const lead of [
              [start / 2, start / 2, ...rest],
              [...rest, start / 2, start / 2],
              [start / 3, start / 3, start / 3, ...rest],
            ]) {
              const scores = race(lead, 5000);
              expect(differenceFromOracle(kernel, scores, slots)).toBeLessThanOrEqual(tolerance);
            }
          }
        }
      });

      it(`a lead built up token by token may be lost again (${how})`, () => {
        for (const step of [20, 35, 50, 60, 67]) {
          for (const half of [5, 10, 11, 12, 20, 40]) {
            const lead = [
              ...new Array<number>(half).fill(step),
              ...new Array(half).fill(-step),
              -0.3,
            ];
            const scores = race(lead, 5000);
            expect(logRecursion(scores).nodes[0]![1]).toBeCloseTo(1 / (1 + Math.exp(-0.3)), 9);
            expect(differenceFromOracle(kernel, scores, slots)).toBeLessThanOrEqual(tolerance);
          }
        }
      });

      it(`random scores of any size are right (${how})`, () => {
        const random = new Random(9);
        const sizes = [1, 10, 30, 60, 100, 300, 700];
        for (let i = 0; i < 600; i += 1) {
          const labels = 2 + random.below(2);
          const length = 2 + random.below(30);
          const large = sizes[random.below(sizes.length)]!;
          const stay = sizes[random.below(sizes.length)]! * random.below(8);
          const emissions = Array.from({ length }, () =>
            Array.from({ length: labels }, () => large * random.normal()),
          );
          const matrix = Array.from({ length: labels }, (_, from) =>
            Array.from({ length: labels }, (_, to) => (from === to ? 0 : -stay * random.uniform())),
          );
          const scores = { emissions, transitions: emissions.map(() => matrix) };
          expect(differenceFromOracle(kernel, scores, slots)).toBeLessThanOrEqual(tolerance);
        }
      });
    }

    it('says by NaN that scaling would not do', { tags: 'slow' }, () => {
      const lattice = givenScores(kernel, race([760, ...new Array(13).fill(-65)], 2000), false);
      kernel.exponentiate(lattice);
      expect(kernel.forwardBackwardScaled(lattice, 0)).toBeNaN();
    });
  });
}
