import type { Lattice } from '../../kernels/lattice.js';
import { scaledBackward } from './scaled-backward.js';
import { scaledForward } from './scaled-forward.js';
import { SegmentArrays } from './segment-arrays.js';
import { exponentialsInto, exponentiateSegments } from './segment-exponentials.js';
import type { SegmentSums } from './segment-sums.js';

/**
 * Sums over all label sequences of a lattice with scored spans, scaled: forward and backward over states (label, length
 * of the span so far), where a span is scored at its end. What comes from the states of a label at which a span ends
 * is summed once, so label pairs are gone over as often as in a chain, and only the few that keep a span
 * going once for each length:
 *
 *     A_t(i) = a_t(i, 0) + sum over d of a_t(i, d) exp g(t, d, type of i)
 *     a_{t+1}(j, 0 or 1) = exp e_{t+1}(j) * sum over pairs (i, j) at which a span ends of A_t(i) exp w(i, j)
 *     a_{t+1}(j, d + 1) = exp e_{t+1}(j) * sum over pairs (i, j) inside a span of a_t(i, d) exp w(i, j)
 *
 * Cost O(T (L^2 + maxLength * pairs inside spans)), memory O(T L maxLength). Sarawagi and Cohen (2004); Gupta,
 * section 3.
 */
export class ScaledSegments implements SegmentSums {
  readonly #work = new SegmentArrays();

  /** NaN where a number might underflow: nothing may be read then. */
  run(lattice: Lattice, s: number): number {
    const work = this.#work;
    work.open(lattice, s);
    const subtracted = exponentiateSegments(work, lattice);
    if (Number.isNaN(subtracted)) return Number.NaN;
    const logSum = scaledForward(work, lattice);
    if (Number.isNaN(logSum) || !scaledBackward(work, lattice, s)) return Number.NaN;
    return logSum + subtracted;
  }

  probability(lattice: Lattice, type: string, start: number, end: number): number {
    const { tables, alpha, rest, scales, emissions, spans, total } = this.#work;
    const { labels, states, typeOf, types, insideFrom, insideTo } = tables;
    const kind = types.indexOf(type);
    if (kind < 0) return 0;
    let inside = new Float64Array(labels);
    for (let y = 0; y < labels; y += 1) {
      if (typeOf[y] === kind) inside[y] = alpha[(start * labels + y) * states + 1]!;
    }
    for (let t = start + 1; t < end; t += 1) {
      const next = new Float64Array(labels);
      const { all } = exponentialsInto(this.#work, lattice, t)!;
      for (let p = 0; p < insideFrom.length; p += 1) {
        const from = insideFrom[p]!;
        const to = insideTo[p]!;
        next[to]! += inside[from]! * all[from * labels + to]!;
      }
      for (let y = 0; y < labels; y += 1) next[y]! *= emissions[t * labels + y]! / scales[t]!;
      inside = next;
    }
    const slot = Math.min(end - start, states - 1) - 1;
    const g = spans[((end - 1) * (states - 1) + slot) * types.length + kind]!;
    let sum = 0;
    for (let y = 0; y < labels; y += 1) sum += inside[y]! * g * rest[(end - 1) * labels + y]!;
    return Math.min(1, sum / total);
  }
}
