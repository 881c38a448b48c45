import type { Figure } from '../../core/figures.js';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import { scoreBatch } from '../../inference/score-batch.js';
import { decodingLattice } from '../../kernels/lattice.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import type { Model } from '../model.js';
import { Decoder } from './decoder.js';
import { scoreSentences } from './score-sentences.js';

/** The cost of pruning on labelled sentences. */
export interface PruningLoss {
  readonly tokens: number;
  /** Number of tokens whose gold label was pruned although the model knows it. */
  readonly lost: number;
  /** Average number of remaining labels per token. */
  readonly labels: number;
  /** Accuracy in percent without pruning. */
  readonly unprunedAccuracy: Figure;
}

/** Number of sentences scored at once. */
const batchSize = 64;

/**
 * Measures how often pruning removes the gold label, and the accuracy without pruning; returns undefined if
 * nothing is pruned. Costs one decoding of the sentences with all labels.
 *
 * @param sentences with gold labels; others are skipped
 * @param kernel the kernel of the parameters
 */
export function pruningLoss(
  model: Model,
  parameters: ParameterStore,
  sentences: readonly EncodedSentence[],
  kernel = model.kernel,
): PruningLoss | undefined {
  if (parameters.layout.prune === undefined) return undefined;
  const labelled = sentences.filter(({ sentence }) => sentence.tags !== undefined);
  const lattice = decodingLattice(parameters);
  let [tokens, lost, labels] = [0, 0, 0];
  for (let first = 0; first < labelled.length; first += batchSize) {
    const batch = packMinibatch(labelled.slice(first, first + batchSize));
    lattice.whole = undefined;
    scoreBatch(kernel, parameters, lattice, batch);
    const { candidates } = lattice;
    tokens += batch.tokens;
    labels += candidates.starts[batch.tokens]!;
    for (let t = 0; t < batch.tokens; t += 1) {
      const gold = batch.gold[t]!;
      if (gold >= 0 && candidates.entryOf(t, gold) < 0) lost += 1;
    }
  }
  if (tokens === 0) return undefined;
  const decoder = new Decoder(kernel, model);
  const { accuracy } = scoreSentences(model, parameters, decoder, labelled, { prune: false });
  return { tokens, lost, labels: labels / tokens, unprunedAccuracy: accuracy };
}
