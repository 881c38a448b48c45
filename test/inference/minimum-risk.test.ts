import { describe, expect, it } from 'vitest';
import { Random } from '../../src/core/random.js';
import { forwardBackward } from '../../src/inference/forward-backward.js';
import { minimumRiskDecode } from '../../src/inference/posterior-decode.js';
import { Enumeration } from '../contracts/oracle/enumeration.js';
import { kernelRows } from '../contracts/oracle/kernels/kernels.js';
import { drawnScores } from '../contracts/oracle/problems/drawn-scores.js';
import { givenScores } from '../contracts/oracle/problems/given-scores.js';
import { roundedScores } from '../contracts/oracle/problems/rounded-scores.js';

describe.each(kernelRows)('minimum risk in the $name kernel', ({ kernel, tolerance }) => {
  it.each([false, true])('is the least of all allowed sequences, slots %s', slots => {
    const random = new Random(51);
    // Scores that are near each other, so that many forbidden sequences seem right token by token.
    const draw = () => random.normal() / 4;
    const drawTransition = () => (random.below(2) === 0 ? Number.NEGATIVE_INFINITY : draw());
    const drawEmission = () => (random.below(8) === 0 ? Number.NEGATIVE_INFINITY : draw());
    let forbidden = 0;
    for (let i = 0; i < 300; i += 1) {
      const length = 1 + random.below(4);
      const drawn = drawnScores(length, 3 + random.below(3), !slots, drawEmission, drawTransition);
      const scores = roundedScores(drawn, kernel.precision);
      const chain = new Enumeration(scores);
      if (chain.ranked.length === 0) continue;
      const lattice = givenScores(kernel, scores, slots);
      forwardBackward(kernel, lattice, 0, 'log');
      const best = new Int32Array(length);
      minimumRiskDecode(lattice, 0, best);
      const text = JSON.stringify({ drawn, best: Array.from(best) });
      expect(chain.pathScore(best), text).toBeGreaterThan(Number.NEGATIVE_INFINITY);
      const lost = chain.leastRisk() - chain.expectedRight(best);
      expect(lost, text).toBeLessThan(length * tolerance);
      // The best label of each token by itself would have to be no answer.
      if (chain.pathScore(chain.posterior()) === Number.NEGATIVE_INFINITY) forbidden += 1;
    }
    expect(forbidden).toBeGreaterThan(15);
  });
});
