import { expect } from 'vitest';
import type { EncodedSentence } from '../../../../src/engine/core/minibatch/encoded-sentence.js';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import type { Random } from '../../../../src/engine/core/random.js';
import type { ParameterStore } from '../../../../src/engine/kernels/store/parameter-store.js';
import { contributionOf } from '../../../../src/engine/losses/contribution-of.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import { Decoder } from '../../../../src/engine/models/decoding/decoder.js';
import { Deviations } from '../../../contracts/oracle/differences/deviations.js';
import { Enumeration } from '../../../contracts/oracle/enumeration.js';
import { float64Copy } from '../../../contracts/oracle/kernels/float64-copy.js';
import { type KernelPlace, placesFor } from '../../../contracts/oracle/kernels/kernel-place.js';
import type { KernelRow } from '../../../contracts/oracle/kernels/kernels.js';
import { parameterPlaces } from '../../../contracts/oracle/kernels/parameter-places.js';
import type { Problem } from '../../../contracts/oracle/problems/problem.js';
import { isNightly } from '../../../house/long-forms.js';
import { centralDifference } from '../../losses/central-difference.js';

/** A problem to be decoded, with the scores of its label sequences. */
export interface DecodingProblem extends Problem {
  /** Whether rounding decides what is best of a sentence, which is left out. */
  readonly isClose?: (s: number) => boolean;
}

export interface DecodingChecks {
  /** Whether scores are whole numbers, so that of equally good sequences the first is found. */
  readonly isExact?: boolean;
  /** Whether a decoder finds labels and scores alone. */
  readonly hasLabelsAlone?: boolean;
}

/** Compares labels, scores, marginals, probabilities and n-best lists with those of the enumeration. */
export function compareDecoding(
  { kernel, tolerance }: KernelRow,
  problems: number,
  draw: (place: KernelPlace, i: number) => DecodingProblem,
  { isExact = false, hasLabelsAlone = false }: DecodingChecks = {},
): void {
  const off = new Deviations();
  let clear = 0;
  for (const { place, i } of placesFor(kernel, problems)) {
    const { store, batch, scores, isClose } = draw(place, i);
    const { labels } = new Decoder(kernel).decode(store, batch);
    const asked = hasLabelsAlone ? {} : { marginals: true, probability: true, nbest: 3 };
    const decoded = new Decoder(kernel).decode(store, batch, asked);
    for (const [s, own] of scores.entries()) {
      if (isClose?.(s)) continue;
      const chain = new Enumeration(own);
      const [from, to] = [batch.sentenceStarts[s]!, batch.sentenceStarts[s + 1]!];
      const path = Array.from(decoded.labels.subarray(from, to));
      if (isExact || chain.margin > 10 * tolerance) {
        clear += 1;
        expect(path).toEqual(chain.best);
        expect(Array.from(labels.subarray(from, to))).toEqual(chain.best);
      }
      off.note('best score', [decoded.scores[s]!], [chain.bestScore]);
      if (hasLabelsAlone) continue;
      const marginals = path.map((y, t) => chain.nodes[t]![y]!);
      off.note('marginals', decoded.marginals!.subarray(from, to), marginals);
      const p = Math.exp(chain.pathScore(path) - chain.logZ);
      off.note('probability', [decoded.probabilities![s]!], [p]);
      for (const [rank, each] of decoded.nbest![s]!.entries()) {
        off.note('n-best', [each.score], [chain.ranked[rank]!.score]);
      }
    }
  }
  report(off);
  expect(clear).toBeGreaterThan(problems);
  expect(off.beyond(tolerance)).toEqual([]);
}

/** A problem whose sentences all have gold labels, and -log p(gold | x) of one without its weight. */
export interface LossProblem extends Problem {
  readonly lossOf: (store: ParameterStore, sentence: EncodedSentence) => number;
  /** Whether the loss jumps close by, so that the sentence is left out. */
  readonly isClose?: (store: ParameterStore, sentence: EncodedSentence) => boolean;
}

/** Compares log loss and gradients with a definition and its central differences. */
export function compareLosses(
  { kernel, tolerance }: KernelRow,
  problems: number,
  random: Random,
  draw: (place: KernelPlace, i: number) => LossProblem,
): void {
  const off = new Deviations();
  const slopes = new Deviations();
  for (const { place, lattice, i } of placesFor(kernel, problems)) {
    const { store, batch: plain, lossOf, isClose } = draw(place, i);
    const weighted = plain.sentences.map((sentence, s) => ({ ...sentence, weight: s / 2 }));
    const batch = packMinibatch(weighted);
    const contribution = contributionOf(kernel, store, lattice, batch, logLoss, i % 2 === 0);
    const copy = float64Copy(store);
    const places = parameterPlaces(store).filter(({ supported }) => supported);
    for (const [s, sentence] of batch.sentences.entries()) {
      if (isClose?.(copy, sentence)) continue;
      const weightedLoss = () => sentence.weight! * lossOf(copy, sentence);
      off.note('loss', [contribution.losses[s]!], [weightedLoss()]);
      const plane = store.addPlane();
      kernel.accumulate(store, plane, contribution, s, 1);
      for (let j = 0; j < 3 && places.length > 0; j += 1) {
        const { table, at } = places[random.below(places.length)]!;
        const view = copy.weights[table].view;
        const slope = centralDifference(view, at, copy.scale, weightedLoss);
        slopes.note('gradient', [plane[table].view[at]!], [slope]);
      }
    }
  }
  report(off, slopes);
  expect(off.beyond(tolerance)).toEqual([]);
  expect(slopes.beyond(Math.max(1e-6, tolerance))).toEqual([]);
}

/** Prints how far all were off, in the long form. */
function report(...all: readonly Deviations[]): void {
  if (isNightly) console.log(`${expect.getState().currentTestName}: ${all.join(' ')}`);
}
