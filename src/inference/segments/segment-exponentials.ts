import type { Lattice } from '../../kernels/lattice.js';
import type { PairExponentials } from './pair-exponentials.js';
import type { SegmentArrays } from './segment-arrays.js';

/** Scores that differ by more than this are left to log space. */
const furthest = 100;

/** The least number that a scaled recursion may come to: with `furthest`, no product that follows underflows. */
export const leastValue = 2 ** -300;

/**
 * The exponentials of what a sentence of a scored lattice is scored by: of labels less the best at their token, of spans
 * and of plain transitions. Returns the sum of what was subtracted, or NaN where they differ by too much.
 */
export function exponentiateSegments(work: SegmentArrays, lattice: Lattice): number {
  const { tables, first, length, emissions, spans } = work;
  const { labels } = tables;
  const { width } = lattice;
  const scores = lattice.emissionScores.view;
  let subtracted = 0;
  for (let t = 0; t < length; t += 1) {
    const row = (first + t) * width;
    let most = Number.NEGATIVE_INFINITY;
    let lowest = Number.POSITIVE_INFINITY;
    for (let y = 0; y < labels; y += 1) {
      const score = scores[row + y]!;
      if (score > most) most = score;
      if (score < lowest && score !== Number.NEGATIVE_INFINITY) lowest = score;
    }
    if (!(most - lowest <= furthest)) return Number.NaN;
    subtracted += most;
    const at = t * labels;
    for (let y = 0; y < labels; y += 1) emissions[at + y] = Math.exp(scores[row + y]! - most);
  }
  const segments = lattice.segments!;
  const given = segments.scores;
  const from = first * segments.perToken;
  const count = length * segments.perToken;
  for (let i = 0; i < count; i += 1) {
    const score = given[from + i]!;
    if (!(Math.abs(score) <= furthest)) return Number.NaN;
    spans[i] = score === 0 ? 1 : Math.exp(score);
  }
  const isInRange = work.plain.exponentiate(
    tables,
    lattice.transitionScores.view,
    0,
    width,
    furthest,
  );
  return isInRange ? subtracted : Number.NaN;
}

/** Exponentials of the transitions into token `t` of the sentence; undefined where they are out of range. */
export function exponentialsInto(
  work: SegmentArrays,
  lattice: Lattice,
  t: number,
): PairExponentials | undefined {
  const slot = work.slotAt(lattice, t);
  if (slot < 0) return work.plain;
  const { width, matrixSize, edgeScores } = lattice;
  const { own, tables } = work;
  const at = slot * matrixSize;
  return own.exponentiate(tables, edgeScores.view, at, width, furthest) ? own : undefined;
}
