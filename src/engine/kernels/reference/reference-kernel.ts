import type { Reals } from '../../core/arrays.js';
import type { Kernel } from '../kernel.js';
import type { Lattice } from '../lattice.js';
import type { Plane } from '../memory/plane.js';
import type { AveragedRows } from '../rows/averaged-rows.js';
import type { ParameterStore } from '../store/parameter-store.js';
import { accumulate, accumulateCompressed } from './accumulate.js';
import { chargeAdaptively, chargeCopy, stepAdaptively } from './adaptive-steps.js';
import { applyCumulativePenalty } from './cumulative-penalty.js';
import { forwardBackwardLog } from './forward-backward-log.js';
import { forwardBackwardScaled } from './forward-backward-scaled.js';
import { pathScore } from './path-score.js';
import { forwardBackwardPruned, viterbiPruned } from './pruned.js';
import { prune, score } from './score.js';
import { viterbi } from './viterbi.js';

/** The plain, readable kernel in float64: every other kernel must agree with it. */
export const referenceKernel: Kernel = {
  name: 'reference',
  precision: 'float64',
  score,
  prune,
  exponentiate(lattice) {
    if (!lattice.candidates.isAll) exponentiate(lattice);
  },
  forwardBackwardScaled(lattice, s) {
    if (lattice.candidates.isPruned(s)) return forwardBackwardPruned(lattice, s);
    return forwardBackwardScaled(lattice, s);
  },
  forwardBackwardLog(lattice, s) {
    if (lattice.candidates.isPruned(s)) return forwardBackwardPruned(lattice, s);
    return forwardBackwardLog(lattice, s);
  },
  viterbi(lattice, s, labels) {
    if (lattice.candidates.isPruned(s)) return viterbiPruned(lattice, s, labels);
    return viterbi(lattice, s, labels);
  },
  pathScore,
  accumulate,
  accumulateCompressed,
  scalePlane,
  axpy,
  applyCumulativePenalty,
  chargeAdaptively,
  stepAdaptively,
  chargeCopy,
  averageRows,
};

/** Tables may have grown with different slack; beyond the shorter one all numbers are zero. */
const tables = ['state', 'edges', 'pairs'] as const;

/** Computes y += factor x; see `Kernel.axpy`. */
function axpy(factor: number, x: Plane, y: Plane): void {
  for (const name of tables) {
    const [u, v] = [x[name].view, y[name].view];
    const length = Math.min(u.length, v.length);
    for (let i = 0; i < length; i += 1) v[i]! += factor * u[i]!;
  }
}

/** Computes plane *= factor; see `Kernel.scalePlane`. */
function scalePlane(plane: Plane, factor: number): void {
  for (const table of [plane.state, plane.edges, plane.pairs]) {
    const numbers = table.view;
    for (let i = 0; i < numbers.length; i += 1) numbers[i]! *= factor;
  }
}

/**
 * Computes exp of all scores of a batch, with the maximum of each row or matrix subtracted; see
 * `Kernel.exponentiate`.
 */
function exponentiate(lattice: Lattice): void {
  const batch = lattice.batch!;
  const { labels, width } = lattice;
  const scores = lattice.emissionScores.view;
  const exps = lattice.expEmissions.view;
  const maxima = lattice.emissionMaxima.view;
  for (let t = 0; t < batch.tokens; t += 1) {
    const row = t * width;
    let maximum = scores[row]!;
    for (let y = 1; y < labels; y += 1) {
      if (scores[row + y]! > maximum) maximum = scores[row + y]!;
    }
    maxima[t] = maximum;
    for (let y = 0; y < labels; y += 1) exps[row + y] = Math.exp(scores[row + y]! - maximum);
    for (let y = labels; y < width; y += 1) exps[row + y] = 0;
  }
  lattice.transitionMaximum = exponentiateMatrix(
    lattice.transitionScores.view,
    lattice.expTransitions.view,
    0,
    labels,
    width,
  );
  for (let t = 0; lattice.slots > 0 && t < batch.tokens; t += 1) {
    const slot = lattice.edgeSlots[t]!;
    if (slot < 0) continue;
    lattice.edgeMaxima.view[slot] = exponentiateMatrix(
      lattice.edgeScores.view,
      lattice.expEdges.view,
      slot * lattice.matrixSize,
      labels,
      width,
    );
  }
}

function exponentiateMatrix(
  scores: Reals,
  exps: Reals,
  start: number,
  labels: number,
  width: number,
): number {
  let maximum = Number.NEGATIVE_INFINITY;
  for (let from = 0; from < labels; from += 1) {
    const row = start + from * width;
    for (let to = 0; to < labels; to += 1) {
      if (scores[row + to]! > maximum) maximum = scores[row + to]!;
    }
  }
  for (let from = 0; from < labels; from += 1) {
    const row = start + from * width;
    for (let to = 0; to < labels; to += 1) exps[row + to] = Math.exp(scores[row + to]! - maximum);
  }
  return maximum;
}

/** See `Kernel.averageRows`. */
function averageRows(store: ParameterStore, averages: Plane, given: AveragedRows): void {
  const { table, count, rows, factors, lanes } = given;
  const { width } = store;
  const weights = store.weights[table].view;
  const numbers = averages[table].view;
  for (let i = 0; i < count; i += 1) {
    const first = rows[i]! * width;
    const kept = factors[4 * i]!;
    const gain = factors[4 * i + 1]!;
    const loss = factors[4 * i + 2]!;
    const scale = factors[4 * i + 3]!;
    for (let y = 0; y < width; y += 1) {
      const own = kept * Math.max(gain, lanes[y]!) - Math.max(loss, lanes[width + y]!);
      const mean = scale * weights[first + y]!;
      numbers[first + y] = mean + Math.max(0, own) * (numbers[first + y]! - mean);
    }
  }
}
