import type { Reals } from '../../core/arrays.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Contribution } from '../../core/training/contribution.js';
import type { Plane } from '../memory/plane.js';
import type { AdaptiveSteps } from '../rows/adaptive-steps.js';
import { type CoalescedGradient, tables } from '../rows/coalesced-gradient.js';
import type { ParameterStore } from '../store/parameter-store.js';

type Table = (typeof tables)[number];

/** Brings the weights of the features in sentence `s` up to date; see `Kernel.chargeAdaptively`. */
export function chargeAdaptively(
  store: ParameterStore,
  steps: AdaptiveSteps,
  minibatch: Minibatch,
  s: number,
): void {
  const { sentenceStarts, stateStarts, stateRows } = minibatch;
  const first = sentenceStarts[s]!;
  const end = sentenceStarts[s + 1]!;
  for (let k = stateStarts[first]!; k < stateStarts[end]!; k += 1) {
    chargeRow(store, steps, 'state', stateRows[k]!);
  }
  if (store.scoresTransitions(end - first)) chargeRow(store, steps, 'edges', 0);
  chargeEdges(store, steps, minibatch, s);
}

/** Does the same for edge features, without the plain transitions. */
export function chargeEdges(
  store: ParameterStore,
  steps: AdaptiveSteps,
  minibatch: Minibatch,
  s: number,
): void {
  eachEdgeRow(store, minibatch, s, (table, row) => chargeRow(store, steps, table, row));
}

function eachEdgeRow(
  store: ParameterStore,
  { sentenceStarts, edgeStarts, edgeRows, edgeValues }: Minibatch,
  s: number,
  visit: (table: Table, row: number, value: number) => void,
): void {
  if (edgeStarts === undefined) return;
  const { heads, next } = store.pairs;
  const end = edgeStarts[sentenceStarts[s + 1]!]!;
  for (let k = edgeStarts[sentenceStarts[s]! + 1]!; k < end; k += 1) {
    const feature = edgeRows![k]!;
    const value = edgeValues === undefined ? 1 : edgeValues[k]!;
    if (store.hasEdgeBlocks) {
      visit('edges', feature, value);
      continue;
    }
    for (let pair = heads[feature]!; pair >= 0; pair = next[pair]!) visit('pairs', pair, value);
  }
}

/**
 * Raises the scales of the features in sentence `s` to at least their values; the rows must have
 * been charged.
 */
export function growScales(
  store: ParameterStore,
  steps: AdaptiveSteps,
  minibatch: Minibatch,
  s: number,
): void {
  const { scales } = steps;
  if (scales === undefined) return;
  const { sentenceStarts, stateStarts, stateRows, stateValues } = minibatch;
  const known = scales.of('state');
  const end = stateStarts[sentenceStarts[s + 1]!]!;
  for (let k = stateStarts[sentenceStarts[s]!]!; k < end; k += 1) {
    const value = stateValues === undefined ? 1 : Math.abs(stateValues[k]!);
    if (value > known[stateRows[k]!]!) growScale(store, steps, 'state', stateRows[k]!, value);
  }
  eachEdgeRow(store, minibatch, s, (table, row, value) => {
    if (Math.abs(value) > scales.of(table)[row]!) {
      growScale(store, steps, table, row, Math.abs(value));
    }
  });
}

/** Rescales a row so that weight times scaled value does not change. */
function growScale(
  store: ParameterStore,
  { squares, sums, scales }: AdaptiveSteps,
  table: Table,
  row: number,
  value: number,
): void {
  const known = scales!.of(table);
  const size = scales!.size(table);
  const weights = store.weights[table].view;
  const numbers = squares[table].view;
  const averaged = sums?.[table].view;
  const ratio = known[row]! / value;
  known[row] = value;
  if (ratio === 0) return;
  for (let at = row * size; at < (row + 1) * size; at += 1) {
    weights[at]! *= ratio;
    numbers[at]! *= ratio * ratio;
    if (averaged !== undefined) averaged[at]! *= ratio;
  }
}

/** Returns the divisor of a feature's values. */
function scaleOf({ scales }: AdaptiveSteps, table: Table, row: number): number {
  const scale = scales === undefined ? 1 : scales.of(table)[row]!;
  return scale === 0 ? 1 : scale;
}

/** Makes the step of one sentence; see `Kernel.stepAdaptively`. */
export function stepAdaptively(
  store: ParameterStore,
  steps: AdaptiveSteps,
  contribution: Contribution,
  s: number,
): void {
  if (steps.scales !== undefined) {
    chargeAdaptively(store, steps, contribution.minibatch, s);
    growScales(store, steps, contribution.minibatch, s);
  }
  steps.gradient.gather(store, contribution, s);
  stepGradient(store, steps, steps.gradient);
}

/** Updates the weights that have an entry in a gradient. */
export function stepGradient(
  store: ParameterStore,
  steps: AdaptiveSteps,
  gradient: CoalescedGradient,
): void {
  const { penalty, sentences } = steps;
  for (const table of tables) {
    const { count, rows, size, sums } = gradient[table];
    const weights = store.weights[table].view;
    const squares = steps.squares[table].view;
    const totals = steps.sums?.[table].view;
    const clocks = steps.clocks.of(table);
    for (let i = 0; i < count; i += 1) {
      const row = rows[i]!;
      chargeRow(store, steps, table, row);
      clocks[row] = sentences + 1;
      const scale = scaleOf(steps, table, row);
      for (let y = 0; y < size; y += 1) {
        const g = sums[i * size + y]! / scale;
        const at = row * size + y;
        squares[at]! += g * g;
        if (totals !== undefined) {
          totals[at]! += g;
          weights[at] = penalty.averaged(totals[at]!, squares[at]!, sentences + 1, scale);
        } else weights[at] = penalty.step(weights[at]!, g, squares[at]!, scale);
      }
    }
  }
}

/** Charges a row for the sentences without its feature. */
function chargeRow(store: ParameterStore, steps: AdaptiveSteps, table: Table, row: number): void {
  const clocks = steps.clocks.of(table);
  const missed = steps.sentences - clocks[row]!;
  if (missed <= 0) return;
  clocks[row] = steps.sentences;
  if (steps.penalty.charges) chargeNumbers(store.weights[table].view, steps, table, row, missed);
}

function chargeNumbers(
  weights: Reals,
  steps: AdaptiveSteps,
  table: Table,
  row: number,
  missed: number,
): void {
  const { penalty, squares, sums, clocks, sentences } = steps;
  const numbers = squares[table].view;
  const totals = sums?.[table].view;
  const size = clocks.size(table);
  const scale = scaleOf(steps, table, row);
  for (let at = row * size; at < (row + 1) * size; at += 1) {
    const weight = weights[at]!;
    if (totals !== undefined) {
      weights[at] = penalty.averaged(totals[at]!, numbers[at]!, sentences, scale);
    } else if (weight !== 0) weights[at] = penalty.charged(weight, numbers[at]!, missed, scale);
  }
}

/** Charges all rows of a copy of the weights; see `Kernel.chargeCopy`. */
export function chargeCopy(steps: AdaptiveSteps, copy: Plane): void {
  if (!steps.penalty.charges) return;
  for (const table of tables) chargeTable(steps, copy, table);
}

/** Charges one table of a copy. */
export function chargeTable(steps: AdaptiveSteps, copy: Plane, table: Table): void {
  const weights = copy[table].view;
  const clocks = steps.clocks.of(table);
  const rows = steps.clocks.rows(table);
  for (let row = 0; row < rows; row += 1) {
    const missed = steps.sentences - clocks[row]!;
    if (missed > 0) chargeNumbers(weights, steps, table, row, missed);
  }
}
