import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { forwardBackward } from '../../../src/engine/inference/forward-backward.js';
import type { Kernel } from '../../../src/engine/kernels/kernel.js';
import type { ChainScores } from '../../contracts/oracle/chain-scores.js';
import { difference } from '../../contracts/oracle/differences/difference.js';
import { marginalDifference } from '../../contracts/oracle/differences/marginal-difference.js';
import { Enumeration } from '../../contracts/oracle/enumeration.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { LatticeReader } from '../../contracts/oracle/kernels/lattice-reader.js';
import { drawnScores } from '../../contracts/oracle/problems/drawn-scores.js';
import { givenScores } from '../../contracts/oracle/problems/given-scores.js';
import { roundedScores } from '../../contracts/oracle/problems/rounded-scores.js';
import { everyNth } from '../../house/long-forms.js';

const never = Number.NEGATIVE_INFINITY;

/** The largest difference of log Z, marginals and Viterbi score from the enumeration. */
function differenceFromOracle(
  kernel: Kernel,
  unrounded: ChainScores,
  slots: boolean,
  space: 'auto' | 'log',
): number {
  const scores = roundedScores(unrounded, kernel.precision);
  const chain = new Enumeration(scores);
  const lattice = givenScores(kernel, scores, slots);
  const best = kernel.viterbi(lattice, 0, new Int32Array(scores.emissions.length));
  const logZ = forwardBackward(kernel, lattice, 0, space);
  return Math.max(
    difference([best], [chain.bestScore]),
    marginalDifference(lattice, 0, logZ, chain),
  );
}

for (const { rows, tags } of everyNth(12, kernelRows)) {
  describe.each(rows)(
    'extreme scores in the $name kernel',
    { tags },
    ({ kernel, tolerance, rounding }) => {
      for (const space of ['auto', 'log'] as const) {
        for (const slots of [false, true]) {
          const how = `${space}, ${slots ? 'a matrix for each token' : 'one matrix'}`;

          it(`scores of a thousand either way are right (${how})`, () => {
            const random = new Random(6);
            for (let i = 0; i < 100; i += 1) {
              const large = () => [-1000, 0, 1000][random.below(3)]! + random.normal();
              const small = () => random.normal();
              const emission = random.below(2) === 0 ? large : small;
              const transition = random.below(2) === 0 ? large : small;
              const [length, labels] = [1 + random.below(5), 1 + random.below(4)];
              const scores = drawnScores(length, labels, !slots, emission, transition);
              expect(differenceFromOracle(kernel, scores, slots, space)).toBeLessThanOrEqual(
                tolerance,
              );
            }
          });

          it(`forced labels are right (${how})`, () => {
            const random = new Random(7);
            for (let i = 0; i < 150; i += 1) {
              const [length, labels] = [1 + random.below(5), 2 + random.below(3)];
              const small = () => random.normal();
              const drew = drawnScores(length, labels, !slots, small, small);
              const forbidding = [never, -1e4, -1e30][random.below(3)]!;
              const emissions = drew.emissions.map(row => {
                const forced = random.below(2) === 0 ? random.below(labels) : -1;
                return row.map((score, y) => (forced < 0 || y === forced ? score : forbidding));
              });
              const scores = { emissions, transitions: drew.transitions };
              expect(differenceFromOracle(kernel, scores, slots, space)).toBeLessThanOrEqual(
                tolerance,
              );
            }
          });

          it(`forbidden transitions are right (${how})`, () => {
            const random = new Random(8);
            for (let i = 0; i < 150; i += 1) {
              const [length, labels] = [2 + random.below(4), 2 + random.below(3)];
              const small = () => random.normal();
              // Label 0 may always follow itself, so that some sequence is left.
              const drew = drawnScores(length, labels, !slots, small, small);
              const forbidding = [never, -1e4, -1e30][random.below(3)]!;
              const forbid = Array.from({ length: labels * labels }, () => random.below(2) === 0);
              const transitions = drew.transitions.map(matrix =>
                matrix.map((row, from) =>
                  row.map((score, to) =>
                    from + to > 0 && forbid[from * labels + to] ? forbidding : score,
                  ),
                ),
              );
              const scores = { emissions: drew.emissions, transitions };
              expect(differenceFromOracle(kernel, scores, slots, space)).toBeLessThanOrEqual(
                tolerance,
              );
            }
          });
        }
      }

      it('puts all mass on forced labels', { tags: 'slow' }, () => {
        const forced = [2, 0, 1, 1];
        const lattice = givenScores(
          kernel,
          {
            emissions: forced.map(label => [0, 1, 2].map(y => (y === label ? 0.5 * y : never))),
            transitions: forced.map(() => [
              [0.1, 0.2, 0.3],
              [0.4, 0.5, 0.6],
              [0.7, 0.8, 0.9],
            ]),
          },
          false,
        );
        const labels = new Int32Array(4);
        // Emissions 1 + 0 + 0.5 + 0.5, transitions 2 -> 0, 0 -> 1, 1 -> 1.
        const score = 2 + 0.7 + 0.2 + 0.5;
        expect(difference([kernel.viterbi(lattice, 0, labels)], [score])).toBeLessThan(rounding);
        expect(Array.from(labels)).toEqual(forced);
        expect(difference([forwardBackward(kernel, lattice, 0)], [score])).toBeLessThan(rounding);
        const ones = forced.map(label => [0, 1, 2].map(y => (y === label ? 1 : 0)));
        expect(difference(new LatticeReader(lattice, 0).nodes().flat(), ones.flat())).toBeLessThan(
          tolerance,
        );
      });

      it('has log Z of minus infinity where no label sequence is left', { tags: 'slow' }, () => {
        const scores = {
          emissions: [
            [0, 0],
            [never, never],
            [0, 0],
          ],
          transitions: [0, 1, 2].map(() => [
            [0, 0],
            [0, 0],
          ]),
        };
        const lattice = givenScores(kernel, scores, false);
        expect(kernel.viterbi(lattice, 0, new Int32Array(3))).toBe(never);
        expect(forwardBackward(kernel, lattice, 0)).toBe(never);
      });
    },
  );
}
