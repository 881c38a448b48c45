import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { contributionOf } from '../../../src/engine/losses/contribution-of.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import { difference } from '../../contracts/oracle/differences/difference.js';
import { Enumeration } from '../../contracts/oracle/enumeration.js';
import { float64Copy } from '../../contracts/oracle/kernels/float64-copy.js';
import { KernelPlace } from '../../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { parameterPlaces } from '../../contracts/oracle/kernels/parameter-places.js';
import {
  type Problem,
  type ProblemShape,
  randomProblem,
} from '../../contracts/oracle/problems/problem.js';
import { scoresOf } from '../../contracts/oracle/scores-of.js';
import { everyNth } from '../../house/long-forms.js';

const full = process.env.TAGSTREAM_FULL === '1';
const times = full ? 10 : 1;
/** Problems whose losses are compared. */
const valued = full ? 10_000 : 200;
const step = 1e-5;
const families: [string, number, Partial<ProblemShape>][] = [
  ['of every kind', 40, {}],
  ['with edge features', 12, { edgeFeatures: 2, support: 'all', labels: 3, longest: 4 }],
  ['with pairs of edge features', 15, { edgeFeatures: 3, support: 'observed', labels: 3 }],
  ['without plain transitions', 15, { transitions: false, labels: 2 }],
  ['of one token', 10, { longest: 1 }],
  ['of one label', 10, { labels: 1 }],
  ['without any state feature', 10, { stateRows: 0 }],
];

/** The problem at the same weights in float64, in which a weight can be changed by as little as `step`. */
function differentiable({ store, ...rest }: Problem): Problem {
  return { ...rest, store: float64Copy(store) };
}

/** The log loss of sentence `s` at the present weights, by enumeration. */
function lossOf({ store, batch }: Problem, s: number): number {
  const sentence = batch.sentences[s]!;
  return new Enumeration(scoresOf(store, sentence)).logLoss(sentence.gold!);
}

/** d loss / d weight for each place by central differences; 0 where no parameter is. */
function differentiated(problem: Problem, s: number): number[] {
  const { store } = problem;
  return parameterPlaces(store).map(({ table, at, supported }) => {
    if (!supported) return 0;
    const stored = store.weights[table].view[at]!;
    const lossAt = (weight: number) => {
      store.weights[table].view[at] = weight / store.scale;
      return lossOf(problem, s);
    };
    const weight = store.scale * stored;
    const slope = (lossAt(weight + step) - lossAt(weight - step)) / (2 * step);
    store.weights[table].view[at] = stored;
    return slope;
  });
}

describe.each(kernelRows)('log loss with the $name kernel', ({ kernel, tolerance, rounding }) => {
  for (const { rows, tags } of everyNth(15, families)) {
    it.each(rows)(
      'has the gradient of the enumeration for every parameter: %s',
      { tags },
      (_, n, shape) => {
        const random = new Random(20);
        const place = new KernelPlace(kernel);
        const lattice = place.lattice();
        let checked = 0;
        for (let i = 0; i < times * n; i += 1) {
          const problem = randomProblem(random, shape, place);
          const { store, batch } = problem;
          const contribution = contributionOf(kernel, store, lattice, batch, logLoss);
          const oracle = differentiable(problem);
          for (let s = 0; s < batch.sentences.length; s += 1) {
            if (batch.labelled[s] === 0) continue;
            const plane = store.addPlane();
            kernel.accumulate(store, plane, contribution, s, 1);
            const found = parameterPlaces(store).map(({ table, at }) => plane[table].view[at]!);
            const allowed = Math.max(1e-6, tolerance);
            expect(difference(found, differentiated(oracle, s))).toBeLessThanOrEqual(allowed);
            for (const [place, { supported }] of parameterPlaces(store).entries()) {
              if (!supported) expect(found[place]).toBe(0);
            }
            checked += 1;
          }
        }
        expect(checked).toBeGreaterThan((times * n) / 2);
      },
    );
  }

  it('has the loss of the enumeration', { tags: 'slow' }, () => {
    const random = new Random(21);
    const place = new KernelPlace(kernel);
    const lattice = place.lattice();
    for (let i = 0; i < valued; i += 1) {
      const problem = randomProblem(random, {}, place);
      const { store, batch } = problem;
      const contribution = contributionOf(kernel, store, lattice, batch, logLoss);
      const losses = batch.sentences.map((_, s) => (batch.labelled[s] ? lossOf(problem, s) : 0));
      expect(difference(contribution.losses, losses)).toBeLessThanOrEqual(tolerance);
      const total = losses.reduce((sum, loss) => sum + loss, 0);
      expect(difference([contribution.loss], [total])).toBeLessThanOrEqual(tolerance);
    }
  });

  it('accumulates a multiple on top of what is there', () => {
    const place = new KernelPlace(kernel);
    const shape = {
      labelled: true,
      sentences: 1,
      stateRows: 4,
      edgeFeatures: 2,
      labels: 3,
      labelCapacity: 3,
      support: 'all',
    } as const;
    const { store, batch } = randomProblem(new Random(22), shape, place);
    const contribution = contributionOf(kernel, store, place.lattice(), batch, logLoss);
    const once = store.addPlane();
    kernel.accumulate(store, once, contribution, 0, 1);
    const twice = store.addPlane();
    kernel.accumulate(store, twice, contribution, 0, 1);
    kernel.accumulate(store, twice, contribution, 0, -0.25);
    for (const table of ['state', 'edges', 'pairs'] as const) {
      const expected = once[table].view.map(g => 0.75 * g);
      expect(difference(twice[table].view, expected)).toBeLessThan(rounding);
    }
    expect(
      difference(
        twice.state.view,
        once.state.view.map(g => 0.75 * g),
      ),
    ).toBeLessThan(rounding);
    expect(Math.max(...once.state.view)).toBeGreaterThan(0.01);
    expect(Math.max(...once.edges.view)).toBeGreaterThan(0.01);
  });
});
