import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../src/core/minibatch/pack-minibatch.js';
import { Random } from '../../src/core/random.js';
import type { PartialTag } from '../../src/core/sentence/partial-tag.js';
import { contributionOf } from '../../src/losses/contribution-of.js';
import { jointLoss } from '../../src/losses/joint-loss.js';
import { kernels } from '../../src/models/kernels.js';
import { difference } from '../contracts/oracle/differences/difference.js';
import { Enumeration } from '../contracts/oracle/enumeration.js';
import { KernelPlace } from '../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../contracts/oracle/kernels/kernels.js';
import { randomProblem } from '../contracts/oracle/problems/problem.js';
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
});

it('needs all labels, and says which scorers do not', () => {
  const { model } = hmmLearner();
  const partialTags: PartialTag[] = ['X', null];
  const sentence = { ...sentenceOf(['a', 'b']), partialTags };
  const batch = packMinibatch([model.encode(sentence)]);
  const learner = hmmLearner();
  learner.model.encode(sentence);
  expect(() => learner.contribute(batch)).toThrow(
    expect.objectContaining({
      code: 'config',
      problem:
        'a partially labelled sentence needs partial labels, which the scorer hmm does not have',
      fix: 'use the scorer linear or memm',
    }),
  );
});

it('trains no other scores', () => {
  const place = new KernelPlace(kernels.simd64);
  const { store, batch } = randomProblem(new Random(822), { labelled: true }, place);
  expect(() => contributionOf(kernels.simd64, store, place.lattice(), batch, jointLoss)).toThrow(
    expect.objectContaining({ code: 'config', fix: expect.stringContaining('scorer: hmm') }),
  );
});
