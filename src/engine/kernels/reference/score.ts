import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Lattice } from '../lattice.js';
import type { AddChain } from '../pairs/pair-lists.js';
import type { Pruning } from '../pruning/candidates.js';
import type { CompressedRows } from '../store/compressed-rows.js';
import type { ParameterStore } from '../store/parameter-store.js';
import type { StatePairs } from '../store/state-pairs.js';
import { pruneTokens } from './pruned.js';

/** Computes the emission, transition and edge scores of a batch; see `Kernel.score`. */
export function score(store: ParameterStore, lattice: Lattice): void {
  const batch = lattice.batch!;
  if (store.compressed !== undefined) {
    scoreCompressed(store.compressed, lattice, batch, store.scale);
  } else if (store.statePairs !== undefined) {
    scorePairs(store, store.statePairs, lattice, batch);
  } else {
    scoreEmissions(store, lattice, batch);
  }
  const { prune: pruning, parts } = store.layout;
  if (pruning !== undefined && parts === undefined) prune(lattice, pruning);
  if (lattice.leavesTransitions(store)) return;
  const transitions = store.weights.edges.view;
  const scores = lattice.transitionScores.view;
  for (let i = 0; i < lattice.matrixSize; i += 1) scores[i] = store.scale * transitions[i]!;
  if (lattice.slots > 0) scoreEdges(store, lattice, batch);
}

/** See `Kernel.prune`. */
export function prune(lattice: Lattice, pruning: Pruning): void {
  const { candidates, labels, batch, whole } = lattice;
  candidates.open(labels, pruning, batch!, whole);
  if (candidates.isUsed) pruneTokens(lattice, pruning);
}

function scoreEmissions(store: ParameterStore, lattice: Lattice, batch: Minibatch): void {
  const { stateStarts, stateRows, stateValues } = batch;
  const { width, labels } = lattice;
  const weights = store.weights.state.view;
  const scores = lattice.emissionScores.view;
  const scale = store.scale;
  for (let t = 0; t < batch.tokens; t += 1) {
    const row = t * width;
    scores.fill(0, row, row + width);
    for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
      const feature = stateRows[k]! * width;
      if (stateValues === undefined) {
        for (let y = 0; y < labels; y += 1) scores[row + y]! += weights[feature + y]!;
      } else {
        const value = stateValues[k]!;
        for (let y = 0; y < labels; y += 1) scores[row + y]! += value * weights[feature + y]!;
      }
    }
    if (scale !== 1) for (let y = 0; y < labels; y += 1) scores[row + y]! *= scale;
  }
}

/** Computes emission scores from weights stored as single pairs. */
function scorePairs(
  store: ParameterStore,
  { starts, labels }: StatePairs,
  { emissionScores, width, labels: count }: Lattice,
  { tokens, stateStarts, stateRows, stateValues }: Minibatch,
): void {
  const weights = store.weights.state.view;
  const scores = emissionScores.view;
  for (let t = 0; t < tokens; t += 1) {
    const row = t * width;
    scores.fill(0, row, row + width);
    for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
      const value = stateValues?.[k] ?? 1;
      const feature = stateRows[k]!;
      for (let i = starts[feature]!; i < starts[feature + 1]!; i += 1) {
        scores[row + labels[i]!]! += value * weights[i]!;
      }
    }
    for (let y = 0; y < count; y += 1) scores[row + y]! *= store.scale;
  }
}

/**
 * Computes a_t = plain transitions + sum of the active edge features' blocks (or chained pairs): a matrix per slot, or
 * lists of pairs if the lattice allows them, pairs are few, and `addChain` is given to add them.
 */
export function scoreEdges(
  store: ParameterStore,
  lattice: Lattice,
  batch: Minibatch,
  addChain?: () => AddChain,
): void {
  const { pairLists, transitionScores } = lattice;
  if (addChain !== undefined && lattice.allowsLists && !store.hasEdgeBlocks) {
    pairLists.list(store, batch, lattice, transitionScores, addChain);
  }
  for (let s = 0; s < batch.sentenceStarts.length - 1; s += 1) {
    if (!pairLists.isListed(s)) scoreMatrices(store, lattice, batch, s);
  }
}

function scoreMatrices(store: ParameterStore, lattice: Lattice, batch: Minibatch, s: number): void {
  const { sentenceStarts, edgeValues } = batch;
  const edgeStarts = batch.edgeStarts!;
  const edgeRows = batch.edgeRows!;
  const { matrixSize, width } = lattice;
  const transitions = lattice.transitionScores.view;
  const scores = lattice.edgeScores.view;
  const blocks = store.weights.edges.view;
  const pairWeights = store.weights.pairs.view;
  const { heads, from, to, next } = store.pairs;
  for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
    const slot = lattice.edgeSlots[t]!;
    if (slot < 0) continue;
    const matrix = slot * matrixSize;
    scores.set(transitions.subarray(0, matrixSize), matrix);
    for (let k = edgeStarts[t]!; k < edgeStarts[t + 1]!; k += 1) {
      const feature = edgeRows[k]!;
      const value = store.scale * (edgeValues === undefined ? 1 : edgeValues[k]!);
      if (store.hasEdgeBlocks) {
        const block = feature * matrixSize;
        for (let i = 0; i < matrixSize; i += 1) scores[matrix + i]! += value * blocks[block + i]!;
      } else {
        for (let pair = heads[feature]!; pair >= 0; pair = next[pair]!) {
          scores[matrix + from[pair]! * width + to[pair]!]! += value * pairWeights[pair]!;
        }
      }
    }
  }
}

/** Computes emission scores from compressed rows: e_t(y) = scale * sum of value * weight over the pairs of y. */
export function scoreCompressed(
  compressed: CompressedRows,
  lattice: Lattice,
  { tokens, stateStarts, stateRows, stateValues }: Minibatch,
  scale: number,
): void {
  const { numbers, starts, labels, denseRows } = compressed;
  const { width } = lattice;
  const weights = compressed.weights.view;
  const dense = compressed.dense.view;
  const scores = lattice.emissionScores.view;
  for (let t = 0; t < tokens; t += 1) {
    const row = t * width;
    scores.fill(0, row, row + width);
    for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
      const value = scale * (stateValues === undefined ? 1 : stateValues[k]!);
      const number = numbers[stateRows[k]!]!;
      const from = denseRows[number]! * width;
      if (from >= 0) {
        for (let y = 0; y < width; y += 1) scores[row + y]! += value * dense[from + y]!;
      }
      for (let pair = starts[number]!; pair < starts[number + 1]!; pair += 1) {
        scores[row + labels[pair]!]! += value * weights[pair]!;
      }
    }
  }
}

/** Lists the pairs of a feature's chain; see `AddChain`. Cost O(pairs). */
export function listChain({ pairs: chains, weights, width }: ParameterStore): AddChain {
  const { heads, from, to, next } = chains;
  const table = weights.pairs.view;
  return (lists, feature, value, n, start) => {
    const scores = lists.scores.view;
    const { pairs, marks, epoch } = lists;
    let count = n;
    for (let slot = heads[feature]!; slot >= 0; slot = next[slot]!) {
      const score = value * table[slot]!;
      if (start >= 0) {
        const cell = from[slot]! * width + to[slot]!;
        const found = marks[cell]! - epoch;
        if (found >= start) {
          scores[found]! += score;
          continue;
        }
        marks[cell] = epoch + count;
      }
      pairs[count] = from[slot]! + 65536 * to[slot]!;
      scores[count] = score;
      count += 1;
    }
    return count;
  };
}
