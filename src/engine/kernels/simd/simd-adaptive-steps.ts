import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Contribution } from '../../core/training/contribution.js';
import type { Plane } from '../memory/plane.js';
import { chargeEdges, chargeTable, growScales, stepGradient } from '../reference/adaptive-steps.js';
import type { AdaptiveSteps } from '../rows/adaptive-steps.js';
import type { ParameterStore } from '../store/parameter-store.js';
import type { SimdMemory } from './simd-memory.js';

/** Number of weights of a copy charged at a time in the kernel's memory. */
const copiedAtOnce = 2 ** 18;

/** Runs `Kernel.chargeAdaptively`; edge features are left to the reference. */
export function chargeInSimd(
  simd: SimdMemory,
  store: ParameterStore,
  steps: AdaptiveSteps,
  minibatch: Minibatch,
  s: number,
): void {
  simd.load(minibatch);
  const { weights } = store;
  const { squares, clocks, penalty, sentences } = steps;
  const [from, to] = simd.rangeOf(s);
  const { eta, delta, r1, r2 } = penalty;
  simd.run.chargeRows(
    weights.state.offset,
    squares.state.offset,
    sumsOf(steps, 'state'),
    clocks.offset('state'),
    scalesOf(steps),
    simd.rows,
    from,
    to,
    store.width,
    sentences,
    eta,
    delta,
    r1,
    r2,
  );
  if (scoresTransitions(store, minibatch, s)) chargeTransitions(simd, store, steps);
  chargeEdges(store, steps, minibatch, s);
}

/** Runs `Kernel.stepAdaptively`, for a contribution in the store's precision. */
export function stepInSimd(
  simd: SimdMemory,
  store: ParameterStore,
  steps: AdaptiveSteps,
  contribution: Contribution,
  s: number,
): void {
  const { minibatch } = contribution;
  const { support, weights, width, matrixSize } = store;
  const { squares, clocks, penalty, sentences, gradient } = steps;
  const { eta, delta, r1, r2 } = penalty;
  if (steps.scales !== undefined) {
    chargeInSimd(simd, store, steps, minibatch, s);
    growScales(store, steps, minibatch, s);
  }
  const hasTransitions = scoresTransitions(store, minibatch, s);
  // Residuals come last, because loading the rest may grow the memory.
  simd.load(minibatch);
  const [from, to] = simd.rangeOf(s);
  const heads = simd.heads(store.stateRows);
  const links = simd.links(to - from);
  const bits = support === undefined ? 0 : simd.support.of(support, store.stateRows, width);
  const masked = support !== undefined && hasTransitions;
  const matrix = masked ? maskedTransitions(simd, store, contribution, s) : undefined;
  simd.loadResiduals(contribution);
  const { run } = simd;
  run.stepRows(
    weights.state.offset,
    squares.state.offset,
    sumsOf(steps, 'state'),
    clocks.offset('state'),
    scalesOf(steps),
    simd.residual,
    simd.startsOf(s),
    simd.rows,
    simd.values,
    minibatch.sentenceStarts[s]!,
    minibatch.sentenceStarts[s + 1]!,
    width,
    heads,
    links,
    bits,
    support === undefined ? 0 : simd.support.words,
    sentences,
    eta,
    delta,
    r1,
    r2,
  );
  if (hasTransitions) {
    chargeTransitions(simd, store, steps);
    clocks.of('edges')[0] = sentences + 1;
    const bytes = contribution.transitionResidual.BYTES_PER_ELEMENT;
    run.stepNumbers(
      weights.edges.offset,
      squares.edges.offset,
      sumsOf(steps, 'edges'),
      matrix ?? simd.transitionResidual + s * matrixSize * bytes,
      matrixSize,
      sentences + 1,
      eta,
      delta,
      r1,
      r2,
    );
  }
  if (minibatch.edgeStarts === undefined) return;
  gradient.gatherEdges(store, contribution, s);
  stepGradient(store, steps, gradient);
}

/**
 * Runs `Kernel.chargeCopy`; a copy in another memory goes through the kernel's memory piece by
 * piece.
 */
export function chargeCopyInSimd(simd: SimdMemory, steps: AdaptiveSteps, copy: Plane): void {
  const { penalty, squares, clocks } = steps;
  if (!penalty.charges) return;
  const rows = clocks.rows('state');
  if (copy.state.memory === squares.state.memory) {
    chargeRange(simd, steps, copy.state.offset, 0, rows);
  } else {
    const width = clocks.size('state');
    const atOnce = Math.min(rows, Math.ceil(copiedAtOnce / width));
    const piece = simd.sums(atOnce * width);
    const weights = copy.state.view;
    for (let first = 0; first < rows; first += atOnce) {
      const count = Math.min(atOnce, rows - first);
      const numbers = weights.subarray(first * width, (first + count) * width);
      const view = simd.numbersAt(piece, numbers);
      view.set(numbers);
      chargeRange(simd, steps, piece, first, count);
      numbers.set(view);
    }
  }
  chargeTable(steps, copy, 'edges');
  chargeTable(steps, copy, 'pairs');
}

/** Charges `count` state feature rows from `first` on, with their weights at `place`. */
function chargeRange(
  { run }: SimdMemory,
  steps: AdaptiveSteps,
  place: number,
  first: number,
  count: number,
): void {
  const { penalty, squares, clocks, sentences } = steps;
  const { eta, delta, r1, r2 } = penalty;
  const { state } = squares;
  const scales = scalesOf(steps);
  const sums = sumsOf(steps, 'state');
  const skipped = first * state.width * (state.precision === 'float64' ? 8 : 4);
  run.chargeCopies(
    place,
    state.offset + skipped,
    sums === 0 ? 0 : sums + skipped,
    clocks.offset('state') + first * 8,
    scales === 0 ? 0 : scales + first * 8,
    count,
    state.width,
    sentences,
    eta,
    delta,
    r1,
    r2,
  );
}

/** Returns the address of a table's gradient sums; 0 if there are none. */
function sumsOf({ sums }: AdaptiveSteps, table: 'state' | 'edges'): number {
  return sums?.[table].offset ?? 0;
}

/** Returns the address of the state features' scales; 0 if there are none. */
function scalesOf({ scales }: AdaptiveSteps): number {
  return scales?.offset('state') ?? 0;
}

function scoresTransitions(store: ParameterStore, { sentenceStarts }: Minibatch, s: number) {
  return store.scoresTransitions(sentenceStarts[s + 1]! - sentenceStarts[s]!);
}

function chargeTransitions({ run }: SimdMemory, store: ParameterStore, steps: AdaptiveSteps): void {
  const { squares, sums, clocks, penalty, sentences } = steps;
  const clock = clocks.of('edges');
  const missed = sentences - clock[0]!;
  if (missed <= 0) return;
  clock[0] = sentences;
  if (!penalty.charges) return;
  const { eta, delta, r1, r2 } = penalty;
  const { matrixSize, weights } = store;
  const places = [weights.edges.offset, squares.edges.offset];
  if (sums === undefined) run.chargeNumbers(...places, matrixSize, missed, delta, r1, r2);
  else run.averageNumbers(...places, sums.edges.offset, matrixSize, sentences, eta, delta, r1, r2);
}

/** Copies the residuals of plain transitions that may have a weight; returns their address. */
function maskedTransitions(
  simd: SimdMemory,
  { support, matrixSize }: ParameterStore,
  contribution: Contribution,
  s: number,
): number {
  const allowed = support!.transitions;
  const place = simd.sums(matrixSize);
  const { transitionResidual } = contribution;
  const residual = transitionResidual.subarray(s * matrixSize, (s + 1) * matrixSize);
  const view = simd.numbersAt(place, residual);
  for (let i = 0; i < matrixSize; i += 1) view[i] = allowed[i] === 1 ? residual[i]! : 0;
  return place;
}
