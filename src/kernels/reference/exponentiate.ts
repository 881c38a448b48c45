import type { Reals } from '../../core/arrays.js';
import type { Lattice } from '../lattice.js';

/** exp of all scores of a batch, each row or matrix less its largest; see `Kernel.exponentiate`. */
export function exponentiate(lattice: Lattice): void {
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
  for (let s = 0; lattice.slots > 0 && s < batch.sentenceStarts.length - 1; s += 1) {
    if (lattice.pairLists.isListed(s)) exponentiatePairs(lattice, s);
    else exponentiateSlots(lattice, s);
  }
}

function exponentiateSlots(lattice: Lattice, s: number): void {
  const { labels, width, matrixSize, edgeSlots } = lattice;
  const { sentenceStarts } = lattice.batch!;
  const maxima = lattice.edgeMaxima.view;
  for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
    const slot = edgeSlots[t]!;
    if (slot < 0) continue;
    maxima[slot] = exponentiateMatrix(
      lattice.edgeScores.view,
      lattice.expEdges.view,
      slot * matrixSize,
      labels,
      width,
    );
  }
}

/** exp of the listed scores of each token, less the largest of them and of 0, and exp(0) less that. */
function exponentiatePairs({ pairLists, batch }: Lattice, s: number): void {
  const { starts } = pairLists;
  const scores = pairLists.scores.view;
  const exps = pairLists.exps.view;
  for (let t = batch!.sentenceStarts[s]!; t < batch!.sentenceStarts[s + 1]!; t += 1) {
    let maximum = 0;
    for (let k = starts[t]!; k < starts[t + 1]!; k += 1) {
      if (scores[k]! > maximum) maximum = scores[k]!;
    }
    for (let k = starts[t]!; k < starts[t + 1]!; k += 1) exps[k] = Math.exp(scores[k]! - maximum);
    pairLists.maxima.view[t] = maximum;
    pairLists.bases.view[t] = Math.exp(-maximum);
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
