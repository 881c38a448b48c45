import { describe, expect, it } from 'vitest';
import type { EncodedSentence } from '../../../../src/engine/core/minibatch/encoded-sentence.js';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import { contributionOf } from '../../../../src/engine/losses/contribution-of.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import { perceptronLoss } from '../../../../src/engine/losses/perceptron-loss.js';
import { Deviations } from '../../../contracts/oracle/differences/deviations.js';
import { Enumeration } from '../../../contracts/oracle/enumeration.js';
import { float64Copy } from '../../../contracts/oracle/kernels/float64-copy.js';
import { KernelPlace, placesFor } from '../../../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../../../contracts/oracle/kernels/kernels.js';
import { LatticeReader } from '../../../contracts/oracle/kernels/lattice-reader.js';
import { parameterPlaces } from '../../../contracts/oracle/kernels/parameter-places.js';
import {
  allowedScores,
  partialSentence,
} from '../../../contracts/oracle/problems/partial-sentence.js';
import {
  type Problem,
  type ProblemShape,
  randomProblem,
} from '../../../contracts/oracle/problems/problem.js';
import { scoresOf } from '../../../contracts/oracle/scores-of.js';
import { centralDifference } from '../central-difference.js';

const full = process.env.TAGSTREAM_FULL === '1';
const problems = full ? 10_000 : 60;
/** Parameters of a sentence that are differentiated. */
const slopes = full ? 6 : 3;
const weights = [undefined, 1, 2, 0.3, 0];

/** A random problem whose sentences are labelled in part, each with a weight or none. */
function partialProblem(
  random: Random,
  place: KernelPlace,
  shape: Partial<ProblemShape> = {},
): Problem {
  const problem = randomProblem(random, { labelled: true, ...shape }, place);
  const sentences = problem.batch.sentences.map((sentence): EncodedSentence => {
    const weight = weights[random.below(weights.length)];
    const given = random.below(5) === 0;
    const partial = given ? sentence : partialSentence(random, sentence, problem.store.labels);
    return { ...partial, ...(weight === undefined ? {} : { weight }) };
  });
  return { ...problem, batch: packMinibatch(sentences) };
}

/** By enumeration: all label sequences, and those that are allowed. */
function enumerated({ store }: Pick<Problem, 'store'>, sentence: EncodedSentence) {
  const scores = scoresOf(store, sentence);
  const starts = Uint32Array.from({ length: sentence.length + 1 }, (_, t) => t);
  const given = { starts, labels: Uint32Array.from(sentence.gold ?? []) };
  const among = allowedScores(scores, sentence.allowed ?? given);
  return { all: new Enumeration(scores), among: new Enumeration(among) };
}

function logLossOf(problem: Pick<Problem, 'store'>, sentence: EncodedSentence): number {
  const { all, among } = enumerated(problem, sentence);
  return (sentence.weight ?? 1) * (all.logZ - among.logZ);
}

describe.each(kernelRows)('sentences labelled in part, $name kernel', row => {
  const { kernel, tolerance } = row;

  it(`have the log loss and the marginals of the enumeration: ${problems} problems`, () => {
    const random = new Random(300);
    const found = new Deviations();
    for (const { place, lattice, i } of placesFor(kernel, problems)) {
      const { store, batch } = partialProblem(random, place);
      const contribution = contributionOf(kernel, store, lattice, batch, logLoss, i % 2 === 0);
      for (const [s, sentence] of batch.sentences.entries()) {
        const { all, among } = enumerated({ store }, sentence);
        const { weight = 1 } = sentence;
        const less = (a: number[], b: number[]) => a.map((each, j) => weight * (each - b[j]!));
        found.note('loss', [contribution.losses[s]!], [weight * (all.logZ - among.logZ)]);
        const read = new LatticeReader(lattice, s);
        found.note('nodes', read.nodes().flat(), less(all.nodes.flat(), among.nodes.flat()));
        const edges = less(all.edges.flat(2), among.edges.flat(2));
        const { labels } = store;
        const sums = new Array<number>(labels * labels).fill(0);
        for (const [j, edge] of edges.entries()) sums[j % sums.length]! += edge;
        found.note('transitions', read.summedEdges().flat(), sums);
        for (let t = 1; t < sentence.length; t += 1) {
          const own = read.edgesInto(t);
          const from = (t - 1) * labels * labels;
          if (own !== undefined) {
            found.note('edges', own.flat(), edges.slice(from, from + labels * labels));
          }
        }
      }
      expect(contribution.sentenceCount).toBe(batch.sentences.length);
    }
    if (full) console.log(`partial labels, ${row.name}: ${found}`);
    expect(found.beyond(tolerance)).toEqual([]);
  });

  it(`have the gradient of central differences: ${problems} problems`, { tags: 'slow' }, () => {
    const random = new Random(301);
    const found = new Deviations();
    for (const { place, lattice } of placesFor(kernel, problems)) {
      const { store, batch } = partialProblem(random, place);
      const contribution = contributionOf(kernel, store, lattice, batch, logLoss);
      const copy = float64Copy(store);
      const places = parameterPlaces(store).filter(({ supported }) => supported);
      if (places.length === 0) continue;
      for (const [s, sentence] of batch.sentences.entries()) {
        const plane = store.addPlane();
        kernel.accumulate(store, plane, contribution, s, 1);
        for (let j = 0; j < slopes; j += 1) {
          const { table, at } = places[random.below(places.length)]!;
          const view = copy.weights[table].view;
          const slope = centralDifference(view, at, copy.scale, () =>
            logLossOf({ store: copy }, sentence),
          );
          found.note('gradient', [plane[table].view[at]!], [slope]);
        }
      }
    }
    if (full) console.log(`partial labels, ${row.name}: ${found}`);
    expect(found.beyond(Math.max(1e-6, tolerance))).toEqual([]);
  });

  it('have the perceptron loss towards the best of the allowed sequences', () => {
    const random = new Random(302);
    let moved = 0;
    for (const { place, lattice } of placesFor(kernel, problems)) {
      const { store, batch } = partialProblem(random, place);
      const contribution = contributionOf(kernel, store, lattice, batch, perceptronLoss, true);
      for (const [s, sentence] of batch.sentences.entries()) {
        const { all, among } = enumerated({ store }, sentence);
        const { weight = 1 } = sentence;
        const expected = weight * (all.bestScore - among.bestScore);
        expect(Math.abs(contribution.losses[s]! - expected)).toBeLessThan(20 * tolerance);
        if (Math.min(all.margin, among.margin) < 10 * tolerance) continue;
        const residual = (t: number, y: number) =>
          weight * (Number(all.best[t] === y) - Number(among.best[t] === y));
        const nodes = new LatticeReader(lattice, s).nodes();
        for (const [t, node] of nodes.entries()) {
          expect(node.map((each, y) => each - residual(t, y)).every(d => Math.abs(d) < 1e-6)).toBe(
            true,
          );
        }
        if (expected > 0) moved += 1;
      }
    }
    expect(moved).toBeGreaterThan(problems / 4);
  });

  it('are given right at scores of a thousand', () => {
    const random = new Random(303);
    const place = new KernelPlace(kernel);
    const lattice = place.lattice();
    const allowed = kernel.precision === 'float64' ? 1e-8 : 0.05;
    for (let i = 0; i < 30; i += 1) {
      const { store, batch } = partialProblem(random, place, { spread: 1000 });
      const contribution = contributionOf(kernel, store, lattice, batch, logLoss);
      for (const [s, sentence] of batch.sentences.entries()) {
        const expected = logLossOf({ store }, sentence);
        expect(Math.abs(contribution.losses[s]! - expected)).toBeLessThan(allowed);
      }
      expect(contribution.residual.every(Number.isFinite)).toBe(true);
    }
  });

  it('leave the bits of all other sentences as they are, and of predictions', {
    tags: 'slow',
  }, () => {
    const random = new Random(304);
    const place = new KernelPlace(kernel);
    for (const loss of [logLoss, perceptronLoss]) {
      for (let i = 0; i < 40; i += 1) {
        const shape = { labelled: true, sentences: 4, edgeFeatures: i % 3 };
        const { store, batch } = randomProblem(random, shape, place);
        const mixed = batch.sentences.map((sentence, s) =>
          s % 2 === 0 ? sentence : partialSentence(random, sentence, store.labels),
        );
        const plain = contributionOf(kernel, store, place.lattice(), batch, loss, true);
        const partly = packMinibatch(mixed);
        const made = contributionOf(kernel, store, place.lattice(), partly, loss, true);
        expect(made.predicted).toEqual(plain.predicted);
        expect(made.predictedScores).toEqual(plain.predictedScores);
        for (const s of [0, 2]) {
          expect(made.losses[s]).toBe(plain.losses[s]);
          const planes = [store.addPlane(), store.addPlane()] as const;
          kernel.accumulate(store, planes[0], plain, s, 1);
          kernel.accumulate(store, planes[1], made, s, 1);
          for (const table of ['state', 'edges', 'pairs'] as const) {
            expect(planes[0][table].view).toEqual(planes[1][table].view);
          }
        }
      }
    }
  });

  it('count as often as their weights say', { tags: 'slow' }, () => {
    const random = new Random(305);
    const place = new KernelPlace(kernel);
    for (const loss of [logLoss, perceptronLoss]) {
      for (let i = 0; i < 40; i += 1) {
        const { store, batch } = randomProblem(random, { labelled: true, sentences: 1 }, place);
        const [sentence] = batch.sentences;
        const gradient = (...sentences: EncodedSentence[]) => {
          const packed = packMinibatch(sentences);
          const made = contributionOf(kernel, store, place.lattice(), packed, loss);
          const plane = store.addPlane();
          for (const s of sentences.keys()) kernel.accumulate(store, plane, made, s, 1);
          return [made.loss, ...plane.state.view, ...plane.edges.view, ...plane.pairs.view];
        };
        const once = gradient(sentence!);
        expect(gradient({ ...sentence!, weight: 1 })).toEqual(once);
        const twice = gradient({ ...sentence!, weight: 2 });
        const pair = gradient(sentence!, sentence!);
        const apart = Math.max(...twice.map((each, j) => Math.abs(each - pair[j]!)));
        expect(apart).toBeLessThan(row.rounding * 20);
        expect(gradient({ ...sentence!, weight: 0 }).every(each => each === 0)).toBe(true);
      }
    }
  });
});
