import type { Reals } from '../../core/arrays.js';
import type { Lattice } from '../../kernels/lattice.js';
import {
  type SegmentTables,
  stateAfter,
  stateAt,
  stateInside,
} from '../../kernels/segments/segment-tables.js';

const names = ['alpha', 'beta', 'after', 'ends', 'rest'] as const;

/** The working memory of `LogSegments` for one sentence; grows with the longest sentence. */
class SegmentArrays {
  tables!: SegmentTables;
  /** The sentence's first token in the minibatch, and its number of tokens. */
  first = 0;
  length = 0;
  /** `[tokens x labels x states]` forward values. */
  alpha = new Float64Array(0);
  /** `[labels x states]` backward values of a token and of its successor. */
  beta = new Float64Array(0);
  after = new Float64Array(0);
  /** `[tokens x labels]` the sum up to a label whose span, if any, ends there. */
  ends = new Float64Array(0);
  /** `[tokens x labels]` the sum after a label at which a span has ended. */
  rest = new Float64Array(0);
  /** Log of the sum over all label sequences. */
  total = 0;

  /** Makes room for a sentence. */
  open(lattice: Lattice, s: number): void {
    const { sentenceStarts } = lattice.batch!;
    const segments = lattice.segments!;
    const { labels, states } = segments.tables;
    this.tables = segments.tables;
    this.first = sentenceStarts[s]!;
    this.length = sentenceStarts[s + 1]! - this.first;
    const { length } = this;
    const sizes = {
      ...{ alpha: length * labels * states, beta: labels * states, after: labels * states },
      ...{ ends: length * labels, rest: length * labels },
    };
    for (const name of names) {
      if (this[name].length < sizes[name]) this[name] = new Float64Array(2 * sizes[name]);
    }
  }

  /** Returns the slot of a token with its own transitions, -1 if it has none. */
  slotAt(lattice: Lattice, t: number): number {
    return lattice.edgeSlots[this.first + t]!;
  }
}

const never = Number.NEGATIVE_INFINITY;

/** Returns the log of the sum of two exponentials. */
function plus(a: number, b: number): number {
  if (a === never) return b;
  if (b === never) return a;
  return a > b ? a + Math.log1p(Math.exp(b - a)) : b + Math.log1p(Math.exp(a - b));
}

/**
 * The sums of `ScaledSegments` in log space, for any finite scores; minus infinity forbids a label
 * or transition. Slow: meant for scores outside the scaled range, and for checking the scaled
 * version.
 */
export class LogSegments implements SegmentSums {
  readonly #work = new SegmentArrays();

  run(lattice: Lattice, s: number): number {
    const work = this.#work;
    work.open(lattice, s);
    const logZ = this.#forward(lattice);
    this.#backward(lattice, s, logZ);
    return logZ;
  }

  probability(lattice: Lattice, type: string, start: number, end: number): number {
    const { tables, alpha, rest, total } = this.#work;
    const { labels, states, typeOf, types, insideFrom, insideTo, befores, maxLength } = tables;
    const kind = types.indexOf(type);
    if (kind < 0) return 0;
    const entered = befores * maxLength;
    let sum = never;
    for (let state = 1; state <= entered; state += maxLength) {
      let inside = new Float64Array(labels).fill(never);
      for (let y = 0; y < labels; y += 1) {
        if (typeOf[y] === kind) inside[y] = alpha[(start * labels + y) * states + state]!;
      }
      for (let t = start + 1; t < end; t += 1) {
        const next = new Float64Array(labels).fill(never);
        for (let p = 0; p < insideFrom.length; p += 1) {
          const [from, to] = [insideFrom[p]!, insideTo[p]!];
          next[to] = plus(next[to]!, inside[from]! + this.#into(lattice, t, from, to));
        }
        for (let y = 0; y < labels; y += 1) next[y]! += this.#emission(lattice, t, y);
        inside = next;
      }
      const ended = stateAt(tables, state, end - start);
      const g = this.#span(lattice, end - 1, ended, kind);
      for (let y = 0; y < labels; y += 1)
        sum = plus(sum, inside[y]! + g + rest[(end - 1) * labels + y]!);
    }
    return Math.min(1, Math.exp(sum - total));
  }

  #forward(lattice: Lattice): number {
    const work = this.#work;
    const { tables, length, alpha, ends } = work;
    const { labels, states, first, opens, typeOf } = tables;
    const row = labels * states;
    alpha.fill(never, 0, length * row);
    for (let t = 0; t < length; t += 1) {
      const at = t * row;
      const add = (to: number, d: number, value: number) => {
        const place = at + to * states + d;
        alpha[place] = plus(alpha[place]!, value);
      };
      if (t === 0) for (let y = 0; y < labels; y += 1) add(y, stateAfter(tables, -1, first[y]!), 0);
      else
        this.#eachStep(lattice, t, (from, fromState, to, toState, w) => {
          const before =
            fromState < 0
              ? ends[(t - 1) * labels + from]!
              : alpha[at - row + from * states + fromState]!;
          add(to, toState, before + w);
        });
      for (let y = 0; y < labels; y += 1) {
        const emission = this.#emission(lattice, t, y);
        let ended = never;
        for (let d = 0; d < states; d += 1) {
          const place = at + y * states + d;
          alpha[place]! += emission;
          if (d > 0 && opens[y] === 0) continue;
          const g = d === 0 ? 0 : this.#span(lattice, t, d, typeOf[y]!);
          ended = plus(ended, alpha[place]! + g);
        }
        ends[t * labels + y] = ended;
      }
    }
    let logZ = never;
    for (let y = 0; y < labels; y += 1) logZ = plus(logZ, ends[(length - 1) * labels + y]!);
    work.total = logZ;
    return logZ;
  }

  #backward(lattice: Lattice, s: number, logZ: number): void {
    const work = this.#work;
    const { tables, first, length, alpha, ends, rest } = work;
    const { labels, states, opens, typeOf } = tables;
    const { width, matrixSize } = lattice;
    const segments = lattice.segments!;
    const row = labels * states;
    const nodes = lattice.nodes.view;
    const edges = lattice.edges.view;
    const transitions = lattice.transitions.view;
    segments.nodes.fill(0, first * segments.perToken, (first + length) * segments.perToken);
    nodes.fill(0, first * width, (first + length) * width);
    const sums = lattice.pairSumsAt(s);
    transitions.fill(0, sums, sums + matrixSize);
    for (let t = length - 1; t >= 0; t -= 1) {
      [work.beta, work.after] = [work.after, work.beta];
      const { beta, after } = work;
      beta.fill(never, 0, row);
      rest.fill(t === length - 1 ? 0 : never, t * labels, (t + 1) * labels);
      if (t < length - 1) {
        const slot = work.slotAt(lattice, t + 1);
        if (slot >= 0) edges.fill(0, slot * matrixSize, (slot + 1) * matrixSize);
        this.#eachStep(lattice, t + 1, (from, fromState, to, toState, w) => {
          const follows = after[to * states + toState]! + w + this.#emission(lattice, t + 1, to);
          const own = t * labels + from;
          const before = fromState < 0 ? ends[own]! : alpha[t * row + from * states + fromState]!;
          if (fromState < 0) rest[own] = plus(rest[own]!, follows);
          else {
            const place = from * states + fromState;
            beta[place] = plus(beta[place]!, follows);
          }
          const pair = from * width + to;
          const probability = Math.exp(before + follows - logZ);
          transitions[sums + pair]! += probability;
          if (slot >= 0) edges[slot * matrixSize + pair]! += probability;
        });
      }
      for (let y = 0; y < labels; y += 1) {
        const remaining = rest[t * labels + y]!;
        for (let d = 0; d < states; d += 1) {
          const place = y * states + d;
          if (d > 0 && opens[y] === 0) continue;
          const a = alpha[t * row + place]!;
          const g = d === 0 ? 0 : this.#span(lattice, t, d, typeOf[y]!);
          beta[place] = plus(beta[place]!, g + remaining);
          nodes[(first + t) * width + y]! += Math.exp(a + beta[place]! - logZ);
          if (d === 0) continue;
          segments.nodes[segments.atState(first + t, d) + typeOf[y]!]! += Math.exp(
            a + g + remaining - logZ,
          );
        }
      }
    }
  }

  /**
   * Visits all transitions from a state at token `t - 1` to one at `t`; state -1 means all states
   * at which a span ends.
   */
  #eachStep(
    lattice: Lattice,
    t: number,
    visit: (from: number, fromState: number, to: number, toState: number, score: number) => void,
  ): void {
    const { tables } = this.#work;
    const { states, boundaryFrom, boundaryTo, startsAt } = tables;
    const { insideFrom, insideTo, outsideFrom, outsideTo } = tables;
    for (const [p, from] of boundaryFrom.entries()) {
      const to = boundaryTo[p]!;
      const state = stateAfter(tables, from, startsAt[p]!);
      visit(from, -1, to, state, this.#into(lattice, t, from, to));
    }
    for (const [p, from] of outsideFrom.entries()) {
      const to = outsideTo[p]!;
      visit(from, 0, to, 0, this.#into(lattice, t, from, to));
    }
    for (const [p, from] of insideFrom.entries()) {
      const to = insideTo[p]!;
      const score = this.#into(lattice, t, from, to);
      for (let d = 1; d < states; d += 1) visit(from, d, to, stateInside(tables, d), score);
    }
  }

  #emission(lattice: Lattice, t: number, y: number): number {
    return lattice.emissionScores.view[(this.#work.first + t) * lattice.width + y]!;
  }

  #span(lattice: Lattice, t: number, state: number, kind: number): number {
    const segments = lattice.segments!;
    return segments.scores[segments.atState(this.#work.first + t, state) + kind]!;
  }

  #into(lattice: Lattice, t: number, from: number, to: number): number {
    return transitionInto(lattice, this.#work.slotAt(lattice, t), from, to);
  }
}

/** Returns the score of a label pair, from the plain matrix or that of a slot. */
export function transitionInto(lattice: Lattice, slot: number, from: number, to: number): number {
  const { width, matrixSize } = lattice;
  const scores: Reals = slot < 0 ? lattice.transitionScores.view : lattice.edgeScores.view;
  return scores[Math.max(0, slot) * matrixSize + from * width + to]!;
}

/** Sums over all label sequences of a sentence whose spans are scored. */
export interface SegmentSums {
  /**
   * Writes the label, label pair and span probabilities of sentence `s` to the lattice; returns log
   * Z.
   */
  run(lattice: Lattice, s: number): number;
  /**
   * Returns the probability that the labels of the sentence run last mark exactly this span: its
   * tokens `[start, end)`. Exact for any length. Cost O((end - start) * pairs inside spans).
   */
  probability(lattice: Lattice, type: string, start: number, end: number): number;
}
