import type { Reals } from '../../core/arrays.js';
import type { Contribution } from '../../core/training/contribution.js';
import type { PenaltyState } from '../kernel.js';
import type { ParameterStore } from '../store/parameter-store.js';

/**
 * Clips the weights of one sentence's features towards zero by the penalties they still owe:
 *
 *     z = w;  owed = u - u at creation
 *     w > 0:  w = max(0, w - (owed + q))
 *     w < 0:  w = min(0, w + (owed - q))
 *     q += w - z
 *
 * It is idempotent, so a feature active at two tokens may be visited twice. See
 * `Kernel.applyCumulativePenalty`; Tsuruoka, Tsujii and Ananiadou (2009).
 */
export function applyCumulativePenalty(
  store: ParameterStore,
  penalty: PenaltyState,
  contribution: Contribution,
  s: number,
): void {
  const { sentenceStarts, stateStarts, stateRows } = contribution.minibatch;
  const { labels, width } = store;
  const weights = store.weights.state.view;
  const received = penalty.received.state.view;
  const { total, creationTimes } = penalty;
  const last = stateStarts[sentenceStarts[s + 1]!]!;
  for (let k = stateStarts[sentenceStarts[s]!]!; k < last; k += 1) {
    const row = stateRows[k]!;
    clipRow(
      weights,
      received,
      row * width,
      labels,
      total,
      creationTimes.state[row]!,
      creationTimes.labels,
    );
  }
  if (store.scoresTransitions(sentenceStarts[s + 1]! - sentenceStarts[s]!)) {
    clipBlock(store, penalty, 0);
  }
  if (contribution.minibatch.edgeStarts !== undefined) {
    clipEdges(store, penalty, contribution, s);
  }
}

export function clipEdges(
  store: ParameterStore,
  penalty: PenaltyState,
  contribution: Contribution,
  s: number,
): void {
  const { sentenceStarts } = contribution.minibatch;
  const edgeStarts = contribution.minibatch.edgeStarts!;
  const edgeRows = contribution.minibatch.edgeRows!;
  const last = edgeStarts[sentenceStarts[s + 1]!]!;
  // Edge features of the first token have no transition to act on.
  for (let k = edgeStarts[sentenceStarts[s]! + 1]!; k < last; k += 1) {
    if (store.hasEdgeBlocks) clipBlock(store, penalty, edgeRows[k]!);
    else clipPairs(store, penalty, edgeRows[k]!);
  }
}

function clipBlock(store: ParameterStore, penalty: PenaltyState, block: number): void {
  const weights = store.weights.edges.view;
  const received = penalty.received.edges.view;
  const rowCreatedAt = penalty.creationTimes.edges[block]!;
  const start = block * store.matrixSize;
  for (let from = 0; from < store.labels; from += 1) {
    const createdAt = Math.max(rowCreatedAt, penalty.creationTimes.labels[from]!);
    const row = start + from * store.width;
    clipRow(
      weights,
      received,
      row,
      store.labels,
      penalty.total,
      createdAt,
      penalty.creationTimes.labels,
    );
  }
}

function clipPairs(store: ParameterStore, penalty: PenaltyState, feature: number): void {
  const weights = store.weights.pairs.view;
  const received = penalty.received.pairs.view;
  const creationTimes = penalty.creationTimes.pairs;
  const { heads, next } = store.pairs;
  for (let pair = heads[feature]!; pair >= 0; pair = next[pair]!) {
    clip(weights, received, pair, penalty.total - creationTimes[pair]!);
  }
}

function clipRow(
  weights: Reals,
  received: Reals,
  start: number,
  labels: number,
  total: number,
  rowCreatedAt: number,
  labelCreationTimes: Float64Array,
): void {
  for (let y = 0; y < labels; y += 1) {
    if (weights[start + y] === 0) continue;
    const createdAt = Math.max(rowCreatedAt, labelCreationTimes[y]!);
    clip(weights, received, start + y, total - createdAt);
  }
}

function clip(weights: Reals, received: Reals, at: number, owed: number): void {
  const before = weights[at]!;
  if (before > 0) weights[at] = Math.max(0, before - (owed + received[at]!));
  else if (before < 0) weights[at] = Math.min(0, before + (owed - received[at]!));
  received[at]! += weights[at]! - before;
}
