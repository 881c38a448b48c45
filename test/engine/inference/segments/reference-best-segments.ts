import type { Reals } from '../../../../src/engine/core/arrays.js';
import type { Lattice } from '../../../../src/engine/kernels/lattice.js';
import { stateAfter, stateInside } from '../../../../src/engine/kernels/segments/segment-tables.js';

const never = Number.NEGATIVE_INFINITY;

/**
 * The best label sequence of a lattice whose spans are scored: the recursion of `ScaledSegments` with maxima in the
 * place of sums. Of equally good ones, that with the lower label at the last token where they differ. Cost and memory
 * as there.
 */
export class ReferenceBestSegments {
  #best = new Float64Array(0);
  #before = new Int32Array(0);
  /** For each label of a token the best of its states, a span ended there, and its score. */
  #ends = new Float64Array(0);
  #endStates = new Int32Array(0);

  /** Best labels of sentence `s` into `labels` at its tokens' places; returns their score. */
  find(lattice: Lattice, s: number, labels: Int32Array): number {
    const { sentenceStarts } = lattice.batch!;
    const first = sentenceStarts[s]!;
    const length = sentenceStarts[s + 1]! - first;
    const { tables } = lattice.segments!;
    const row = tables.labels * tables.states;
    this.#open(length * row, tables.labels);
    const best = this.#best;
    best.fill(never, 0, length * row);
    this.#before.fill(-1, 0, length * row);
    for (let y = 0; y < tables.labels; y += 1) {
      best[y * tables.states + stateAfter(tables, -1, tables.first[y]!)] = 0;
    }
    for (let t = 0; t < length; t += 1) {
      if (t > 0) this.#step(lattice, first, t);
      this.#finish(lattice, first, t);
    }
    let score = never;
    let last = -1;
    for (let y = 0; y < tables.labels; y += 1) {
      if (!(this.#ends[y]! > score)) continue;
      score = this.#ends[y]!;
      last = y;
    }
    if (last < 0) return Number.isNaN(this.#ends[0]!) ? Number.NaN : never;
    let state = last * tables.states + this.#endStates[last]!;
    for (let t = length - 1; t >= 0; t -= 1) {
      labels[first + t] = Math.floor(state / tables.states);
      state = this.#before[t * row + state]!;
    }
    return score;
  }

  #open(size: number, labels: number): void {
    if (this.#best.length < size) {
      this.#best = new Float64Array(2 * size);
      this.#before = new Int32Array(2 * size);
    }
    if (this.#ends.length < labels) {
      this.#ends = new Float64Array(labels);
      this.#endStates = new Int32Array(labels);
    }
  }

  #step(lattice: Lattice, first: number, t: number): void {
    const { tables } = lattice.segments!;
    const { labels, states, boundaryFrom, boundaryTo, startsAt } = tables;
    const { insideFrom, insideTo, outsideFrom, outsideTo } = tables;
    const best = this.#best;
    const back = this.#before;
    const ends = this.#ends;
    const endStates = this.#endStates;
    const { width, matrixSize } = lattice;
    const slot = lattice.edgeSlots[first + t]!;
    const scores: Reals = slot < 0 ? lattice.transitionScores.view : lattice.edgeScores.view;
    const matrix = Math.max(0, slot) * matrixSize;
    const at = t * labels * states;
    const before = at - labels * states;
    for (let p = 0; p < boundaryFrom.length; p += 1) {
      const from = boundaryFrom[p]!;
      const to = boundaryTo[p]!;
      const score = ends[from]! + scores[matrix + from * width + to]!;
      const place = at + to * states + stateAfter(tables, from, startsAt[p]!);
      if (!(score > best[place]!)) continue;
      best[place] = score;
      back[place] = from * states + endStates[from]!;
    }
    for (let p = 0; p < outsideFrom.length; p += 1) {
      const from = outsideFrom[p]!;
      const to = outsideTo[p]!;
      const score = best[before + from * states]! + scores[matrix + from * width + to]!;
      const place = at + to * states;
      if (!(score > best[place]!)) continue;
      best[place] = score;
      back[place] = from * states;
    }
    for (let p = 0; p < insideFrom.length; p += 1) {
      const from = insideFrom[p]! * states;
      const to = at + insideTo[p]! * states;
      const added = scores[matrix + insideFrom[p]! * width + insideTo[p]!]!;
      for (let d = 1; d < states; d += 1) {
        const score = best[before + from + d]! + added;
        const place = to + stateInside(tables, d);
        if (!(score > best[place]!)) continue;
        best[place] = score;
        back[place] = from + d;
      }
    }
  }

  #finish(lattice: Lattice, first: number, t: number): void {
    const segments = lattice.segments!;
    const { tables } = segments;
    const { labels, states, opens, typeOf, types } = tables;
    const best = this.#best;
    const emissions = lattice.emissionScores.view;
    const spans = segments.scores;
    for (let y = 0; y < labels; y += 1) {
      const emission = emissions[(first + t) * lattice.width + y]!;
      const own = (t * labels + y) * states;
      best[own]! += emission;
      let most = best[own]!;
      let state = 0;
      if (opens[y] === 1) {
        let place = segments.atState(first + t, 1) + typeOf[y]!;
        for (let d = 1; d < states; d += 1) {
          best[own + d]! += emission;
          const score = best[own + d]! + spans[place]!;
          if (score > most) {
            most = score;
            state = d;
          }
          place += types.length;
        }
      }
      this.#ends[y] = most;
      this.#endStates[y] = state;
    }
  }
}
