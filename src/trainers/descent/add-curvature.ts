import type { Reals } from '../../core/reals.js';
import type { Contribution } from '../../core/training/contribution.js';
import type { VisitBlock } from './visit-blocks.js';

/** Sums over sentences for each weight of a visit. */
export interface CurvatureSums {
  /** sum of value * residual. */
  readonly gradient: Float64Array;
  /** sum of value^2 * p (1 - p). */
  readonly curvature: Float64Array;
}

/** How a contribution is read. */
export interface CurvatureReading {
  readonly contribution: Contribution;
  /** Whether residuals have the gold labels in them; else they are marginals. */
  readonly isResidual: boolean;
  readonly sums: CurvatureSums;
}

/** Adds what one token, with the feature of the block at `value`, says of the weights of the block. */
export function addToken(
  { contribution, isResidual, sums }: CurvatureReading,
  { block, from, cells }: VisitBlock,
  token: number,
  s: number,
  value: number,
): void {
  const { minibatch, width, matrixSize } = contribution;
  const weight = minibatch.weights === undefined ? 1 : minibatch.weights[s]!;
  let table: Reals = contribution.residual;
  let start = token * width;
  let gold = minibatch.gold[token]!;
  if (block.kind === 'edge') {
    const slot = contribution.edgeSlots[token]!;
    if (slot < 0) return;
    table = contribution.edgeResidual;
    start = slot * matrixSize;
    // Gold is -1 at all tokens of a sentence or at none.
    gold = gold < 0 ? -1 : minibatch.gold[token - 1]! * width + gold;
  }
  if (weight === 0) return;
  if (!isResidual) gold = -1;
  for (let k = 0; k < cells.length; k += 1) {
    const cell = cells[k]!;
    const residual = table[start + cell]!;
    const p = residual / weight + (cell === gold ? 1 : 0);
    sums.gradient[from + k]! += value * residual;
    sums.curvature[from + k]! += weight * value * value * Math.max(p * (1 - p), 0);
  }
}

/**
 * Adds what one sentence says of the plain transitions. Of their marginals p_t only the sum P over the
 * sentence is kept; sum p_t (1 - p_t) <= P (1 - P / n) for n transitions takes its place.
 */
export function addTransitions(
  { contribution, isResidual, sums }: CurvatureReading,
  { from, cells }: VisitBlock,
  s: number,
  counts: Float64Array,
): void {
  const { minibatch, width, matrixSize, transitionResidual: table } = contribution;
  const { sentenceStarts, gold } = minibatch;
  const first = sentenceStarts[s]!;
  const end = sentenceStarts[s + 1]!;
  const weight = minibatch.weights === undefined ? 1 : minibatch.weights[s]!;
  const transitions = end - first - 1;
  if (transitions < 1 || weight === 0) return;
  counts.fill(0);
  for (let t = first + 1; isResidual && t < end && gold[t]! >= 0; t += 1) {
    counts[gold[t - 1]! * width + gold[t]!]! += 1;
  }
  for (let k = 0; k < cells.length; k += 1) {
    const cell = cells[k]!;
    const residual = table[s * matrixSize + cell]!;
    const sum = residual / weight + counts[cell]!;
    sums.gradient[from + k]! += residual;
    sums.curvature[from + k]! += weight * Math.max(sum * (1 - sum / transitions), 0);
  }
}
