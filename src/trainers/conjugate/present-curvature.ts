import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Reals } from '../../core/reals.js';
import type { Contribution } from '../../core/training/contribution.js';
import type { Plane } from '../../kernels/memory/plane.js';
import type { Objective } from '../objective.js';

/**
 * About the diagonal of the Hessian of the log loss and its penalty at the present weights, for tokens that do not
 * depend on each other:
 *
 *     h_k = 2 l2 + sum over sentences and tokens of f_k^2 p (1 - p)
 *
 * with p the marginal of the label, or pair of labels, of weight k. Of plain transitions only the sum P of their
 * marginals over a sentence of n is known, and P (1 - P / n), which is no less, takes the place of theirs. Cost: one
 * forward-backward pass over the corpus. It needs an objective with the log loss.
 *
 * @param plane of the parameters, for the sums; what it holds is lost
 */
export function presentCurvature(objective: Objective, plane: Plane): Float64Array {
  const { kernel, parameters, free, l2 } = objective;
  kernel.scalePlane(plane, 0);
  objective.evaluations += 1;
  for (const minibatch of objective.corpus) {
    const made = objective.contribute(minibatch);
    const squared = withSquares(minibatch);
    for (let s = 0; s < minibatch.sentences.length; s += 1) {
      if (minibatch.labelled[s] === 0) continue;
      spread(made, s, parameters.labels);
      const variances: Contribution = squared === minibatch ? made : replaced(made, squared);
      kernel.accumulate(parameters, plane, variances, s, 1);
    }
  }
  const curvature = new Float64Array(free.size);
  free.gather(plane, curvature);
  for (let k = 0; k < curvature.length; k += 1) curvature[k] = 2 * l2 + Math.max(0, curvature[k]!);
  return curvature;
}

/** Puts p (1 - p) where the residuals p - [gold] of a sentence are. */
function spread(made: Contribution, s: number, labels: number): void {
  const { minibatch, width, matrixSize, residual, edgeResidual, transitionResidual } = made;
  const { sentenceStarts, gold, weights } = minibatch;
  const first = sentenceStarts[s]!;
  const end = sentenceStarts[s + 1]!;
  const weight = weights?.[s] ?? 1;
  if (weight === 0) return;
  const pairs = new Float64Array(labels * width);
  for (let t = first; t < end; t += 1) {
    variances(residual, t * width, labels, gold[t]!, weight);
    if (t === first) continue;
    const pair = gold[t]! < 0 ? -1 : gold[t - 1]! * width + gold[t]!;
    if (pair >= 0) pairs[pair]! += 1;
    const slot = made.edgeSlots[t] ?? -1;
    if (slot >= 0) variances(edgeResidual, slot * matrixSize, labels * width, pair, weight);
  }
  const transitions = end - first - 1;
  if (transitions < 1) return;
  for (let i = 0; i < labels * width; i += 1) {
    const at = s * matrixSize + i;
    const sum = transitionResidual[at]! / weight + pairs[i]!;
    transitionResidual[at] = weight * Math.max(0, sum * (1 - sum / transitions));
  }
}

function variances(table: Reals, from: number, count: number, gold: number, weight: number): void {
  for (let i = 0; i < count; i += 1) {
    const p = table[from + i]! / weight + (i === gold ? 1 : 0);
    table[from + i] = weight * Math.max(0, p * (1 - p));
  }
}

/** The minibatch with the squares of the values of features; itself where all are 1. */
function withSquares(minibatch: Minibatch): Minibatch {
  const { stateValues, edgeValues } = minibatch;
  if (stateValues === undefined && edgeValues === undefined) return minibatch;
  const squares = (values: Float64Array | undefined) => values?.map(value => value * value);
  return { ...minibatch, stateValues: squares(stateValues), edgeValues: squares(edgeValues) };
}

/** A contribution with other values of features; views are looked up each time, as those of the lattice are. */
function replaced(made: Contribution, minibatch: Minibatch): Contribution {
  const { width, matrixSize, edgeSlots, loss, losses, sentenceCount, tokenCount, version } = made;
  const other: Contribution = {
    ...{ minibatch, width, matrixSize, edgeSlots },
    ...{ loss, losses, sentenceCount, tokenCount, version },
    get residual() {
      return made.residual;
    },
    get transitionResidual() {
      return made.transitionResidual;
    },
    get edgeResidual() {
      return made.edgeResidual;
    },
    assertCurrent: () => made.assertCurrent(),
    detach: () => made.detach(),
  };
  return other;
}
