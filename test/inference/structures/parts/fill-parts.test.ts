import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/core/random.js';
import type { Pruning } from '../../../../src/kernels/pruning/candidates.js';
import type { ParameterStore } from '../../../../src/kernels/store/parameter-store.js';
import { contributionOf } from '../../../../src/losses/contribution-of.js';
import { logLoss } from '../../../../src/losses/log-loss.js';
import { Decoder } from '../../../../src/models/decoding/decoder.js';
import type { ChainScores } from '../../../contracts/oracle/chain-scores.js';
import { Deviations } from '../../../contracts/oracle/differences/deviations.js';
import { Enumeration } from '../../../contracts/oracle/enumeration.js';
import { float64Copy } from '../../../contracts/oracle/kernels/float64-copy.js';
import { KernelPlace } from '../../../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../../../contracts/oracle/kernels/kernels.js';
import { parameterPlaces } from '../../../contracts/oracle/kernels/parameter-places.js';
import { partedProblem } from '../../../contracts/oracle/problems/parted-problem.js';
import { scoresOf } from '../../../contracts/oracle/scores-of.js';
import { centralDifference } from '../../../losses/central-difference.js';

const full = process.env.TAGSTREAM_FULL === '1';
/** Problems for each kernel: a short form, or all there are to be. */
const problems = full ? 10_000 : 60;

/** None of the first, all labels of the second, so that pruning changes nothing; some of the others. */
const prunings: readonly (Pruning | undefined)[] = [
  undefined,
  { most: 9, ratio: 1e-300 },
  { most: 2, ratio: 0.01 },
  { most: 3, ratio: 0.3 },
];

function prune(store: ParameterStore, pruning: Pruning | undefined): void {
  if (pruning !== undefined) (store.layout as { prune?: Pruning }).prune = pruning;
}

/** Scores with minus infinity for the labels that pruning does not leave, by its definition; in training gold ones stay. */
function prunedScores(
  scores: ChainScores,
  pruning: Pruning | undefined,
  gold?: ArrayLike<number>,
): ChainScores {
  if (pruning === undefined) return scores;
  const emissions = scores.emissions.map((row, t) => {
    const best = Math.max(...row);
    return row.map((score, y) => {
      const ahead = row.filter((other, z) => other > score || (other === score && z < y)).length;
      const stays = ahead < pruning.most && score >= best + Math.log(pruning.ratio);
      return stays || gold?.[t] === y ? score : Number.NEGATIVE_INFINITY;
    });
  });
  return { ...scores, emissions };
}

/** Whether a score is at the edge of what is left, where rounding decides. */
function isClose(scores: ChainScores, pruning: Pruning | undefined): boolean {
  if (pruning === undefined) return false;
  return scores.emissions.some(row => {
    const best = Math.max(...row);
    const sorted = row.toSorted((a, b) => b - a);
    const edges = [best + Math.log(pruning.ratio), sorted[pruning.most - 1] ?? best + 1];
    const near = (score: number, edge: number) => Math.abs(score - edge) < 1e-3;
    const ties = sorted[pruning.most] !== undefined && near(sorted[pruning.most]!, edges[1]!);
    return ties || row.some(score => near(score, edges[0]!));
  });
}

describe.each(kernelRows)('labels of parts, $name kernel', ({ kernel, tolerance }) => {
  it(`are decoded as enumeration has it on ${problems} random problems`, () => {
    const random = new Random(81);
    const off = new Deviations();
    let compared = 0;
    let place = new KernelPlace(kernel);
    for (let i = 0; i < problems; i += 1) {
      if (i % 200 === 0) place = new KernelPlace(kernel);
      const { store, batch, scores } = partedProblem(random, place);
      const pruning = prunings[i % prunings.length];
      prune(store, pruning);
      const asked = { marginals: true, probability: true, nbest: 3 };
      const decoded = new Decoder(kernel).decode(store, batch, asked);
      const { labels } = new Decoder(kernel).decode(store, batch);
      for (const [s, whole] of scores.entries()) {
        if (isClose(whole, pruning)) continue;
        compared += 1;
        const chain = new Enumeration(prunedScores(whole, pruning));
        const [from, to] = [batch.sentenceStarts[s]!, batch.sentenceStarts[s + 1]!];
        const path = Array.from(decoded.labels.subarray(from, to));
        if (chain.margin > 10 * tolerance) {
          expect(path).toEqual(chain.best);
          expect(Array.from(labels.subarray(from, to))).toEqual(chain.best);
        }
        off.note('best score', [decoded.scores[s]!], [chain.bestScore]);
        const marginals = path.map((y, t) => chain.nodes[t]![y]!);
        off.note('marginals', decoded.marginals!.subarray(from, to), marginals);
        const p = Math.exp(chain.pathScore(path) - chain.logZ);
        off.note('probability', [decoded.probabilities![s]!], [p]);
        for (const [rank, each] of decoded.nbest![s]!.entries()) {
          off.note('n-best', [each.score], [chain.ranked[rank]!.score]);
        }
      }
    }
    expect(compared).toBeGreaterThan(problems);
    expect(off.beyond(tolerance)).toEqual([]);
  });

  it(`have the loss and gradient of the enumeration on ${problems} random problems`, () => {
    const random = new Random(82);
    const off = new Deviations();
    const slopes = new Deviations();
    let place = new KernelPlace(kernel);
    let lattice = place.lattice();
    for (let i = 0; i < problems; i += 1) {
      if (i % 200 === 0) {
        place = new KernelPlace(kernel);
        lattice = place.lattice();
      }
      const { store, batch: plain } = partedProblem(random, place);
      const pruning = prunings[i % prunings.length];
      prune(store, pruning);
      const weighted = plain.sentences.map((sentence, s) => ({ ...sentence, weight: s / 2 }));
      const batch = packMinibatch(weighted);
      const contribution = contributionOf(kernel, store, lattice, batch, logLoss, i % 2 === 0);
      const copy = float64Copy(store);
      const places = parameterPlaces(store).filter(({ supported }) => supported);
      for (const [s, sentence] of batch.sentences.entries()) {
        if (isClose(scoresOf(copy, sentence), pruning)) continue;
        const lossOf = () => {
          const scores = prunedScores(scoresOf(copy, sentence), pruning, sentence.gold);
          return sentence.weight! * new Enumeration(scores).logLoss(sentence.gold!);
        };
        off.note('loss', [contribution.losses[s]!], [lossOf()]);
        const plane = store.addPlane();
        kernel.accumulate(store, plane, contribution, s, 1);
        for (let j = 0; j < 3 && places.length > 0; j += 1) {
          const { table, at } = places[random.below(places.length)]!;
          const view = copy.weights[table].view;
          const slope = centralDifference(view, at, copy.scale, lossOf);
          slopes.note('gradient', [plane[table].view[at]!], [slope]);
        }
      }
    }
    expect(off.beyond(tolerance)).toEqual([]);
    expect(slopes.beyond(Math.max(1e-6, tolerance))).toEqual([]);
  });
});
