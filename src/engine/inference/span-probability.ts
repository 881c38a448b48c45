import type { Lattice } from '../kernels/lattice.js';
import type { SpanPairs } from '../text/tags/spans.js';

/** A span: its type and its tokens `[start, end)` of the sentence. */
interface SpanPlace {
  readonly label: string;
  readonly start: number;
  readonly end: number;
}

/** Accumulates a sum of exponentials as its logarithm. */
class LogSum {
  #maximum = Number.NEGATIVE_INFINITY;
  #sum = 0;

  add(term: number): void {
    if (term === Number.NEGATIVE_INFINITY) return;
    if (term > this.#maximum) {
      this.#sum = this.#sum * Math.exp(this.#maximum - term) + 1;
      this.#maximum = term;
    } else this.#sum += Math.exp(term - this.#maximum);
  }

  get log(): number {
    return this.#sum === 0 ? Number.NEGATIVE_INFINITY : this.#maximum + Math.log(this.#sum);
  }
}

/**
 * Returns the probability that the labels of a sentence mark exactly this span: the sum of p(y | x)
 * over all label sequences y for which `spansOf` finds a span of this type that starts at `start`
 * and ends at `end`.
 *
 * Exact, from the log-space vectors of `forwardBackwardLog`, given its log Z: alpha covers the
 * tokens before the span, beta those after it, and between them a forward pass runs over the labels
 * that continue the span. Cost O(m L + m^2 length) for m labels of the span's type.
 */
export function spanProbability(
  lattice: Lattice,
  s: number,
  logZ: number,
  pairs: SpanPairs,
  { label, start, end }: SpanPlace,
): number {
  const { labels, width, matrixSize } = lattice;
  const begin = lattice.batch!.sentenceStarts[s]!;
  const stop = lattice.batch!.sentenceStarts[s + 1]!;
  const emissions = lattice.emissionScores.view;
  const alpha = lattice.logAlpha.view;
  const beta = lattice.logBeta.view;
  const scoresInto = (t: number) => {
    const slot = lattice.edgeSlots[t]!;
    return slot < 0
      ? lattice.transitionScores.view
      : lattice.edgeScores.view.subarray(slot * matrixSize, (slot + 1) * matrixSize);
  };
  const first = begin + start;
  let inside = new Float64Array(labels).fill(Number.NEGATIVE_INFINITY);
  for (let y = 0; y < labels; y += 1) {
    if (pairs.types[y] !== label) continue;
    const score = emissions[first * width + y]!;
    if (start === 0) {
      if (pairs.startsFirst[y] === 1) inside[y] = score;
      continue;
    }
    const matrix = scoresInto(first);
    const sum = new LogSum();
    for (let from = 0; from < labels; from += 1) {
      if (pairs.starts[from * labels + y] === 0) continue;
      sum.add(alpha[(first - 1) * width + from]! + matrix[from * width + y]!);
    }
    inside[y] = sum.log + score;
  }
  for (let t = first + 1; t < begin + end; t += 1) {
    const matrix = scoresInto(t);
    const next = new Float64Array(labels).fill(Number.NEGATIVE_INFINITY);
    for (let y = 0; y < labels; y += 1) {
      if (pairs.types[y] !== label) continue;
      const sum = new LogSum();
      for (let from = 0; from < labels; from += 1) {
        if (inside[from] === Number.NEGATIVE_INFINITY) continue;
        if (pairs.continues[from * labels + y] === 0) continue;
        sum.add(inside[from]! + matrix[from * width + y]!);
      }
      next[y] = sum.log + emissions[t * width + y]!;
    }
    inside = next;
  }
  const after = begin + end;
  const total = new LogSum();
  for (let from = 0; from < labels; from += 1) {
    if (inside[from] === Number.NEGATIVE_INFINITY) continue;
    if (after === stop) {
      total.add(inside[from]!);
      continue;
    }
    const matrix = scoresInto(after);
    for (let y = 0; y < labels; y += 1) {
      if (pairs.continues[from * labels + y] === 1) continue;
      const rest = emissions[after * width + y]! + beta[after * width + y]!;
      total.add(inside[from]! + matrix[from * width + y]! + rest);
    }
  }
  return Math.min(1, Math.exp(total.log - logZ));
}
