import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { forwardBackward } from '../../../src/engine/inference/forward-backward.js';
import { difference } from '../../contracts/oracle/differences/difference.js';
import { marginalDifference } from '../../contracts/oracle/differences/marginal-difference.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { LatticeReader } from '../../contracts/oracle/kernels/lattice-reader.js';
import { logRecursion } from '../../contracts/oracle/log-recursion.js';
import { givenScores } from '../../contracts/oracle/problems/given-scores.js';
import { roundedScores } from '../../contracts/oracle/problems/rounded-scores.js';

const length = 2000;

describe.each(kernelRows)('sentences of 2000 tokens in the $name kernel', ({ kernel }) => {
  const tolerance = kernel.precision === 'float64' ? 1e-9 : 1e-4;

  for (const slots of [false, true]) {
    const how = slots ? 'a matrix for each token' : 'one matrix';

    it(`come out the same scaled and in log space (${how})`, () => {
      const random = new Random(10);
      const labels = 5;
      const matrix = () =>
        Array.from({ length: labels }, () => Array.from({ length: labels }, () => random.normal()));
      const one = matrix();
      const unrounded = {
        emissions: Array.from({ length }, () =>
          Array.from({ length: labels }, () => 3 * random.normal()),
        ),
        transitions: Array.from({ length }, () => (slots ? matrix() : one)),
      };
      const scores = roundedScores(unrounded, kernel.precision);
      const lattice = givenScores(kernel, scores, slots);
      const chain = logRecursion(scores);
      kernel.exponentiate(lattice);
      const scaled = kernel.forwardBackwardScaled(lattice, 0);
      expect(marginalDifference(lattice, 0, scaled, chain)).toBeLessThan(tolerance);
      const read = new LatticeReader(lattice, 0);
      const ofScaled = [scaled, ...read.nodes().flat(), ...read.summedEdges().flat()];
      const logZ = forwardBackward(kernel, lattice, 0, 'log');
      expect(marginalDifference(lattice, 0, logZ, chain)).toBeLessThan(tolerance);
      const ofLog = [logZ, ...read.nodes().flat(), ...read.summedEdges().flat()];
      expect(difference(ofScaled, ofLog)).toBeLessThan(tolerance);
      const best = kernel.viterbi(lattice, 0, new Int32Array(length));
      expect(difference([best], [chain.bestScore])).toBeLessThan(tolerance / 100);
    });
  }
});
