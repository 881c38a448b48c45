import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { kernelRows } from '../../../contracts/oracle/kernels/kernels.js';
import { givenScores } from '../../../contracts/oracle/problems/given-scores.js';
import { roundedScores } from '../../../contracts/oracle/problems/rounded-scores.js';

const never = Number.NEGATIVE_INFINITY;

describe.each(kernelRows)('exponentials of the $name kernel', ({ kernel }) => {
  const wide = kernel.precision === 'float64';
  // Below these exp is 0, or what is left of it is not used.
  const [least, relative] = wide ? [-700, 4e-16] : [-87, 3e-7];

  for (const labels of [1, 2, 4, 5, 11]) {
    it(`are those of each score less its row's or matrix's largest (${labels} labels)`, () => {
      const random = new Random(50);
      for (let i = 0; i < 100; i += 1) {
        const far = [1, 20, 100, 800, 3000][random.below(5)]!;
        const draw = () => (random.below(20) === 0 ? never : far * (2 * random.uniform() - 1));
        const row = () => Array.from({ length: labels }, draw).with(random.below(labels), far);
        const matrix = () => Array.from({ length: labels }, row);
        const scores = roundedScores(
          { emissions: [row(), row(), row()], transitions: [matrix(), matrix(), matrix()] },
          kernel.precision,
        );
        const lattice = givenScores(kernel, scores, true);
        lattice.transitionScores.view.set(lattice.edgeScores.view.subarray(0, lattice.matrixSize));
        kernel.exponentiate(lattice);
        const { width, matrixSize } = lattice;
        /** What is wrong with a row of exponentials; nothing, it is to be hoped. */
        const wrongIn = (found: ArrayLike<number>, given: readonly number[], top: number) => {
          const wrong: unknown[] = [];
          for (let y = 0; y < width; y += 1) {
            const none = y >= labels || given[y] === never;
            const expected = none ? 0 : Math.exp(given[y]! - top);
            // A difference of float32 scores is rounded once before exp is taken of it.
            const rounded = wide ? 0 : Math.abs(given[y]! - top) * 2 ** -23;
            const small = !none && given[y]! - top < least;
            const allowed = small ? Math.exp(least) : none ? 0 : (relative + rounded) * expected;
            const within = Math.abs(found[y]! - expected) <= allowed;
            if (!within) wrong.push({ score: given[y], top, found: found[y], expected });
          }
          return wrong;
        };
        for (const [t, given] of scores.emissions.entries()) {
          const top = Math.max(...given);
          expect(lattice.emissionMaxima.view[t]).toBe(top);
          const exps = lattice.expEmissions.view.subarray(t * width);
          expect(wrongIn(exps, given, top)).toEqual([]);
          expect(exps[given.indexOf(top)]).toBe(1);
        }
        for (const slot of [0, 1]) {
          const given = scores.transitions[slot + 1]!;
          const top = Math.max(...given.flat());
          expect(lattice.edgeMaxima.view[slot]).toBe(top);
          for (let from = 0; from < labels; from += 1) {
            const exps = lattice.expEdges.view.subarray(slot * matrixSize + from * width);
            expect(wrongIn(exps, given[from]!, top)).toEqual([]);
          }
        }
        expect(lattice.transitionMaximum).toBe(Math.max(...scores.transitions[1]!.flat()));
        for (let from = 0; from < labels; from += 1) {
          const exps = lattice.expTransitions.view.subarray(from * width);
          const given = scores.transitions[1]![from]!;
          expect(wrongIn(exps, given, lattice.transitionMaximum)).toEqual([]);
        }
      }
    });
  }
});
