import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import type { PartialTag } from '../../../src/engine/core/sentence/partial-tag.js';
import { contributionOf } from '../../../src/engine/losses/contribution-of.js';
import { jointLoss } from '../../../src/engine/losses/joint-loss.js';
import { kernels } from '../../../src/engine/models/kernels.js';
import { difference } from '../../contracts/oracle/differences/difference.js';
import { Enumeration } from '../../contracts/oracle/enumeration.js';
import { KernelPlace } from '../../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import {
  allowedScores,
  partialSentence,
} from '../../contracts/oracle/problems/partial-sentence.js';
import { randomProblem } from '../../contracts/oracle/problems/problem.js';
import { scoresOf } from '../../contracts/oracle/scores-of.js';
import { sentenceOf } from '../features/sentence-of.js';
import { hmmLearner } from '../models/examples/hmm-corpus.js';

describe.each(kernelRows)('the joint loss with the $name kernel', ({ kernel, tolerance }) => {
  it('is minus the score of the labels, and its residuals minus what was observed', () => {
    const random = new Random(821);
    const place = new KernelPlace(kernel);
    const lattice = place.lattice();
    let pairs = 0;
    for (let i = 0; i < 100; i += 1) {
      const shape = { scorer: 'hmm', labelled: true, edgeFeatures: 0, support: 'all' } as const;
      const { store, batch, scores } = randomProblem(random, shape, place);
      const made = contributionOf(kernel, store, lattice, batch, jointLoss);
      for (const [s, sentence] of batch.sentences.entries()) {
        const gold = sentence.gold!;
        const score = new Enumeration(scores[s]!).pathScore(gold);
        expect(difference([made.losses[s]!], [-score])).toBeLessThan(tolerance);
        const first = batch.sentenceStarts[s]!;
        const matrix = new Array<number>(store.matrixSize).fill(0);
        for (const [t, y] of gold.entries()) {
          const row = Array.from({ length: store.width }, (_, j) => (j === y ? -1 : 0));
          const at = (first + t) * store.width;
          expect([...made.residual.subarray(at, at + store.width)]).toEqual(row);
          if (t === 0) continue;
          matrix[gold[t - 1]! * store.width + y]! -= 1;
          pairs += 1;
        }
        const from = s * store.matrixSize;
        const found = made.transitionResidual.subarray(from, from + store.labels * store.width);
        expect([...found]).toEqual(matrix.slice(0, found.length));
      }
    }
    expect(pairs).toBeGreaterThan(100);
  });

  it('is the same to the bit where labels alone are scored, as nobody reads residuals', () => {
    const random = new Random(822);
    const place = new KernelPlace(kernel);
    const [whole, alone] = [place.lattice(), place.lattice()];
    alone.readsResiduals = false;
    for (let i = 0; i < 100; i += 1) {
      const shape = { scorer: 'hmm', edgeFeatures: i % 2, support: 'all' } as const;
      const { store, batch } = randomProblem(random, shape, place);
      const weights = batch.sentences.map((_, s) => [1, 0.3, 2][s % 3]!);
      const weighted = packMinibatch(
        batch.sentences.map((each, s) => ({ ...each, weight: weights[s]! })),
      );
      const made = contributionOf(kernel, store, whole, weighted, jointLoss);
      const found = contributionOf(kernel, store, alone, weighted, jointLoss);
      expect(found.losses).toEqual(made.losses);
      expect(found.loss).toBe(made.loss);
      expect(found.tokenCount).toBe(made.tokenCount);
      const next = contributionOf(kernel, store, alone, batch, jointLoss);
      expect(() => found.assertCurrent()).toThrow('after the next one');
      next.assertCurrent();
    }
  });

  it('sums unknown labels out, and its residuals are minus what is expected of the rest', () => {
    const random = new Random(823);
    const place = new KernelPlace(kernel);
    const lattice = place.lattice();
    let forbidden = 0;
    for (let i = 0; i < 200; i += 1) {
      const shape = { scorer: 'hmm', labelled: true, edgeFeatures: 0, support: 'all' } as const;
      const spread = [0.3, 3, 60][i % 3]!;
      const { store, batch } = randomProblem(random, { ...shape, spread }, place);
      const sentences = batch.sentences.map(sentence => ({
        ...partialSentence(random, sentence, store.labels),
        weight: 1 + random.below(3),
      }));
      const made = contributionOf(kernel, store, lattice, packMinibatch(sentences), jointLoss);
      for (const [s, sentence] of sentences.entries()) {
        const scores = allowedScores(scoresOf(store, sentence), sentence.allowed);
        const among = new Enumeration(scores);
        forbidden += scores.emissions.flat().filter(score => score === -Infinity).length;
        const { weight } = sentence;
        expect(difference([made.losses[s]!], [-weight * among.logZ])).toBeLessThan(tolerance);
        const first = batch.sentenceStarts[s]! * store.width;
        const sums = Array.from({ length: store.labels ** 2 }, () => 0);
        for (const [t, row] of among.nodes.entries()) {
          const at = first + t * store.width;
          const found = [...made.residual.subarray(at, at + store.labels)];
          expect(
            difference(
              found,
              row.map(p => -weight * p),
            ),
          ).toBeLessThan(tolerance);
          if (t === 0) continue;
          for (const [j, p] of among.edges[t - 1]!.flat().entries()) sums[j]! -= weight * p;
        }
        const found = sums.map((_, j) => {
          const cell = Math.floor(j / store.labels) * store.width + (j % store.labels);
          return made.transitionResidual[s * store.matrixSize + cell]!;
        });
        expect(difference(found, sums)).toBeLessThan(tolerance);
      }
    }
    expect(forbidden).toBeGreaterThan(200);
  });
});

it('is not counted where labels are unknown', () => {
  const learner = hmmLearner();
  const partialTags: PartialTag[] = ['X', null];
  const encoded = learner.model.encode({ ...sentenceOf(['a', 'b']), partialTags });
  const contribution = learner.contribute(packMinibatch([encoded]));
  expect(() => learner.apply(contribution)).toThrow(
    expect.objectContaining({ code: 'config', fix: expect.stringContaining('em') }),
  );
});

it('trains no other scores', () => {
  const place = new KernelPlace(kernels.simd64);
  const { store, batch } = randomProblem(new Random(822), { labelled: true }, place);
  expect(() => contributionOf(kernels.simd64, store, place.lattice(), batch, jointLoss)).toThrow(
    expect.objectContaining({ code: 'config', fix: expect.stringContaining('the scorer hmm') }),
  );
});
