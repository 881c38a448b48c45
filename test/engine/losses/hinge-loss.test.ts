import { describe, expect, it } from 'vitest';
import type { EncodedSentence } from '../../../src/engine/core/minibatch/encoded-sentence.js';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import { contributionOf } from '../../../src/engine/losses/contribution-of.js';
import { hingeLoss } from '../../../src/engine/losses/hinge-loss.js';
import { Enumeration } from '../../contracts/oracle/enumeration.js';
import { float64Copy } from '../../contracts/oracle/kernels/float64-copy.js';
import { KernelPlace } from '../../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { LatticeReader } from '../../contracts/oracle/kernels/lattice-reader.js';
import { parameterPlaces } from '../../contracts/oracle/kernels/parameter-places.js';
import {
  allowedScores,
  partialSentence,
} from '../../contracts/oracle/problems/partial-sentence.js';
import { randomProblem } from '../../contracts/oracle/problems/problem.js';
import { scoresOf } from '../../contracts/oracle/scores-of.js';

/** The best sequence where wrong labels score 1 more, the sequence aimed at, and the loss. */
function margin(store: Parameters<typeof scoresOf>[0], sentence: EncodedSentence) {
  const scores = scoresOf(store, sentence);
  const starts = Uint32Array.from({ length: sentence.length + 1 }, (_, t) => t);
  const given = { starts, labels: Uint32Array.from(sentence.gold ?? []) };
  const allowed = sentence.allowed ?? given;
  const aim = new Enumeration(allowedScores(scores, allowed));
  const emissions = scores.emissions.map((row, t) => {
    const known = allowed.labels.subarray(allowed.starts[t]!, allowed.starts[t + 1]!);
    const isWrong = (y: number) => known.length > 0 && !known.includes(y);
    return row.map((score, y) => score + Number(isWrong(y)));
  });
  const worst = new Enumeration({ ...scores, emissions });
  return { worst, aim, loss: worst.bestScore - aim.bestScore };
}

describe.each(kernelRows)('the hinge loss with the $name kernel', ({ kernel, tolerance }) => {
  it('is the largest of score and wrong labels, less the score of the gold ones', () => {
    const random = new Random(500);
    const place = new KernelPlace(kernel);
    const lattice = place.lattice();
    let some = 0;
    for (let i = 0; i < 120; i += 1) {
      const { store, batch } = randomProblem(random, { labelled: true }, place);
      const sentences = batch.sentences.map(sentence =>
        random.below(2) === 0 ? sentence : partialSentence(random, sentence, store.labels),
      );
      const packed = packMinibatch(sentences);
      const contribution = contributionOf(kernel, store, lattice, packed, hingeLoss, true);
      for (const [s, sentence] of sentences.entries()) {
        const { worst, aim, loss } = margin(store, sentence);
        expect(Math.abs(contribution.losses[s]! - loss)).toBeLessThan(20 * tolerance);
        if (Math.min(worst.margin, aim.margin) < 10 * tolerance) continue;
        const nodes = new LatticeReader(lattice, s).nodes();
        expect(nodes).toEqual(
          nodes.map((row, t) =>
            row.map((_, y) => Number(worst.best[t] === y) - Number(aim.best[t] === y)),
          ),
        );
        if (loss > 0) some += 1;
      }
      // What is tagged are the best labels without the cost.
      for (const [s, sentence] of sentences.entries()) {
        const { best, margin: clear } = new Enumeration(scoresOf(store, sentence));
        if (clear < 10 * tolerance) continue;
        const from = packed.sentenceStarts[s]!;
        const found = contribution.predicted!.subarray(from, from + sentence.length);
        expect([...found]).toEqual(best);
      }
    }
    expect(some).toBeGreaterThan(60);
  });

  it('has a subgradient: no step falls below its plane', () => {
    const random = new Random(501);
    const place = new KernelPlace(kernel);
    const lattice = place.lattice();
    let touched = 0;
    for (let i = 0; i < 80; i += 1) {
      const { store, batch } = randomProblem(random, { labelled: true, sentences: 1 }, place);
      const contribution = contributionOf(kernel, store, lattice, batch, hingeLoss);
      const plane = store.addPlane();
      kernel.accumulate(store, plane, contribution, 0, 1);
      const moved = float64Copy(store);
      let rise = 0;
      for (const { table, at, supported } of parameterPlaces(store)) {
        if (!supported) continue;
        const move = random.normal() * (i % 2 === 0 ? 0.01 : 1);
        moved.weights[table].view[at]! += move / moved.scale;
        rise += plane[table].view[at]! * move;
      }
      const [sentence] = batch.sentences;
      const before = margin(float64Copy(store), sentence!).loss;
      const after = margin(moved, sentence!).loss;
      expect(after - before - rise).toBeGreaterThan(-100 * tolerance);
      // Where the maximum stays the same, the plane is the loss itself.
      if (Math.abs(after - before - rise) < 100 * tolerance && rise !== 0) touched += 1;
    }
    expect(touched).toBeGreaterThan(15);
  });

  it('is zero only where the gold labels win by a point for each wrong label', () => {
    const place = new KernelPlace(kernel);
    const shape = { labels: 2, longest: 3, sentences: 1, labelled: true, stateRows: 0 } as const;
    const { store, batch } = randomProblem(
      new Random(502),
      { ...shape, edgeFeatures: 0, transitions: false },
      place,
    );
    const contribution = contributionOf(kernel, store, place.lattice(), batch, hingeLoss);
    expect(contribution.loss).toBe(batch.tokens);
  });
});
