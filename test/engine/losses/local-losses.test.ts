import { describe, expect, it } from 'vitest';
import type { EncodedSentence } from '../../../src/engine/core/minibatch/encoded-sentence.js';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import { contributionOf } from '../../../src/engine/losses/contribution-of.js';
import { hingeLoss } from '../../../src/engine/losses/hinge-loss.js';
import { localLogLoss } from '../../../src/engine/losses/local-log-loss.js';
import { fitsScorer, losses } from '../../../src/engine/losses/losses.js';
import { perceptronLoss } from '../../../src/engine/losses/perceptron-loss.js';
import { BoundedExponential } from '../../../src/engine/losses/residuals/bounded-exponential.js';
import { difference } from '../../contracts/oracle/differences/difference.js';
import { float64Copy } from '../../contracts/oracle/kernels/float64-copy.js';
import { KernelPlace } from '../../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { parameterPlaces } from '../../contracts/oracle/kernels/parameter-places.js';
import { lossValues } from '../../contracts/oracle/loss-values.js';
import { partialSentence } from '../../contracts/oracle/problems/partial-sentence.js';
import {
  type Problem,
  type ProblemShape,
  randomProblem,
} from '../../contracts/oracle/problems/problem.js';
import { linearScoresOf } from '../../contracts/oracle/scores-of.js';
import { everyNth } from '../../house/long-forms.js';
import { centralDifference } from './central-difference.js';

const fitting = losses.filter(loss => fitsScorer(loss, 'memm'));

/** A random problem of a locally normalised model, some of whose sentences are labelled in part. */
function problemOf(
  random: Random,
  place: KernelPlace,
  shape: Partial<ProblemShape>,
  partial: boolean,
): Problem {
  const fixed = { scorer: 'memm', labelled: true, ...shape } as const;
  const problem = randomProblem(random, fixed, place);
  const sentences = problem.batch.sentences.map((sentence): EncodedSentence => {
    const some = partial && random.below(2) === 0;
    const labelled = some ? partialSentence(random, sentence, problem.store.labels) : sentence;
    return random.below(3) === 0 ? { ...labelled, weight: 0.3 + random.below(3) } : labelled;
  });
  return { ...problem, batch: packMinibatch(sentences) };
}

describe('the bound of an exponential loss', () => {
  it.each([1e-9, 10, 300])('may be %d', bound => {
    expect(new BoundedExponential(bound).loss(bound)).toBe(Math.expm1(bound));
    expect(new BoundedExponential(bound).loss(2 * bound)).toBe(
      Math.expm1(bound) + Math.exp(bound) * bound,
    );
  });

  it.each([0, -1, 300.1, Number.NaN])('is refused: %d', bound => {
    expect(() => new BoundedExponential(bound)).toThrow(`${bound} is not a valid bound`);
  });
});

describe.each(kernelRows)('a locally normalised model with the $name kernel', row => {
  const { kernel, tolerance } = row;

  it.each(fitting)('has the $name loss of the enumeration', loss => {
    const random = new Random(500);
    const place = new KernelPlace(kernel);
    const lattice = place.lattice();
    let beyond = 0;
    for (let i = 0; i < 20; i += 1) {
      const { store, batch } = problemOf(random, place, {}, i % 2 === 0);
      const { losses: found } = contributionOf(kernel, store, lattice, batch, loss);
      for (const [s, sentence] of batch.sentences.entries()) {
        const expected = (sentence.weight ?? 1) * lossValues(store, sentence)[loss.name]!.loss;
        expect(difference([found[s]!], [expected])).toBeLessThanOrEqual(tolerance);
        if (expected > 1) beyond += 1;
      }
    }
    expect(beyond).toBeGreaterThan(10);
  });

  describe.each(fitting)('the $name loss', loss => {
    for (const { rows, tags } of everyNth<[string, Partial<ProblemShape>, boolean]>(2, [
      ['of every kind', {}, false],
      ['labelled in part', {}, true],
      ['with edge features', { edgeFeatures: 2, labels: 3, longest: 4 }, true],
      [
        'with plain transitions only',
        { edgeFeatures: 0, transitions: true, support: 'all' },
        false,
      ],
      ['of one token', { longest: 1, labels: 3, sentences: 4 }, true],
    ])) {
      it.each(rows)(
        'has the gradient of central differences: %s',
        { tags },
        (_, shape, partial) => {
          const random = new Random(501);
          const place = new KernelPlace(kernel);
          const lattice = place.lattice();
          let steep = 0;
          for (let i = 0; i < 4; i += 1) {
            const { store, batch } = problemOf(random, place, { stateRows: 6, ...shape }, partial);
            const contribution = contributionOf(kernel, store, lattice, batch, loss);
            const copy = float64Copy(store);
            const places = parameterPlaces(store).filter(({ supported }) => supported);
            for (const [s, sentence] of batch.sentences.entries()) {
              const plane = store.addPlane();
              kernel.accumulate(store, plane, contribution, s, 1);
              const times = sentence.weight ?? 1;
              const scale = Math.max(1, times * lossValues(store, sentence)[loss.name]!.weight);
              for (let j = 0; j < 6 && places.length > 0; j += 1) {
                const { table, at } = places[random.below(places.length)]!;
                const value = () => times * lossValues(copy, sentence)[loss.name]!.loss;
                const slope = centralDifference(copy.weights[table].view, at, copy.scale, value);
                const apart = difference([plane[table].view[at]! / scale], [slope / scale]);
                expect(apart).toBeLessThanOrEqual(Math.max(1e-6, tolerance));
                if (Math.abs(slope) / scale > 0.01) steep += 1;
              }
            }
          }
          expect(steep).toBeGreaterThan(2);
        },
      );
    }
  });

  it('has the residuals of the local distributions after the gold labels', () => {
    const random = new Random(502);
    const place = new KernelPlace(kernel);
    const lattice = place.lattice();
    for (let i = 0; i < 15; i += 1) {
      const { store, batch } = problemOf(random, place, { edgeFeatures: i % 3 }, false);
      const sentences = batch.sentences.map(({ weight: _, ...sentence }) => sentence);
      const made = contributionOf(kernel, store, lattice, packMinibatch(sentences), localLogLoss);
      for (const [s, sentence] of sentences.entries()) {
        const gold = sentence.gold!;
        const { emissions, transitions } = linearScoresOf(store, sentence);
        const first = made.minibatch.sentenceStarts[s]!;
        for (let t = 0; t < gold.length; t += 1) {
          const exps = emissions[t]!.map((score, y) =>
            Math.exp(score + (t === 0 ? 0 : transitions[t]![gold[t - 1]!]![y]!)),
          );
          const sum = exps.reduce((all, each) => all + each, 0);
          const expected = exps.map((each, y) => each / sum - (y === gold[t] ? 1 : 0));
          const at = (first + t) * made.width;
          const found = made.residual.subarray(at, at + store.labels);
          expect(difference(found, expected)).toBeLessThan(tolerance);
        }
      }
    }
  });
});

describe('losses and scorers', () => {
  const [{ kernel }] = kernelRows as [(typeof kernelRows)[number]];
  const contributeTo = (scorer: 'linear' | 'memm', loss: (typeof losses)[number]) => () => {
    const { store, batch } = randomProblem(new Random(1), { scorer, labelled: true });
    return contributionOf(kernel, store, new KernelPlace(kernel).lattice(), batch, loss);
  };

  it.each([hingeLoss, perceptronLoss])(
    'refuse each other where the scores are not linear: $name',
    loss => {
      expect(contributeTo('memm', loss)).toThrow(
        expect.objectContaining({
          code: 'config',
          problem: `the loss ${loss.name} cannot be combined with the scorer memm`,
          fix: expect.stringMatching(/log, local-log, .* or the scorer linear/),
        }),
      );
    },
  );

  it('refuse a local loss where the scores are not normalised', () => {
    expect(contributeTo('linear', localLogLoss)).toThrow(
      expect.objectContaining({
        code: 'config',
        fix: expect.stringMatching(/log, .* or the scorer memm/),
      }),
    );
  });
});
