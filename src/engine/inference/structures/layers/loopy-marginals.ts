import type { Lattice } from '../../../kernels/lattice.js';
import type { LabelLayers } from '../../../kernels/store/label-columns.js';

/** Maximum number of message rounds. */
const mostRounds = 50;

/** Change of a message below which it has converged. */
const tolerance = 1e-6;

/**
 * Writes p(y_t = p | x) for labels of two or more layers, approximated by loopy belief propagation, to `lattice.nodes`;
 * returns the number of rounds. Needs `fillLayers` of the batch.
 *
 * The layers take turns: each sums exactly over its whole chain, given the others' messages at each token; for two layers,
 *
 *     up_t(a) = sum over pairs (a, b) of exp(e_t(a, b)) down_t(b),   down_t(b) = forward_t(b) backward_t(b),
 *
 * until the messages change by less than 1e-6, or after 50 rounds. A belief is exp(e_t(a, b)) times the messages of
 * all chains at the token. Exact if one layer has a single column, or if the layers are independent. Cost per round
 * O(T (A^2 + B^2 + P)) for layers of A and B columns and P pairs; exact sums cost O(T P^2). Murphy, Weiss and Jordan
 * (1999).
 */
export function loopyMarginals(lattice: Lattice, s: number, all: LabelLayers): number {
  const { sentenceStarts } = lattice.batch!;
  const start = sentenceStarts[s]!;
  const length = sentenceStarts[s + 1]! - start;
  const labels = all[0]?.length ?? 0;
  const local = localFactors(lattice, start, length, labels);
  const columns = lattice.columns!;
  const layers = all.map(own => new LayerMessages(columns, own, length));
  let rounds = 0;
  for (let change = Number.POSITIVE_INFINITY; change > tolerance && rounds < mostRounds; ) {
    change = 0;
    for (const layer of layers) {
      layer.hear(local, layers);
      change = Math.max(change, layer.pass());
    }
    rounds += 1;
  }
  const nodes = lattice.nodes.view;
  for (let t = 0; t < length; t += 1) {
    const row = (start + t) * lattice.width;
    const belief = (p: number) =>
      layers.reduce((product, layer) => product * layer.said(t, p), local[t * labels + p]!);
    let sum = 0;
    for (let p = 0; p < labels; p += 1) sum += belief(p);
    for (let p = 0; p < labels; p += 1) nodes[row + p] = belief(p) / sum;
  }
  return rounds;
}

/** Returns exp of the scores of each token's pairs, minus their maximum. */
function localFactors(
  { emissionScores, width }: Lattice,
  start: number,
  length: number,
  pairs: number,
): Float64Array {
  const scores = emissionScores.view;
  const factors = new Float64Array(length * pairs);
  for (let t = 0; t < length; t += 1) {
    const row = (start + t) * width;
    let most = Number.NEGATIVE_INFINITY;
    for (let p = 0; p < pairs; p += 1) most = Math.max(most, scores[row + p]!);
    for (let p = 0; p < pairs; p += 1) factors[t * pairs + p] = Math.exp(scores[row + p]! - most);
  }
  return factors;
}

/**
 * Lower limit added to messages, so that no product vanishes for a column whose score is merely
 * low.
 */
const least = 1e-300;

/** One layer's messages for a sentence in loopy belief propagation; see `loopyMarginals`. */
class LayerMessages {
  /** Each pair's column among those of the layer. */
  readonly #places: Int32Array;
  readonly #count: number;
  readonly #length: number;
  /** `[from x to]` exponentials of the transitions between the layer's columns. */
  readonly #transitions: Float64Array;
  /** `[tokens x columns]` messages from the other layers about each column. */
  readonly #heard: Float64Array;
  readonly #forward: Float64Array;
  readonly #backward: Float64Array;
  /**
   * `[tokens x columns]` the chain's messages about each column, excluding those that it received at the
   * same token.
   */
  readonly #said: Float64Array;
  /** Scratch for a token's outgoing message. */
  readonly #passing: Float64Array;

  /**
   * @param columns the lattice with the scores of the columns
   * @param own each pair's column in this layer
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

  /** Returns the chain's message about a pair's column at a token. */
  said(t: number, pair: number): number {
    return this.#said[t * this.#count + this.#places[pair]!]!;
  }

  /** Receives the other layers' messages through the label factors. */
  hear(local: Float64Array, layers: readonly LayerMessages[]): void {
    const heard = this.#heard;
    const count = this.#count;
    const pairs = this.#places.length;
    heard.fill(0);
    for (let t = 0; t < this.#length; t += 1) {
      for (let p = 0; p < pairs; p += 1) {
        let product = local[t * pairs + p]!;
        for (const other of layers) if (other !== this) product *= other.said(t, p);
        heard[t * count + this.#places[p]!]! += product;
      }
      normalise(heard, t * count, count);
    }
  }

  /** Sums over the chain, forwards and backwards; returns the largest change of its messages. */
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

  /** Computes a token's final message to its neighbour; in the backward direction, transitions are transposed. */
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
