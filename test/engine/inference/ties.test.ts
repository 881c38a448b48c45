import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { posteriorDecode } from '../../../src/engine/inference/posterior-decode.js';
import { Enumeration } from '../../contracts/oracle/enumeration.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { givenScores } from '../../contracts/oracle/problems/given-scores.js';

describe.each(kernelRows)('equally good labels in the $name kernel', ({ kernel }) => {
  for (const slots of [false, true]) {
    const how = slots ? 'a matrix for each token' : 'one matrix';

    it(`are decided for the lower label, at the last token first (${how})`, () => {
      const random = new Random(90);
      let tied = 0;
      for (let i = 0; i < 300; i += 1) {
        const [length, labels] = [1 + random.below(5), 1 + random.below(4)];
        // Whole numbers add up exactly, so that equal scores are equal.
        const whole = () => random.below(3) - 1;
        const matrix = () =>
          Array.from({ length: labels }, () => Array.from({ length: labels }, whole));
        const one = matrix();
        const scores = {
          emissions: Array.from({ length }, () => Array.from({ length: labels }, whole)),
          transitions: Array.from({ length }, () => (slots ? matrix() : one)),
        };
        const chain = new Enumeration(scores);
        if (chain.margin === 0) tied += 1;
        const best = new Int32Array(length);
        const lattice = givenScores(kernel, scores, slots);
        expect(kernel.viterbi(lattice, 0, best)).toBe(chain.bestScore);
        expect(Array.from(best)).toEqual(chain.best);
      }
      expect(tied).toBeGreaterThan(100);
    });
  }

  it('are decided for the lower label by posterior decoding', () => {
    const zeros = [0, 0, 0];
    const scores = {
      emissions: [zeros, zeros, zeros, zeros],
      transitions: [0, 1, 2, 3].map(() => [zeros, zeros, zeros]),
    };
    const lattice = givenScores(kernel, scores, false);
    const rows = [
      [0.25, 0.5, 0.25, 0],
      [0.25, 0.375, 0.375, 0],
      [0, 0, 1, 0],
      [0.375, 0.25, 0.375, 0],
    ];
    lattice.nodes.view.set(rows.flat());
    const best = new Int32Array(4);
    posteriorDecode(lattice, 0, best);
    expect(Array.from(best)).toEqual([1, 1, 2, 0]);
  });
});
