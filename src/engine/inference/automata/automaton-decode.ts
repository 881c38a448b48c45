import { logSum } from '../../core/arrays.js';
import type { Lattice } from '../../kernels/lattice.js';
import type { LabelAutomaton } from './label-automaton.js';

/** Adds a token's transition and emission scores, from each previous label to each label. */
type Step = (before: Float64Array, into: Float64Array, t: number) => void;

/**
 * Finds the best label sequence of a sentence that an automaton accepts, by Viterbi over pairs of
 * an automaton state and a label:
 *
 *     V_t(q', y) = e_t(y) + max over (q, y') with next(q, y) = q' of V_{t-1}(q, y') + a_t(y', y)
 *
 * Writes the best labels to `labels` at the sentence's tokens. Ties go to the lower label, then the lower state, at
 * the last token first. Computes in float64 whatever the lattice's precision. Cost O(T L^2 Q) for Q states, memory 4
 * T L Q bytes. Gupta's report names the problem (inference with constraints).
 *
 * @returns the sequence's score, minus infinity if no sequence is accepted or possible
 */
export function automatonViterbi(
  lattice: Lattice,
  s: number,
  automaton: LabelAutomaton,
  best: Int32Array,
): number {
  const { labels, states, next, accepts } = automaton;
  const { first, end, cells } = placesOf(lattice, s, automaton);
  const from = new Int32Array((end - first) * cells).fill(-1);
  const came = new Int32Array(cells);
  const scores = lattice.emissionScores.view;
  const step: Step = (before, into, t) => {
    into.fill(Number.NEGATIVE_INFINITY);
    came.fill(-1);
    const { matrix, base } = matrixAt(lattice, t);
    for (let q = 0; q < states; q += 1) {
      for (let y = 0; y < labels; y += 1) {
        const to = next[q * labels + y]!;
        if (to < 0) continue;
        let most = Number.NEGATIVE_INFINITY;
        let at = -1;
        for (let left = 0; left < labels; left += 1) {
          const score = before[q * labels + left]! + matrix[base + left * lattice.width + y]!;
          if (score > most) {
            most = score;
            at = q * labels + left;
          }
        }
        most += scores[t * lattice.width + y]!;
        const place = to * labels + y;
        if (most > into[place]!) {
          into[place] = most;
          came[place] = at;
        }
      }
    }
    from.set(came, (t - first) * cells);
  };
  const last = over(lattice, automaton, { first, end, cells }, step);
  let place = -1;
  for (let y = 0; y < labels; y += 1) {
    for (let q = 0; q < states; q += 1) {
      const cell = q * labels + y;
      if (accepts[q] === 0 || last[cell] === Number.NEGATIVE_INFINITY) continue;
      if (place < 0 || last[cell]! > last[place]!) place = cell;
    }
  }
  if (place < 0) return Number.NEGATIVE_INFINITY;
  const score = last[place]!;
  for (let t = end - 1; t >= first; t -= 1) {
    best[t] = place % labels;
    place = from[(t - first) * cells + place]!;
  }
  return score;
}

/**
 * Returns log Z under an automaton's constraints: the log-sum-exp of the scores of all label sequences that it
 * accepts. Cost O(T L^2 Q).
 *
 * @returns minus infinity if no sequence is accepted or possible
 */
export function automatonLogSum(lattice: Lattice, s: number, automaton: LabelAutomaton): number {
  const { labels, states, next, accepts } = automaton;
  const places = placesOf(lattice, s, automaton);
  const scores = lattice.emissionScores.view;
  const terms = new Float64Array(labels);
  const step: Step = (before, into, t) => {
    into.fill(Number.NEGATIVE_INFINITY);
    const { matrix, base } = matrixAt(lattice, t);
    for (let q = 0; q < states; q += 1) {
      for (let y = 0; y < labels; y += 1) {
        const to = next[q * labels + y]!;
        if (to < 0) continue;
        for (let left = 0; left < labels; left += 1) {
          terms[left] = before[q * labels + left]! + matrix[base + left * lattice.width + y]!;
        }
        const sum = logSum(terms) + scores[t * lattice.width + y]!;
        into[to * labels + y] = logAdd(into[to * labels + y]!, sum);
      }
    }
  };
  const last = over(lattice, automaton, places, step);
  let total = Number.NEGATIVE_INFINITY;
  for (let q = 0; q < states; q += 1) {
    if (accepts[q] === 1)
      total = logAdd(total, logSum(last.subarray(q * labels, (q + 1) * labels)));
  }
  return total;
}

interface Places {
  readonly first: number;
  readonly end: number;
  readonly cells: number;
}

function placesOf(lattice: Lattice, s: number, { states, labels }: LabelAutomaton): Places {
  const { sentenceStarts } = lattice.batch!;
  return { first: sentenceStarts[s]!, end: sentenceStarts[s + 1]!, cells: states * labels };
}

/**
 * Computes the values of (state, label) pairs at the last token; `step` advances the values by one
 * token.
 */
function over(
  { emissionScores, width }: Lattice,
  { labels, next }: LabelAutomaton,
  { first, end, cells }: Places,
  step: Step,
): Float64Array {
  let here = new Float64Array(cells).fill(Number.NEGATIVE_INFINITY);
  let other = new Float64Array(cells);
  for (let y = 0; y < labels && cells > 0; y += 1) {
    const to = next[y]!;
    if (to >= 0) here[to * labels + y] = emissionScores.view[first * width + y]!;
  }
  for (let t = first + 1; t < end; t += 1) {
    step(here, other, t);
    [here, other] = [other, here];
  }
  return here;
}

/** Transition scores into a token, and their offset. */
function matrixAt(lattice: Lattice, t: number) {
  const slot = lattice.edgeSlots[t]!;
  return slot < 0
    ? { matrix: lattice.transitionScores.view, base: 0 }
    : { matrix: lattice.edgeScores.view, base: slot * lattice.matrixSize };
}

function logAdd(a: number, b: number): number {
  const most = Math.max(a, b);
  return most === Number.NEGATIVE_INFINITY ? most : most + Math.log1p(Math.exp(-Math.abs(a - b)));
}
