import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { scoreBatch } from '../../../../src/engine/inference/score-batch.js';
import { difference } from '../../../contracts/oracle/differences/difference.js';
import { KernelPlace } from '../../../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../../../contracts/oracle/kernels/kernels.js';
import { LatticeReader } from '../../../contracts/oracle/kernels/lattice-reader.js';
import { randomProblem } from '../../../contracts/oracle/problems/problem.js';

describe.each(kernelRows)('scores of the $name kernel', ({ kernel, tolerance }) => {
  it('are the sums of the weights of the active features', () => {
    const random = new Random(4);
    const place = new KernelPlace(kernel);
    const lattice = place.lattice();
    let slots = 0;
    for (let i = 0; i < 300; i += 1) {
      const { store, batch, scores } = randomProblem(random, {}, place);
      scoreBatch(kernel, store, lattice, batch);
      slots += lattice.slots;
      for (const [s, chain] of scores.entries()) {
        const read = new LatticeReader(lattice, s);
        const emissions = read.emissions().flat();
        expect(difference(emissions, chain.emissions.flat())).toBeLessThanOrEqual(tolerance);
        for (let t = 1; t < read.length; t += 1) {
          const found = read.transitionsInto(t).flat();
          expect(difference(found, chain.transitions[t]!.flat())).toBeLessThanOrEqual(tolerance);
        }
      }
    }
    expect(slots).toBeGreaterThan(300);
  });

  it('does not change the parameters', () => {
    const place = new KernelPlace(kernel);
    const shape = { edgeFeatures: 2, stateRows: 5 };
    const { store, batch } = randomProblem(new Random(5), shape, place);
    const before = [store.weights.state.view.slice(), store.weights.edges.view.slice()];
    scoreBatch(kernel, store, place.lattice(), batch);
    expect([store.weights.state.view, store.weights.edges.view]).toEqual(before);
    expect(store.version).toBe(0);
  });
});
