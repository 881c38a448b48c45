import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { Lattice } from '../../../../src/engine/kernels/lattice.js';
import { SimdKernel } from '../../../../src/engine/kernels/simd/simd-kernel.js';
import { contributionOf } from '../../../../src/engine/losses/contribution-of.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import type { Loss } from '../../../../src/engine/losses/loss.js';
import { pointwiseLogLoss } from '../../../../src/engine/losses/pointwise/pointwise-log-loss.js';
import { difference } from '../../../contracts/oracle/differences/difference.js';
import { KernelPlace } from '../../../contracts/oracle/kernels/kernel-place.js';
import {
  type LargeProblem,
  largeProblem,
} from '../../../contracts/oracle/problems/large-problem.js';

const lengths = [25, 24, 1, 2, 3, 25, 24, 108, 25, 24];
const shape = { labels: 50, lengths, bound: 2, edgeShare: 0 };

/** A problem of which about a share of the transitions may have a weight. */
function problem(kernel: SimdKernel, seed: number, share: number): LargeProblem {
  const random = new Random(seed);
  let found = largeProblem(random, shape, new KernelPlace(kernel));
  while (found.store.support === undefined) {
    found = largeProblem(random, shape, new KernelPlace(kernel));
  }
  const { support, weights } = found.store;
  const edges = weights.edges.view;
  for (let i = 0; i < found.store.matrixSize; i += 1) {
    if (random.uniform() < share) continue;
    support!.transitions[i] = 0;
    edges[i] = 0;
  }
  support!.changes += 1;
  return found;
}

/** The gradient of a loss over a batch, by one form of the recursions. */
function gradient(
  kernel: SimdKernel,
  { store, batch }: LargeProblem,
  lattice: Lattice,
  loss: Loss = logLoss,
): number[] {
  const plane = store.addPlane();
  const contribution = contributionOf(kernel, store, lattice, batch, loss);
  for (let s = 0; s < batch.sentences.length; s += 1) {
    kernel.accumulate(store, plane, contribution, s, 1);
  }
  return [contribution.loss, ...plane.state.view, ...plane.edges.view];
}

describe.each([
  { precision: 'float64', tolerance: 1e-12 },
  { precision: 'float32', tolerance: 1e-4 },
] as const)('lists of active transitions in $precision', ({ precision, tolerance }) => {
  const kernel = new SimdKernel(precision);
  const latticeOf = ({ store }: LargeProblem, form: Lattice['transitionForm']) => {
    const lattice = new Lattice(store.memory, precision);
    lattice.transitionForm = form;
    return lattice;
  };

  it.each([0.02, 0.05, 0.15, 0.9])('give the gradient where a share of %f is observed', share => {
    const given = problem(kernel, 3, share);
    const dense = gradient(kernel, given, latticeOf(given, 'dense'));
    for (const form of ['auto', 'sparse'] as const) {
      const found = gradient(kernel, given, latticeOf(given, form));
      expect(difference(found, dense)).toBeLessThanOrEqual(tolerance);
    }
  });

  it('leave the backward vectors for losses that read them', () => {
    const given = problem(kernel, 6, 0.05);
    const [dense, found] = (['dense', 'sparse'] as const).map(form =>
      gradient(kernel, given, latticeOf(given, form), pointwiseLogLoss),
    );
    expect(difference(found!, dense!)).toBeLessThanOrEqual(10 * tolerance);
  });

  it('leave nothing of what the sums of edges held before', () => {
    const given = problem(kernel, 7, 0.05);
    const lattice = latticeOf(given, 'sparse');
    const { matrixSize, width } = given.store;
    const sums = () => {
      contributionOf(kernel, given.store, lattice, given.batch, logLoss);
      const matrices = lattice.transitions.view.subarray(0, lengths.length * matrixSize);
      return matrices.filter((_, i) => i % matrixSize < shape.labels * width);
    };
    const found = sums();
    lattice.transitions.view.fill(7);
    expect(sums()).toEqual(found);
  });

  it('follow weights that change, and pairs that come to be observed', () => {
    const given = problem(kernel, 4, 0.05);
    const { store } = given;
    const kept = latticeOf(given, 'auto');
    gradient(kernel, given, kept);
    const before = gradient(kernel, given, kept);
    store.weights.edges.view[7 * store.width + 3] = 1.5;
    store.observeEdge(0, 7, 3);
    const after = gradient(kernel, given, kept);
    expect(difference(after, before)).toBeGreaterThan(1e-3);
    const dense = gradient(kernel, given, latticeOf(given, 'dense'));
    expect(difference(after, dense)).toBeLessThanOrEqual(tolerance);
  });

  it('give the same nodes where nobody reads the sums of edges', () => {
    const given = problem(kernel, 5, 0.05);
    const [without, with_] = [latticeOf(given, 'auto'), latticeOf(given, 'auto')];
    without.readsPairSums = false;
    for (const lattice of [without, with_]) {
      contributionOf(kernel, given.store, lattice, given.batch, logLoss);
    }
    expect(without.nodes.view).toEqual(with_.nodes.view);
  });
});
