import { describe, it } from 'vitest';
import { Random } from '../../../../../src/engine/core/random.js';
import type { Pruning } from '../../../../../src/engine/kernels/pruning/candidates.js';
import type { ParameterStore } from '../../../../../src/engine/kernels/store/parameter-store.js';
import type { ChainScores } from '../../../../contracts/oracle/chain-scores.js';
import { Enumeration } from '../../../../contracts/oracle/enumeration.js';
import type { KernelPlace } from '../../../../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../../../../contracts/oracle/kernels/kernels.js';
import { partedProblem } from '../../../../contracts/oracle/problems/parted-problem.js';
import { scoresOf } from '../../../../contracts/oracle/scores-of.js';
import { isNightly } from '../../../../house/long-forms.js';
import { compareDecoding, compareLosses } from '../compare-with-enumeration.js';

/** Problems for each kernel: a short form, or all there are to be. */
const problems = isNightly ? 10_000 : 30;

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

describe.each(kernelRows)('labels of parts, $name kernel', row => {
  /** A problem, and how many labels of it are left at each token. */
  const draw = (random: Random, place: KernelPlace, i: number) => {
    const problem = partedProblem(random, place);
    const pruning = prunings[i % prunings.length];
    prune(problem.store, pruning);
    return { problem, pruning };
  };

  it(`are decoded as enumeration has it on ${problems} random problems`, () => {
    const random = new Random(81);
    compareDecoding(row, problems, (place, i) => {
      const { problem, pruning } = draw(random, place, i);
      return {
        ...problem,
        scores: problem.scores.map(scores => prunedScores(scores, pruning)),
        isClose: s => isClose(problem.scores[s]!, pruning),
      };
    });
  });

  it(`have the loss and gradient of the enumeration on ${problems} random problems`, () => {
    const random = new Random(82);
    compareLosses(row, problems, random, (place, i) => {
      const { problem, pruning } = draw(random, place, i);
      return {
        ...problem,
        lossOf: (store, sentence) => {
          const scores = prunedScores(scoresOf(store, sentence), pruning, sentence.gold);
          return new Enumeration(scores).logLoss(sentence.gold!);
        },
        isClose: (store, sentence) => isClose(scoresOf(store, sentence), pruning),
      };
    });
  });
});
