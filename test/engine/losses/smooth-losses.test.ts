import { describe, expect, it } from 'vitest';
import type { EncodedSentence } from '../../../src/engine/core/minibatch/encoded-sentence.js';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import { scoreBatch } from '../../../src/engine/inference/score-batch.js';
import type { Kernel } from '../../../src/engine/kernels/kernel.js';
import type { ParameterStore } from '../../../src/engine/kernels/store/parameter-store.js';
import { contributionOf } from '../../../src/engine/losses/contribution-of.js';
import { ExponentialLoss, exponentialLoss } from '../../../src/engine/losses/exponential-loss.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import type { Loss } from '../../../src/engine/losses/loss.js';
import {
  PointwiseExponentialLoss,
  pointwiseExponentialLoss,
} from '../../../src/engine/losses/pointwise/pointwise-exponential-loss.js';
import { pointwiseLogLoss } from '../../../src/engine/losses/pointwise/pointwise-log-loss.js';
import { softmaxMarginLoss } from '../../../src/engine/losses/softmax-margin.js';
import { difference } from '../../contracts/oracle/differences/difference.js';
import { float64Copy } from '../../contracts/oracle/kernels/float64-copy.js';
import { KernelPlace } from '../../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { LatticeReader } from '../../contracts/oracle/kernels/lattice-reader.js';
import { parameterPlaces } from '../../contracts/oracle/kernels/parameter-places.js';
import { type LossValue, lossValues } from '../../contracts/oracle/loss-values.js';
import { partialSentence } from '../../contracts/oracle/problems/partial-sentence.js';
import {
  type Problem,
  type ProblemShape,
  randomProblem,
} from '../../contracts/oracle/problems/problem.js';
import { everyNth } from '../../house/long-forms.js';
import { centralDifference } from './central-difference.js';

const full = process.env.TAGSTREAM_FULL === '1';
const times = full ? 10 : 1;
/** Problems whose losses are compared. */
const valued = full ? 10_000 : 50;
const losses: readonly Loss[] = [
  exponentialLoss,
  pointwiseLogLoss,
  pointwiseExponentialLoss,
  softmaxMarginLoss,
  new ExponentialLoss({ bound: 40 }),
  new PointwiseExponentialLoss({ bound: 2 }),
];

/** A loss by enumeration, with its own bound if it has one. */
function enumerated(loss: Loss, store: ParameterStore, sentence: EncodedSentence): LossValue {
  const { bound } = loss as { readonly bound?: number };
  return lossValues(store, sentence, undefined, bound)[loss.name]!;
}

/** A random problem, half of whose sentences are labelled in part where `partial`, some with weights. */
function problemOf(
  random: Random,
  place: KernelPlace,
  shape: Partial<ProblemShape> = {},
  partial = true,
): Problem {
  const problem = randomProblem(random, { labelled: true, ...shape }, place);
  const sentences = problem.batch.sentences.map((sentence): EncodedSentence => {
    const some = partial && random.below(2) === 0;
    const labelled = some ? partialSentence(random, sentence, problem.store.labels) : sentence;
    return random.below(3) === 0 ? { ...labelled, weight: 0.3 + random.below(3) } : labelled;
  });
  return { ...problem, batch: packMinibatch(sentences) };
}

/** The kernel with log space only. */
function inLogs(kernel: Kernel): Kernel {
  return new Proxy(kernel, {
    get(target, key) {
      if (key === 'forwardBackwardScaled') return () => Number.NaN;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

describe.each(kernelRows)('with the $name kernel', row => {
  const { kernel, tolerance } = row;

  for (const { rows, tags } of everyNth(2, losses)) {
    describe.each(rows)('the $name loss, bound $bound', { tags }, loss => {
      it('has the value of the enumeration', () => {
        const random = new Random(400);
        const place = new KernelPlace(kernel);
        const lattice = place.lattice();
        let beyond = 0;
        for (let i = 0; i < valued; i += 1) {
          const { store, batch } = problemOf(random, place);
          const used = i % 4 === 0 ? inLogs(kernel) : kernel;
          const { losses: found } = contributionOf(used, store, lattice, batch, loss);
          for (const [s, sentence] of batch.sentences.entries()) {
            const expected = (sentence.weight ?? 1) * enumerated(loss, store, sentence).loss;
            expect(difference([found[s]!], [expected])).toBeLessThanOrEqual(tolerance);
            if (expected > 1) beyond += 1;
          }
        }
        expect(beyond).toBeGreaterThan(valued / 2);
      });

      for (const { rows, tags } of everyNth<[string, Partial<ProblemShape>]>(2, [
        ['of every kind', {}],
        ['with edge features', { edgeFeatures: 2, labels: 3, longest: 4 }],
        ['with plain transitions only', { edgeFeatures: 0, transitions: true, support: 'all' }],
      ])) {
        it.each(rows)('has the gradient of central differences: %s', { tags }, (_, shape) => {
          const random = new Random(401);
          const place = new KernelPlace(kernel);
          const lattice = place.lattice();
          let steep = 0;
          for (let i = 0; i < 10 * times; i += 1) {
            const { store, batch } = problemOf(random, place, shape);
            const contribution = contributionOf(kernel, store, lattice, batch, loss);
            const copy = float64Copy(store);
            const places = parameterPlaces(store).filter(({ supported }) => supported);
            for (const [s, sentence] of batch.sentences.entries()) {
              const plane = store.addPlane();
              kernel.accumulate(store, plane, contribution, s, 1);
              const weight = (sentence.weight ?? 1) * enumerated(loss, store, sentence).weight;
              for (let j = 0; j < 6 && places.length > 0; j += 1) {
                const { table, at } = places[random.below(places.length)]!;
                const view = copy.weights[table].view;
                const slope = centralDifference(
                  view,
                  at,
                  copy.scale,
                  () => (sentence.weight ?? 1) * enumerated(loss, copy, sentence).loss,
                );
                const scale = Math.max(1, weight);
                const apart = difference([plane[table].view[at]! / scale], [slope / scale]);
                expect(apart).toBeLessThanOrEqual(Math.max(1e-6, tolerance));
                if (Math.abs(slope) / scale > 0.01) steep += 1;
              }
            }
          }
          expect(steep).toBeGreaterThan(10 * times);
        });
      }

      it('has the same residuals by scaled recursions and in log space', () => {
        const random = new Random(402);
        const place = new KernelPlace(kernel);
        for (let i = 0; i < 20 * times; i += 1) {
          const { store, batch } = problemOf(random, place);
          const scaled = place.lattice();
          const logs = place.lattice();
          contributionOf(kernel, store, scaled, batch, loss);
          contributionOf(inLogs(kernel), store, logs, batch, loss);
          for (const [s, sentence] of batch.sentences.entries()) {
            const weight = (sentence.weight ?? 1) * enumerated(loss, store, sentence).weight;
            const read = (lattice: typeof logs) => {
              const reader = new LatticeReader(lattice, s);
              const own = sentence.length > 1 ? (reader.edgesInto(1) ?? []).flat() : [];
              const all = [...reader.nodes().flat(), ...reader.summedEdges().flat(), ...own];
              return all.map(each => each / Math.max(1, weight));
            };
            expect(difference(read(scaled), read(logs))).toBeLessThanOrEqual(tolerance);
          }
        }
      });

      it('is right where scores are a thousand', () => {
        const random = new Random(403);
        const place = new KernelPlace(kernel);
        const lattice = place.lattice();
        const allowed = kernel.precision === 'float64' ? 1e-8 : 0.05;
        for (let i = 0; i < 20; i += 1) {
          const { store, batch } = problemOf(random, place, { spread: 1000 });
          const contribution = contributionOf(kernel, store, lattice, batch, loss);
          for (const [s, sentence] of batch.sentences.entries()) {
            const { loss: value, weight } = enumerated(loss, store, sentence);
            const scale = (sentence.weight ?? 1) * Math.max(1, weight);
            const expected = (sentence.weight ?? 1) * value;
            const apart = Math.abs(contribution.losses[s]! - expected) / scale;
            expect(apart).toBeLessThan(allowed);
          }
          expect(contribution.residual.every(Number.isFinite)).toBe(true);
        }
      });
    });
  }

  it.each([
    [pointwiseLogLoss, logLoss],
    [pointwiseExponentialLoss, exponentialLoss],
  ])('the $name loss of one token is that of the sequence', (pointwise, sequential) => {
    const random = new Random(404);
    const place = new KernelPlace(kernel);
    for (let i = 0; i < 60; i += 1) {
      const { store, batch } = problemOf(random, place, { longest: 1 });
      const tokens = contributionOf(kernel, store, place.lattice(), batch, pointwise);
      const sequences = contributionOf(kernel, store, place.lattice(), batch, sequential);
      expect(difference(tokens.losses, sequences.losses)).toBeLessThanOrEqual(tolerance);
      const numbers = batch.tokens * tokens.width;
      const scale = Math.max(1, ...sequences.losses);
      const residuals = (all: ArrayLike<number>) =>
        Array.from({ length: numbers }, (_, j) => all[j]! / scale);
      const apart = difference(residuals(tokens.residual), residuals(sequences.residual));
      expect(apart).toBeLessThanOrEqual(tolerance);
    }
  });

  it('the pointwise residuals of sixty tokens are those of sixty conditioned chains', () => {
    const random = new Random(405);
    const place = new KernelPlace(kernel);
    const shape = { labels: 4, stateRows: 7, edgeFeatures: 2, sentences: 1, labelled: true };
    const { store, batch } = randomProblem(random, { ...shape, longest: 60, spread: 1 }, place);
    const [one] = batch.sentences;
    const long = packMinibatch([repeated(one!, 60)]);
    const lattice = place.lattice();
    const contribution = contributionOf(kernel, store, lattice, long, pointwiseLogLoss);
    const read = new LatticeReader(lattice, 0);
    const found = [read.nodes().flat(), read.summedEdges().flat()];
    expect(contribution.loss).toBeGreaterThan(10);
    // Each token's label fixed in turn, all others summed out.
    const other = place.lattice();
    scoreBatch(kernel, store, other, long);
    kernel.forwardBackwardLog(other, 0);
    const free = [
      new LatticeReader(other, 0).nodes().flat(),
      new LatticeReader(other, 0).summedEdges().flat(),
    ];
    const expected = free.map(numbers => numbers.map(each => long.tokens * each));
    for (let t = 0; t < long.tokens; t += 1) {
      scoreBatch(kernel, store, other, long);
      for (let y = 0; y < 4; y += 1) {
        const at = t * other.width + y;
        if (y !== long.gold[t]) other.emissionScores.view[at] = Number.NEGATIVE_INFINITY;
      }
      kernel.forwardBackwardLog(other, 0);
      const fixed = new LatticeReader(other, 0);
      for (const [i, numbers] of [fixed.nodes().flat(), fixed.summedEdges().flat()].entries()) {
        for (const [j, each] of numbers.entries()) expected[i]![j]! -= each;
      }
    }
    const allowed = kernel.precision === 'float64' ? 1e-10 : 1e-3;
    expect(difference(found[0]!, expected[0]!)).toBeLessThan(allowed);
    expect(difference(found[1]!, expected[1]!)).toBeLessThan(allowed);
  });
});

/** A sentence over and over until it has `length` tokens. */
function repeated(sentence: EncodedSentence, length: number): EncodedSentence {
  const rows = (starts: Uint32Array, values: Uint32Array) => {
    const chosen: number[] = [];
    const ends = [0];
    for (let t = 0; t < length; t += 1) {
      const from = t % sentence.length;
      chosen.push(...values.subarray(starts[from]!, starts[from + 1]!));
      ends.push(chosen.length);
    }
    return { starts: Uint32Array.from(ends), rows: Uint32Array.from(chosen) };
  };
  const state = rows(sentence.stateStarts, sentence.stateRows);
  const edge =
    sentence.edgeStarts === undefined ? undefined : rows(sentence.edgeStarts, sentence.edgeRows!);
  return {
    sentence: sentence.sentence,
    length,
    stateStarts: state.starts,
    stateRows: state.rows,
    ...(edge === undefined ? {} : { edgeStarts: edge.starts, edgeRows: edge.rows }),
    gold: Int32Array.from({ length }, (_, t) => sentence.gold![t % sentence.length]!),
  };
}
