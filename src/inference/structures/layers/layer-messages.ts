import type { Lattice } from '../../../kernels/lattice.js';

/** Added to messages, so that no product of them vanishes where a column is only far behind. */
const least = 1e-300;

/** The messages of one layer of a sentence in loopy belief propagation: see `loopyMarginals`. */
export class LayerMessages {
  /** For each pair its column among those of the layer. */
  readonly #places: Int32Array;
  readonly #count: number;
  readonly #length: number;
  /** `[from x to]` exponentials of the transitions between the columns of the layer. */
  readonly #transitions: Float64Array;
  /** `[tokens x columns]` what the other layer says of each column. */
  readonly #heard: Float64Array;
  readonly #forward: Float64Array;
  readonly #backward: Float64Array;
  /** `[tokens x columns]` what the chain says of each column, without what it has heard at the token itself. */
  readonly #said: Float64Array;
  /** What a token hands on, for a moment. */
  readonly #passing: Float64Array;

  /**
   * @param columns the lattice with the scores of the columns
   * @param own for each pair its column in this layer
   */
  constructor(columns: Lattice, own: readonly number[], length: number) {
    const distinct = [...new Set(own)];
    const place = new Map(distinct.map((column, i) => [column, i]));
    this.#places = Int32Array.from(own, column => place.get(column)!);
    this.#count = distinct.length;
    this.#length = length;
    const count = distinct.length;
    this.#transitions = new Float64Array(count * count);
    const scores = columns.transitionScores.view;
    let most = Number.NEGATIVE_INFINITY;
    for (const from of distinct) {
      for (const to of distinct) most = Math.max(most, scores[from * columns.width + to]!);
    }
    for (const [i, from] of distinct.entries()) {
      for (const [j, to] of distinct.entries()) {
        this.#transitions[i * count + j] = Math.exp(scores[from * columns.width + to]! - most);
      }
    }
    this.#heard = new Float64Array(length * count);
    this.#forward = new Float64Array(length * count).fill(1);
    this.#backward = new Float64Array(length * count).fill(1);
    this.#said = new Float64Array(length * count).fill(1 / count);
    this.#passing = new Float64Array(count);
  }

  /** What the chain says of the column of a pair at a token. */
  said(t: number, pair: number): number {
    return this.#said[t * this.#count + this.#places[pair]!]!;
  }

  /** Takes what the other layer says, through the factors of the pairs. */
  hear(local: Float64Array, other: LayerMessages): void {
    const heard = this.#heard;
    const count = this.#count;
    const pairs = this.#places.length;
    heard.fill(0);
    for (let t = 0; t < this.#length; t += 1) {
      for (let p = 0; p < pairs; p += 1) {
        heard[t * count + this.#places[p]!]! += local[t * pairs + p]! * other.said(t, p);
      }
      normalise(heard, t * count, count);
    }
  }

  /** Sums over the chain, forwards and backwards; the largest change of what it says. */
  pass(): number {
    const count = this.#count;
    for (let t = 1; t < this.#length; t += 1) this.#step(this.#forward, t - 1, t, false);
    for (let t = this.#length - 2; t >= 0; t -= 1) this.#step(this.#backward, t + 1, t, true);
    let change = 0;
    for (let t = 0; t < this.#length; t += 1) {
      const row = t * count;
      for (let i = 0; i < count; i += 1) {
        this.#passing[i] = this.#forward[row + i]! * this.#backward[row + i]!;
      }
      normalise(this.#passing, 0, count);
      for (let i = 0; i < count; i += 1) {
        change = Math.max(change, Math.abs(this.#passing[i]! - this.#said[row + i]!));
        this.#said[row + i] = this.#passing[i]!;
      }
    }
    return change;
  }

  /** The message of a token to its neighbour, after which it stands; backwards transitions are the other way round. */
  #step(messages: Float64Array, from: number, to: number, isBackward: boolean): void {
    const count = this.#count;
    const passing = this.#passing;
    for (let i = 0; i < count; i += 1) {
      passing[i] = messages[from * count + i]! * this.#heard[from * count + i]!;
    }
    for (let j = 0; j < count; j += 1) {
      let sum = 0;
      for (let i = 0; i < count; i += 1) {
        const at = isBackward ? j * count + i : i * count + j;
        sum += passing[i]! * this.#transitions[at]!;
      }
      messages[to * count + j] = sum;
    }
    normalise(messages, to * count, count);
  }
}

function normalise(message: Float64Array, start: number, count: number): void {
  let sum = 0;
  for (let i = start; i < start + count; i += 1) {
    message[i] = message[i]! + least;
    sum += message[i]!;
  }
  for (let i = start; i < start + count; i += 1) message[i]! /= sum;
}
