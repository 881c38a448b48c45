import type { Reals } from '../../core/arrays.js';
import type { Lattice } from '../lattice.js';

/** Transitions into a label (or out of one) that a sparse recursion goes over. */
export interface SparseColumn {
  /** Labels at the other end. */
  readonly others: readonly number[];
  /** exp(a) - exp(0) of each, or exp(a) in explicit columns, all less what the exponentials are. */
  readonly weights: readonly number[];
  /** Whether all possible transitions are listed, as there are no more than active ones. */
  readonly isExplicit: boolean;
  /** Whether the weights are so far below 0 that the sum may cancel. */
  readonly isChecked: boolean;
  /** Where its transitions are in the matrix: that of label 0, and from one label to the next. */
  readonly first: number;
  readonly step: number;
}

/** Labels below which lists never pay, and the share of all pairs up to which they do. */
const fewestLabels = 16;
const largestShare = 0.3;
/** Without an exponential below this share of that of 0, a sum cannot cancel. */
const floorShare = 0.0625;

/**
 * The active transitions of a lattice: those whose score is not 0. With exp(a(y', y)) = 1 + M(y', y),
 * M is 0 elsewhere, and a sum over all labels is one sum for all plus one over the active transitions:
 * Sokolovska, Lavergne, Cappe and Yvon (2010), eq. 9.
 */
export class SparseTransitions {
  /** By label at the second end, and at the first. */
  readonly into: readonly SparseColumn[];
  readonly outOf: readonly SparseColumn[];
  /** exp(0), less what was subtracted from all scores. */
  readonly base: number;

  /** Of the exponentials of a lattice. */
  constructor({ labels, width, transitionScores, expTransitions, transitionMaximum }: Lattice) {
    const base = Math.exp(-transitionMaximum);
    const [scores, exps] = [transitionScores.view, expTransitions.view];
    const all = Array.from({ length: labels }, (_, y) => y);
    this.base = base;
    this.into = all.map(y => columnOf(scores, exps, base, all, y, width));
    this.outOf = all.map(y => columnOf(scores, exps, base, all, y * width, 1));
  }
}

/** Whether a lattice's transitions are to be listed: they are few, or the lattice asks for it. */
export function isSparse({ transitionForm, transitionScores, labels, width }: Lattice): boolean {
  if (transitionForm !== 'auto') return transitionForm === 'sparse';
  if (labels < fewestLabels) return false;
  const scores = transitionScores.view;
  let active = 0;
  for (let from = 0; from < labels; from += 1) {
    for (let to = 0; to < labels; to += 1) if (scores[from * width + to] !== 0) active += 1;
  }
  return active <= largestShare * labels ** 2;
}

function columnOf(
  scores: Reals,
  exps: Reals,
  base: number,
  all: readonly number[],
  first: number,
  step: number,
): SparseColumn {
  const placeOf = (other: number) => first + other * step;
  const active = all.filter(other => scores[placeOf(other)] !== 0);
  const possible = all.filter(other => exps[placeOf(other)]! > 0);
  const isExplicit = possible.length <= active.length;
  const others = isExplicit ? possible : active;
  const weights = others.map(other => exps[placeOf(other)]! - (isExplicit ? 0 : base));
  const isChecked = !all.every(other => exps[placeOf(other)]! >= floorShare * base);
  return { others, weights, isExplicit, isChecked, first, step };
}
