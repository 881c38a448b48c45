import { grown, type Reals } from '../core/arrays.js';
import { TagstreamError } from '../core/errors.js';
import type { Lattice } from '../kernels/lattice.js';

/**
 * Maximum number of labels, candidates and prefixes held for one sentence: some hundred MB each.
 */
export const mostHeld = 2 ** 26;
/** Maximum number of prefixes and counters whose memory is kept between sentences. */
const mostKept = 2 ** 18;

/** Marks that there is no further prefix. */
export const noPrefix = -1;
/** Marks a prefix that has not been searched for yet. */
const unknown = -2;

/**
 * Prefixes of a sentence's label sequences, ranked by state: the label of their last token. Viterbi
 * gives each state's best prefix, and further ones are computed on demand by the lazy k-best
 * algorithm: Huang and Chiang (2005), algorithm 3.
 *
 * A state's next prefix extends a prefix of a previous state. Each previous state's best prefix not
 * yet extended is a candidate, and only the candidate used last has to be replaced first. So each
 * further prefix requests at most one more at each earlier token.
 *
 * Prefixes are numbers; a state's best prefix has the state's number,
 * `token of the sentence * width + label`. Ties go to the lower labels, compared from the last
 * token backwards.
 */
export class RankedPrefixes {
  #lattice: Lattice | undefined;
  #first = 0;
  #length = 0;
  #emissions: Reals = new Float64Array(0);
  #transitions = this.#emissions;
  #edges = this.#emissions;
  /**
   * For each prefix: its score, its state, the prefix that it extends, and the next prefix of the
   * same state.
   */
  #scores = new Float64Array(0);
  #states = new Int32Array(0);
  #extended = new Int32Array(0);
  #next = new Int32Array(0);
  #count = 0;
  /** Numbers of the states for which a second prefix was requested, in order. */
  #opened = new Int32Array(0);
  #openedStates = 0;
  /**
   * `[opened states x labels]` the candidate for each previous label, and the label of the
   * candidate used last.
   */
  #candidates = new Int32Array(0);
  #lastFrom = new Int32Array(0);
  #held = 0;
  readonly #asked: number[] = [];

  /** Starts a sentence of a float64 lattice whose forward vectors Viterbi has filled in. */
  open(lattice: Lattice, s: number): void {
    const { batch, width } = lattice;
    this.#lattice = lattice;
    this.#first = batch!.sentenceStarts[s]!;
    this.#length = batch!.sentenceStarts[s + 1]! - this.#first;
    this.#emissions = lattice.emissionScores.view;
    this.#transitions = lattice.transitionScores.view;
    this.#edges = lattice.edgeScores.view;
    const states = this.#length * width;
    if (this.#count > mostKept || this.#candidates.length > mostKept) this.#release();
    if (this.#scores.length < states) this.#growPrefixes(2 * states, false);
    if (this.#opened.length < states) this.#opened = new Int32Array(2 * states);
    const delta = lattice.alpha.view;
    this.#scores.set(delta.subarray(this.#first * width, this.#first * width + states));
    this.#extended.fill(unknown, 0, states);
    this.#next.fill(unknown, 0, states);
    this.#opened.fill(unknown, 0, states);
    this.#count = states;
    this.#openedStates = 0;
    this.#held = 0;
  }

  /** Returns the best prefix that ends in a label at the last token. */
  bestOf(label: number): number {
    return (this.#length - 1) * this.#lattice!.width + label;
  }

  scoreOf(prefix: number): number {
    return this.#scores[prefix]!;
  }

  /** Returns the next prefix of the same state. */
  after(prefix: number): number {
    const { labels, width } = this.#lattice!;
    const asked = this.#asked;
    // Descends to known or impossible prefixes and returns without recursion, because sentences may
    // be long.
    let at = prefix;
    while (this.#next[at] === unknown) {
      const state = this.#stateOf(at);
      if (state < width) {
        this.#next[at] = noPrefix;
        break;
      }
      asked.push(at);
      const opened = this.#open(state);
      at = this.#candidates[opened * labels + this.#lastFrom[opened]!]!;
    }
    while (asked.length > 0) {
      const last = asked.pop()!;
      const found = this.#extend(this.#stateOf(last));
      this.#next[last] = found;
    }
    return this.#next[prefix]!;
  }

  /** Returns the labels of a prefix that covers all tokens. */
  labelsOf(prefix: number): Int32Array {
    const path = new Int32Array(this.#length);
    const { width } = this.#lattice!;
    let at = prefix;
    for (let t = this.#length - 1; t >= 0; t -= 1) {
      path[t] = this.#stateOf(at) - t * width;
      if (t > 0) at = this.#extendedBy(at);
    }
    return path;
  }

  #stateOf(prefix: number): number {
    return prefix < this.#length * this.#lattice!.width ? prefix : this.#states[prefix]!;
  }

  #extendedBy(prefix: number): number {
    const known = this.#extended[prefix]!;
    if (known !== unknown) return known;
    // The state's best prefix.
    const { labels, width } = this.#lattice!;
    const before = prefix - (prefix % width) - width;
    const matrix = this.#matrixInto(prefix);
    const column = this.#columnInto(prefix);
    let best = Number.NEGATIVE_INFINITY;
    let from = 0;
    for (let y = 0; y < labels; y += 1) {
      const score = this.#scores[before + y]! + matrix[column + y * width]!;
      if (score > best) {
        best = score;
        from = y;
      }
    }
    this.#extended[prefix] = before + from;
    return before + from;
  }

  /**
   * Returns the number under which a state's candidates are kept; initially they are the best
   * prefixes of the previous states.
   */
  #open(state: number): number {
    const known = this.#opened[state]!;
    if (known !== unknown) return known;
    const { labels, width } = this.#lattice!;
    this.#hold(labels);
    const opened = this.#openedStates;
    this.#openedStates += 1;
    this.#opened[state] = opened;
    if (this.#lastFrom.length <= opened) {
      this.#lastFrom = grown(this.#lastFrom, new Int32Array(2 * opened + 64));
    }
    if (this.#candidates.length < (opened + 1) * labels) {
      this.#candidates = grown(this.#candidates, new Int32Array((2 * opened + 64) * labels));
    }
    const before = state - (state % width) - width;
    for (let y = 0; y < labels; y += 1) this.#candidates[opened * labels + y] = before + y;
    this.#lastFrom[opened] = this.#extendedBy(state) - before;
    return opened;
  }

  /** Creates the next prefix of an opened state from the best candidate, if there is one. */
  #extend(state: number): number {
    const { labels, width } = this.#lattice!;
    const opened = this.#opened[state]!;
    const candidates = this.#candidates;
    const own = opened * labels;
    const taken = own + this.#lastFrom[opened]!;
    candidates[taken] = this.#next[candidates[taken]!]!;
    const matrix = this.#matrixInto(state);
    const column = this.#columnInto(state);
    const scores = this.#scores;
    let best = Number.NEGATIVE_INFINITY;
    let from = noPrefix;
    for (let y = 0; y < labels; y += 1) {
      const candidate = candidates[own + y]!;
      if (candidate === noPrefix) continue;
      const score = scores[candidate]! + matrix[column + y * width]!;
      if (score > best) {
        best = score;
        from = y;
      }
    }
    if (from === noPrefix) return noPrefix;
    this.#hold(1);
    this.#lastFrom[opened] = from;
    const prefix = this.#count;
    this.#count += 1;
    if (this.#scores.length <= prefix) this.#growPrefixes(2 * prefix, true);
    this.#scores[prefix] = best + this.#emissions[this.#first * width + state]!;
    this.#states[prefix] = state;
    this.#extended[prefix] = candidates[own + from]!;
    this.#next[prefix] = unknown;
    return prefix;
  }

  #matrixInto(state: number): Reals {
    return this.#slotInto(state) < 0 ? this.#transitions : this.#edges;
  }

  /** Returns the offset, within its matrix, of the transition score from label 0 into a state. */
  #columnInto(state: number): number {
    const { width, matrixSize } = this.#lattice!;
    return Math.max(0, this.#slotInto(state)) * matrixSize + (state % width);
  }

  #slotInto(state: number): number {
    const { edgeSlots, width } = this.#lattice!;
    return edgeSlots[this.#first + Math.floor(state / width)]!;
  }

  #hold(numbers: number): void {
    this.#held += numbers;
    if (this.#held <= mostHeld) return;
    throw new TagstreamError(
      'too-large',
      `the best sequences of ${this.#length} tokens take too much memory`,
      {
        fix: 'ask for fewer, or split the text into sentences',
      },
    );
  }

  #growPrefixes(capacity: number, keep: boolean): void {
    this.#scores = keep
      ? grown(this.#scores, new Float64Array(capacity))
      : new Float64Array(capacity);
    this.#states = keep ? grown(this.#states, new Int32Array(capacity)) : new Int32Array(capacity);
    this.#extended = keep
      ? grown(this.#extended, new Int32Array(capacity))
      : new Int32Array(capacity);
    this.#next = keep ? grown(this.#next, new Int32Array(capacity)) : new Int32Array(capacity);
  }

  #release(): void {
    this.#growPrefixes(0, false);
    this.#opened = new Int32Array(0);
    this.#candidates = new Int32Array(0);
    this.#lastFrom = new Int32Array(0);
  }
}
