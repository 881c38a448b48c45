import type { Reals } from '../core/arrays.js';
import type { Span } from '../core/sentence/sentence.js';
import type { Lattice } from '../kernels/lattice.js';
import type { SpanPairs } from '../text/tags/spans.js';

/**
 * Computes the probabilities of `spanProbability` from the results of scaled forward-backward, including the
 * backward vectors:
 *
 *     inside_start(y) = exp(e(y)) sum over y' that y starts a span after of alpha(y') exp(a(y', y)) / c
 *     inside_t(y) = exp(e_t(y)) sum over y' that y continues of inside_{t-1}(y') exp(a_t(y', y)) / c_t
 *     p = sum_y' inside_{end-1}(y') sum over y that do not continue y' of exp(a(y', y)) exp(e(y)) beta(y) / c
 *
 * Only sums of products occur. Cost O(m L + m^2 length) per span, for m labels of the span's type.
 */
export class ScaledSpanProbabilities {
  readonly #pairs: SpanPairs;
  /** The labels of each type. */
  readonly #members = new Map<string, Int32Array>();
  #inside: Float64Array;
  #following: Float64Array;

  constructor(pairs: SpanPairs) {
    this.#pairs = pairs;
    const labels = pairs.types.length;
    this.#inside = new Float64Array(labels);
    this.#following = new Float64Array(labels);
    for (const type of new Set(pairs.types)) {
      const members = Array.from({ length: labels }, (_, y) => y);
      this.#members.set(type, Int32Array.from(members.filter(y => pairs.types[y] === type)));
    }
  }

  /** Returns the spans of sentence `s`, each with its probability. */
  of(lattice: Lattice, s: number, spans: readonly Span[]): Span[] {
    const vectors = {
      alpha: lattice.alpha.view,
      beta: lattice.beta.view,
      emissions: lattice.expEmissions.view,
      scales: lattice.scales.view,
      shared: lattice.expTransitions.view,
      tables: lattice.expEdges.view,
    };
    const { sentenceStarts } = lattice.batch!;
    const first = sentenceStarts[s]!;
    const end = sentenceStarts[s + 1]!;
    return spans.map(span => ({
      label: span.label,
      start: span.start,
      end: span.end,
      probability: this.#probability(lattice, vectors, first, end, span),
    }));
  }

  #probability(lattice: Lattice, vectors: Vectors, first: number, end: number, span: Span): number {
    const members = this.#members.get(span.label)!;
    const start = first + span.start;
    const after = first + span.end;
    this.#begin(lattice, vectors, start, span.start === 0, members);
    for (let t = start + 1; t < after; t += 1) this.#continue(lattice, vectors, t, members);
    return Math.min(1, this.#finish(lattice, vectors, after, after === end, members));
  }

  #begin(
    { labels, width, edgeSlots, matrixSize }: Lattice,
    { alpha, emissions, scales, shared, tables }: Vectors,
    t: number,
    isFirst: boolean,
    members: Int32Array,
  ): void {
    const { starts, startsFirst } = this.#pairs;
    const slot = edgeSlots[t]!;
    const matrix = slot < 0 ? shared : tables;
    const base = Math.max(0, slot) * matrixSize;
    const before = (t - 1) * width;
    for (let i = 0; i < members.length; i += 1) {
      const y = members[i]!;
      let sum = 0;
      if (isFirst) sum = startsFirst[y]!;
      else {
        for (let from = 0; from < labels; from += 1) {
          if (starts[from * labels + y] === 0) continue;
          sum += alpha[before + from]! * matrix[base + from * width + y]!;
        }
      }
      this.#inside[i] = (sum * emissions[t * width + y]!) / scales[t]!;
    }
  }

  #continue(
    { labels, width, edgeSlots, matrixSize }: Lattice,
    { emissions, scales, shared, tables }: Vectors,
    t: number,
    members: Int32Array,
  ): void {
    const { continues } = this.#pairs;
    const slot = edgeSlots[t]!;
    const matrix = slot < 0 ? shared : tables;
    const base = Math.max(0, slot) * matrixSize;
    const inside = this.#inside;
    const following = this.#following;
    for (let i = 0; i < members.length; i += 1) {
      const y = members[i]!;
      let sum = 0;
      for (let j = 0; j < members.length; j += 1) {
        const from = members[j]!;
        if (continues[from * labels + y] === 0) continue;
        sum += inside[j]! * matrix[base + from * width + y]!;
      }
      following[i] = (sum * emissions[t * width + y]!) / scales[t]!;
    }
    this.#inside = following;
    this.#following = inside;
  }

  /** Sums over the possible continuations from token `t` on, the first token after the span. */
  #finish(
    { labels, width, edgeSlots, matrixSize }: Lattice,
    { beta, emissions, scales, shared, tables }: Vectors,
    t: number,
    isPastEnd: boolean,
    members: Int32Array,
  ): number {
    const { continues } = this.#pairs;
    const inside = this.#inside;
    let total = 0;
    if (isPastEnd) {
      for (let i = 0; i < members.length; i += 1) total += inside[i]!;
      return total;
    }
    const slot = edgeSlots[t]!;
    const matrix = slot < 0 ? shared : tables;
    const base = Math.max(0, slot) * matrixSize;
    for (let i = 0; i < members.length; i += 1) {
      const from = members[i]!;
      if (inside[i] === 0) continue;
      let sum = 0;
      for (let y = 0; y < labels; y += 1) {
        if (continues[from * labels + y] === 1) continue;
        const rest = emissions[t * width + y]! * beta[t * width + y]!;
        sum += matrix[base + from * width + y]! * rest;
      }
      total += inside[i]! * sum;
    }
    return total / scales[t]!;
  }
}

/** The results of forward-backward, read once for all spans of a sentence. */
interface Vectors {
  readonly alpha: Reals;
  readonly beta: Reals;
  readonly emissions: Reals;
  readonly scales: Reals;
  readonly shared: Reals;
  readonly tables: Reals;
}
