import { TagstreamError } from '../core/errors.js';
import type { EncodedSentence } from '../core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../core/minibatch/minibatch.js';
import { type Contribution, noLabel } from '../core/training/contribution.js';
import { scoreBatch } from '../inference/score-batch.js';
import { requireCapability, scorerOf } from '../inference/scorers/scorers.js';
import { chainStructure } from '../inference/structures/chain-structure.js';
import { allowsLists, requireStructure, structureOf } from '../inference/structures/structures.js';
import type { Kernel } from '../kernels/kernel.js';
import type { Lattice } from '../kernels/lattice.js';
import type { ParameterLayout, ParameterStore } from '../kernels/store/parameter-store.js';
import type { Loss } from './loss.js';
import { LatticeContribution } from './residuals/lattice-contribution.js';
import { LossScratch } from './residuals/loss-scratch.js';
import { clearResiduals, scaleResiduals } from './residuals/residuals.js';

const none = new Int32Array(0);

/** The best label of each token, and the score of each sentence's best labels. */
export interface Predictions {
  readonly labels: Int32Array;
  readonly scores: Float64Array;
}

/** Returns the best labels of a minibatch, in the lattice's memory. */
export function predictLabels(
  kernel: Kernel,
  store: ParameterStore,
  lattice: Lattice,
  minibatch: Minibatch,
): Predictions {
  const structure = structureOf(store.layout);
  lattice.allowsLists = allowsLists(store.layout);
  lattice.keepsGold = false;
  lattice.whole = undefined;
  scoreBatch(kernel, store, lattice, minibatch);
  const inferring = structure.kernel?.(kernel) ?? kernel;
  const labels = new Int32Array(minibatch.tokens);
  const { sentenceStarts } = minibatch;
  const scores = new Float64Array(sentenceStarts.length - 1);
  for (let s = 0; s < scores.length; s += 1) {
    if (sentenceStarts[s] === sentenceStarts[s + 1]) continue;
    inferring.viterbi(lattice, s, labels);
    scores[s] = inferring.pathScore(lattice, s, labels);
  }
  return { labels, scores };
}

/**
 * Scores a minibatch and applies a loss to each of its labelled sentences; the residuals of unlabelled ones are zero. A
 * sentence's loss and residuals are multiplied by its weight.
 *
 * On request, also computes the best label of every token, including those of unlabelled sentences, from the same
 * scores, or from separate ones if tokens are pruned; `Predictions` of other weights are passed through. The result's
 * arrays belong to the lattice, whose next minibatch overwrites them.
 *
 * @throws TagstreamError `numeric` if a loss is not finite, `config` if the loss does not support the structure
 */
export function applyLoss(
  kernel: Kernel,
  store: ParameterStore,
  lattice: Lattice,
  minibatch: Minibatch,
  loss: Loss,
  asked: boolean | Predictions = false,
): Contribution {
  const { layout } = store;
  // Training keeps pruned tokens' gold labels, which a prediction must not see.
  const isApart = asked === true && layout.prune !== undefined;
  const predicting = isApart ? predictLabels(kernel, store, lattice, minibatch) : asked;
  const predict = predicting === true;
  if (loss.anyStructure !== true) {
    requireStructure(layout, 'chain recursions', `the loss ${loss.name}`);
  }
  if (loss.seesLabels === true) {
    requireStructure(layout, 'label losses', `a cost of one label in the loss ${loss.name}`);
  }
  const structure = structureOf(layout);
  const scorer = layout.scorer === undefined ? undefined : scorerOf(layout.scorer);
  if (minibatch.allowedStarts !== undefined) {
    requireCapability(layout.scorer, 'partial labels', 'a partially labelled sentence');
    requireStructure(layout, 'label losses', 'a partially labelled sentence');
  }
  lattice.allowsLists = leavesToKernel(loss, layout);
  if (layout.prune !== undefined && !lattice.allowsLists) throw unfitForPruning(loss);
  lattice.keepsGold = true;
  lattice.whole = undefined;
  const { parts } = structure;
  const alone = !predict && scoresLabelsAlone(loss, store, lattice, minibatch);
  if (alone) lattice.pass(store);
  else if (parts === undefined || predict) scoreBatch(kernel, store, lattice, minibatch);
  else parts.fill(kernel, store, lattice, minibatch);
  const chains = parts?.of(lattice, minibatch, layout) ?? [{ lattice, gold: minibatch.gold }];
  const inferring = structure.kernel?.(kernel) ?? kernel;
  const own = lattice.columns ?? lattice;
  // The contribution keeps the predictions only on request.
  const predicted = predict
    ? new Int32Array(minibatch.tokens)
    : loss.predicts
      ? LossScratch.of(lattice).predicted(minibatch.tokens)
      : none;
  const found = predict && parts !== undefined ? new Int32Array(minibatch.tokens) : predicted;
  const losses = new Float64Array(minibatch.sentenceStarts.length - 1);
  const { weights, sentenceStarts } = minibatch;
  const hasTokens = (s: number) => sentenceStarts[s]! < sentenceStarts[s + 1]!;
  let total = 0;
  let sentenceCount = 0;
  let tokenCount = 0;
  // Before a model knows a label, a sentence whose tags are all unknown says nothing.
  const isNew = store.labels === 0;
  for (let s = 0; s < losses.length; s += 1) {
    const labelled = minibatch.labelled[s] === 1 && !isNew;
    const finds = labelled && loss.predicts && found === predicted;
    if (predict && !finds && hasTokens(s)) inferring.viterbi(lattice, s, predicted);
    if (!labelled) {
      if (!alone) clearResiduals(own, s);
      continue;
    }
    if (alone) {
      const { sentences, gold, sentenceStarts } = minibatch;
      losses[s]! -= labelScore(store, sentences[s]!, gold, sentenceStarts[s]!);
    } else {
      for (const chain of chains) {
        losses[s]! += loss.apply(inferring, chain.lattice, s, chain.gold, found);
      }
      scorer?.spread?.(lattice, s);
      structure.spread?.(lattice, s, layout);
    }
    if (weights !== undefined && weights[s] !== 1) {
      losses[s]! *= weights[s]!;
      if (!alone) scaleResiduals(own, s, weights[s]!);
    }
    total += losses[s]!;
    sentenceCount += 1;
    tokenCount += minibatch.sentenceStarts[s + 1]! - minibatch.sentenceStarts[s]!;
  }
  if (!Number.isFinite(total)) throw lossNotFinite(minibatch, losses);
  const placed = structure.place?.(lattice, minibatch);
  const made = typeof predicting === 'object' ? predicting : undefined;
  const best = predict ? predicted : made?.labels;
  if (isNew) best?.fill(noLabel);
  const bestScores = predict
    ? losses.map((_, s) => (hasTokens(s) ? inferring.pathScore(lattice, s, predicted) : 0))
    : made?.scores;
  return new LatticeContribution(placed?.lattice ?? lattice, {
    minibatch: placed?.minibatch ?? minibatch,
    loss: total,
    losses,
    sentenceCount,
    tokenCount,
    predicted: best && (placed?.labels(best) ?? best),
    predictedScores: bestScores,
    version: store.version,
  });
}

/** Whether the potentials and residuals of transitions are read only by functions that support pair lists. */
function leavesToKernel(loss: Loss, layout: ParameterLayout): boolean {
  return loss.anyStructure === true && allowsLists(layout);
}

/** Whether only the labels' score is needed, and this score is a sum of weights. */
function scoresLabelsAlone(
  { scoresLabelsAlone = false }: Loss,
  store: ParameterStore,
  { readsResiduals }: Lattice,
  { allowedStarts, edgeRows }: Minibatch,
): boolean {
  if (!scoresLabelsAlone || readsResiduals || allowedStarts !== undefined) return false;
  if (edgeRows !== undefined && edgeRows.length > 0) return false;
  return hasPlainRows(store) && structureOf(store.layout) === chainStructure;
}

function unfitForPruning({ name }: Loss): TagstreamError {
  return new TagstreamError(
    'config',
    `the loss ${name} needs all labels of a token, which prune removes`,
    {
      fix: 'use the loss log, perceptron or hinge, or leave prune out',
    },
  );
}

function lossNotFinite(minibatch: Minibatch, losses: Float64Array): TagstreamError {
  const s = losses.findIndex(loss => !Number.isFinite(loss));
  const id = minibatch.sentences[s]?.sentence.document.id;
  return new TagstreamError(
    'numeric',
    `the loss of ${id === undefined ? `sentence ${s} of a batch` : `record ${id}`} is ${losses[s]}`,
    { fix: 'the step size or a real-valued feature is too large: lower eta0 or scale the feature' },
  );
}

/** Whether the parameters are those of a chain with one float64 row per feature whose sums are the potentials. */
function hasPlainRows({ layout, compressed, statePairs, precision }: ParameterStore): boolean {
  if (compressed !== undefined || statePairs !== undefined || precision !== 'float64') return false;
  return layout.prune === undefined && layout.components === undefined;
}

/**
 * Returns the score of a sentence's gold labels directly from the weights: bit-identical to `score` and `pathScore`
 * of a float64 kernel, at a cost of O(active features) instead of O(active features * L + L^2).
 *
 * @param gold labels of the batch; the sentence's labels begin at `first`
 */
function labelScore(
  { weights, width, scale }: ParameterStore,
  { length, stateStarts, stateRows, stateValues }: EncodedSentence,
  gold: Int32Array,
  first: number,
): number {
  const state = weights.state.view;
  const edges = weights.edges.view;
  let total = 0;
  for (let t = 0; t < length; t += 1) {
    const label = gold[first + t]!;
    let score = 0;
    for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
      const weight = state[stateRows[k]! * width + label]!;
      score += stateValues === undefined ? weight : stateValues[k]! * weight;
    }
    if (t > 0) total += scale * edges[gold[first + t - 1]! * width + label]!;
    total += scale * score;
  }
  return total;
}
