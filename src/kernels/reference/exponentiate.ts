import type { Reals } from '../../core/reals.js';
import type { Lattice } from '../lattice.js';

/** exp of all scores of a batch, each row or matrix less its largest; see `Kernel.exponentiate`. */
export function exponentiate(lattice: Lattice): void {
  const batch = lattice.batch!;
  const { labels, width, matrixSize } = lattice;
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
  const edgeMaxima = lattice.edgeMaxima.view;
  for (let slot = 0; slot < lattice.slots; slot += 1) {
    edgeMaxima[slot] = exponentiateMatrix(
      lattice.edgeScores.view,
      lattice.expEdges.view,
      slot * matrixSize,
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
