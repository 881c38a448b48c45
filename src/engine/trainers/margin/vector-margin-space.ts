import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { Lattice } from '../../kernels/lattice.js';
import type { RealTable } from '../../kernels/memory/real-table.js';
import type { AddedScores } from '../../kernels/store/parameter-store.js';
import { InvertedRows } from '../../kernels/vectors/inverted-rows.js';
import {
  type Similarity,
  SimilarityTable,
  type SupportTokens,
  SupportVectors,
} from '../../kernels/vectors/support-vectors.js';
import { contributionOf } from '../../losses/contribution-of.js';
import { hingeLoss } from '../../losses/hinge-loss.js';
import type { Objective } from '../objective.js';
import { countActive, dot } from '../vectors/vectors.js';
import { KernelBasis, randomFeatures, type TokenRows } from './kernel-basis.js';
import { type DualSequence, goldSequence, type MarginSpace, worstLabels } from './margin-space.js';

/**
 * Rows of the Gram matrix of a corpus's tokens: k(x, z) of a token x with all tokens z. The most recently used rows are
 * cached within a memory limit; others are recomputed, bit-identically. Cost of an uncached row: O(tokens + tokens per shared
 * feature).
 */
export class GramRows {
  /** Number of tokens. */
  readonly size: number;
  readonly #tokens: TokenRows;
  readonly #table: SimilarityTable;
  readonly #inverted: InvertedRows;
  readonly #squares: Float64Array;
  readonly #most: number;
  /** The cached rows, least recently used first. */
  readonly #kept = new Map<number, Float64Array>();

  /** @param bytes memory limit for rows, in bytes; at least one row is cached */
  constructor(tokens: TokenRows, similarity: Similarity, bytes: number) {
    const { starts, rows } = tokens;
    this.#tokens = tokens;
    this.size = starts.length - 1;
    this.#table = new SimilarityTable(similarity);
    this.#inverted = new InvertedRows(starts, rows);
    this.#squares = Float64Array.from({ length: this.size }, (_, t) =>
      this.#inverted.square(rows, starts[t]!, starts[t + 1]!),
    );
    const bytesOfRow = Float64Array.BYTES_PER_ELEMENT * this.size;
    this.#most = Math.max(1, Math.floor(bytes / Math.max(1, bytesOfRow)));
  }

  /** Returns k(x, z) for all z; valid until the next call. */
  row(x: number): Float64Array {
    let row = this.#kept.get(x);
    this.#kept.delete(x);
    if (row === undefined) {
      const [oldest] = this.#kept.keys();
      const isFull = this.#kept.size >= this.#most;
      row = isFull ? this.#kept.get(oldest!)! : new Float64Array(this.size);
      if (isFull) this.#kept.delete(oldest!);
      this.#fill(row, x);
    }
    this.#kept.set(x, row);
    return row;
  }

  #fill(row: Float64Array, x: number): void {
    const { starts, rows } = this.#tokens;
    const squares = this.#squares;
    const own = squares[x]!;
    for (let z = 0; z < row.length; z += 1) row[z] = this.#table.at(0, own, squares[z]!);
    this.#inverted.products(rows, starts[x]!, starts[x + 1]!, (z, product) => {
      row[z] = this.#table.at(product, own, squares[z]!);
    });
  }

  /** Returns k between all tokens of `[from, to)`, row by row. Cost O(tokens^2 * features^2). */
  block(from: number, to: number): Float64Array {
    const { starts, rows } = this.#tokens;
    const length = to - from;
    const block = new Float64Array(length * length);
    for (let i = 0; i < length; i += 1) {
      const own = rows.subarray(starts[from + i]!, starts[from + i + 1]!);
      for (let j = 0; j < length; j += 1) {
        let product = 0;
        for (let k = starts[from + j]!; k < starts[from + j + 1]!; k += 1) {
          for (const row of own) if (row === rows[k]!) product += 1;
        }
        block[i * length + j] = this.#table.at(
          product,
          this.#squares[from + i]!,
          this.#squares[from + j]!,
        );
      }
    }
    return block;
  }
}

/** The weights and scores of a corpus's tokens for each label; indices are `label * tokens + token`. */
interface TokenSpace {
  /** Adds an amount to the weight of a token for a label. */
  add(place: number, amount: number): void;
  score(place: number): number;
  clear(): void;
  squaredNorm(): number;
  readonly active: number;
  /** Returns tokens of the corpus, and their weights `[labels x tokens]`. */
  weights(): { readonly tokens: ArrayLike<number>; readonly weights: Float64Array };
}

/**
 * Weights b(z, y) of all tokens, with the current scores, the sums over z of b(z, y) k(x, z). Cost of a move: O(tokens), and
 * a row of `GramRows`. Memory: two numbers per token and label, and the cached rows.
 */
class GramSpace implements TokenSpace {
  readonly #gram: GramRows;
  readonly #vectors: Float64Array;
  readonly #scores: Float64Array;

  constructor(gram: GramRows, labels: number) {
    this.#gram = gram;
    this.#vectors = new Float64Array(gram.size * labels);
    this.#scores = new Float64Array(this.#vectors.length);
  }

  add(place: number, amount: number): void {
    const all = this.#gram.size;
    this.#vectors[place]! += amount;
    const row = this.#gram.row(place % all);
    const scores = this.#scores.subarray(place - (place % all), place - (place % all) + all);
    for (let t = 0; t < all; t += 1) scores[t]! += amount * row[t]!;
  }

  score(place: number): number {
    return this.#scores[place]!;
  }

  clear(): void {
    this.#vectors.fill(0);
    this.#scores.fill(0);
  }

  squaredNorm(): number {
    return dot(this.#vectors, this.#scores);
  }

  get active(): number {
    return countActive(this.#vectors);
  }

  weights() {
    const { size } = this.#gram;
    return { tokens: Array.from({ length: size }, (_, t) => t), weights: this.#vectors };
  }
}

/**
 * Weights of m coordinates per label, in the span of m landmarks: scores use the kernel function phi(x) . phi(z), see
 * `KernelBasis`. Cost of a move or a score: O(m), independent of the number of tokens. Memory: m numbers per token.
 */
abstract class MappedSpace implements TokenSpace {
  readonly #size: number;
  /** Number of tokens in the corpus. */
  readonly tokens: number;
  /** `[tokens x m]`: coordinates. */
  readonly #mapped: Float64Array;
  /** `[labels x m]`: weights. */
  readonly #weights: Float64Array;

  constructor(mapped: Float64Array, size: number, tokens: number, labels: number) {
    this.#size = size;
    this.tokens = tokens;
    this.#mapped = mapped;
    this.#weights = new Float64Array(labels * size);
  }

  add(place: number, amount: number): void {
    const size = this.#size;
    const from = (place % this.tokens) * size;
    const row = Math.floor(place / this.tokens) * size;
    for (let i = 0; i < size; i += 1) this.#weights[row + i]! += amount * this.#mapped[from + i]!;
  }

  score(place: number): number {
    const row = Math.floor(place / this.tokens);
    return this.#product(this.#weights, row, place % this.tokens);
  }

  /** Returns phi(x) . phi(z) for two tokens of the corpus. */
  product(x: number, z: number): number {
    return this.#product(this.#mapped, x, z);
  }

  /** Returns the scalar product of row `row` of `vectors` and a token's coordinates, summed in their order. */
  #product(vectors: Float64Array, row: number, token: number): number {
    const size = this.#size;
    let sum = 0;
    for (let i = 0; i < size; i += 1) {
      sum += vectors[row * size + i]! * this.#mapped[token * size + i]!;
    }
    return sum;
  }

  clear(): void {
    this.#weights.fill(0);
  }

  squaredNorm(): number {
    return dot(this.#weights, this.#weights);
  }

  get active(): number {
    return countActive(this.#weights);
  }

  abstract weights(): ReturnType<TokenSpace['weights']>;

  /** `[labels x m]`: the weights, valid until the next move. */
  protected get coordinates(): Float64Array {
    return this.#weights;
  }
}

/** Coordinates in the span of m landmarks, the tokens stored in the model; see `KernelBasis`. */
class LandmarkSpace extends MappedSpace {
  readonly #basis: KernelBasis;

  constructor(basis: KernelBasis, tokens: number, labels: number) {
    const size = basis.tokens.length;
    const mapped = new Float64Array(tokens * size);
    for (let t = 0; t < tokens; t += 1) basis.map(t, mapped.subarray(t * size, (t + 1) * size));
    super(mapped, size, tokens, labels);
    this.#basis = basis;
  }

  weights() {
    const { tokens } = this.#basis;
    const all = this.coordinates;
    const weights = new Float64Array(all.length);
    const size = tokens.length;
    for (let at = 0; at < weights.length; at += size) {
      weights.set(this.#basis.weights(all.subarray(at, at + size)), at);
    }
    return { tokens, weights };
  }
}

/**
 * Random coordinates, see `randomFeatures`. Each token's weights are kept too, so that the model can store tokens and use the
 * exact kernel function, which scalar products of coordinates only estimate.
 */
class RandomSpace extends MappedSpace {
  readonly #vectors: Float64Array;

  constructor({ mapped, size }: ReturnType<typeof randomFeatures>, tokens: number, labels: number) {
    super(mapped, size, tokens, labels);
    this.#vectors = new Float64Array(tokens * labels);
  }

  override add(place: number, amount: number): void {
    super.add(place, amount);
    this.#vectors[place]! += amount;
  }

  override clear(): void {
    super.clear();
    this.#vectors.fill(0);
  }

  override get active(): number {
    return countActive(this.#vectors);
  }

  weights() {
    return { tokens: Array.from({ length: this.tokens }, (_, t) => t), weights: this.#vectors };
  }
}

/**
 * Returns the `budget` tokens with the largest contributions, k(z, z) sum over y of b(z, y)^2, and the weights with which
 * they best approximate all tokens: the other contributions are projected onto the span of the kept tokens. Cost O(budget^3 /
 * 3 + budget^2 tokens).
 */
export function withinBudget(
  similarity: Similarity,
  all: TokenRows,
  { tokens, weights }: { tokens: ArrayLike<number>; weights: Float64Array },
  budget: number,
): { tokens: ArrayLike<number>; weights: Float64Array } {
  const count = tokens.length;
  const labels = count === 0 ? 0 : weights.length / count;
  const square = (i: number) => {
    let sum = 0;
    for (let y = 0; y < labels; y += 1) sum += weights[y * count + i]! ** 2;
    return sum;
  };
  const used = Array.from({ length: count }, (_, i) => i).filter(i => square(i) > 0);
  if (used.length <= budget) return { tokens, weights };
  const own = new GramRows(all, similarity, 1);
  const says = new Map(used.map(i => [i, square(i) * own.block(tokens[i]!, tokens[i]! + 1)[0]!]));
  const ranked = used.toSorted((i, j) => says.get(j)! - says.get(i)! || i - j);
  const basis = new KernelBasis(
    ...([similarity, all, ranked.map(i => tokens[i]!), budget] as const),
  );
  const size = basis.tokens.length;
  const sums = Array.from({ length: labels }, () => new Float64Array(size));
  const mapped = new Float64Array(size);
  for (const i of used) {
    basis.map(tokens[i]!, mapped);
    for (const [y, sum] of sums.entries()) {
      const weight = weights[y * count + i]!;
      for (let k = 0; weight !== 0 && k < size; k += 1) sum[k]! += weight * mapped[k]!;
    }
  }
  const within = new Float64Array(labels * size);
  for (const [y, sum] of sums.entries()) within.set(basis.weights(sum), y * size);
  return { tokens: basis.tokens, weights: within };
}

/**
 * The tokens of a corpus that span the space: in a given order, the first `most` tokens outside the span of earlier ones.
 */
export interface Landmarks {
  readonly most: number;
  order(tokens: number): ArrayLike<number>;
}

/**
 * Max-margin with a kernel function k instead of the inner product of tokens:
 *
 *     s(x_t, y) = sum over tokens z of the corpus of b(z, y) k(x_t, z),
 *
 * and a weight for each transition. A part is a corpus token with a label, or a transition. With `landmarks`, b covers only
 * these tokens, and k is approximated in their span. For the cost of moving a part, and memory, see `GramSpace` and
 * `LandmarkSpace`; memory also holds k between the tokens of each sentence.
 */
export class VectorMarginSpace implements MarginSpace, AddedScores {
  readonly size: number;
  readonly #objective: Objective;
  readonly #similarity: Similarity;
  readonly #minibatches: readonly Minibatch[];
  readonly #lattice: Lattice;
  readonly #tokens: TokenRows;
  readonly #count: number;
  readonly #space: TokenSpace;
  readonly #budget: number;
  readonly #blocks: readonly Float64Array[];
  /** First token of each sentence in the corpus, and the end of the last. */
  readonly #firstTokens: Uint32Array;
  /** Number of token parts, labels x tokens, which transitions follow. */
  readonly #tokenParts: number;
  /** Weights of transitions, in the order of the free parameters, and the index of each label pair. */
  readonly #transitions: Float64Array;
  readonly #pairs = new Map<number, number>();
  /** The next sentence to be scored. */
  #scored = 0;

  /**
   * @param minibatches the objective's labelled sentences, one per minibatch
   * @param cache memory limit for rows of the Gram matrix, in bytes
   * @param landmarks the tokens that may have weights; default: all
   * @param budget maximum number of tokens stored in the model
   */
  constructor(
    objective: Objective,
    minibatches: readonly Minibatch[],
    {
      similarity,
      cache,
      landmarks,
      random,
      budget = Number.POSITIVE_INFINITY,
    }: {
      readonly similarity: Similarity;
      readonly cache: number;
      readonly landmarks?: Landmarks | undefined;
      readonly random?: { readonly most: number; readonly seed: number } | undefined;
      readonly budget?: number | undefined;
    },
  ) {
    const { parameters, free } = objective;
    this.#objective = objective;
    this.#similarity = similarity;
    this.#minibatches = minibatches;
    this.size = minibatches.length;
    this.#lattice = new Lattice(parameters.memory, parameters.precision);
    this.#firstTokens = new Uint32Array(this.size + 1);
    for (const [i, { tokens }] of minibatches.entries()) {
      this.#firstTokens[i + 1] = this.#firstTokens[i]! + tokens;
    }
    this.#tokens = rowsOf(minibatches);
    this.#count = this.#tokens.starts.length - 1;
    this.#budget = budget;
    const { labels } = parameters;
    this.#tokenParts = this.#count * labels;
    if (landmarks === undefined && random === undefined) {
      const gram = new GramRows(this.#tokens, similarity, cache);
      this.#space = new GramSpace(gram, labels);
      this.#blocks = this.#eachSentence((from, to) => gram.block(from, to));
    } else {
      const space =
        landmarks === undefined
          ? new RandomSpace(
              randomFeatures(similarity, this.#tokens, random!.most, random!.seed),
              ...([this.#count, labels] as const),
            )
          : new LandmarkSpace(
              new KernelBasis(
                ...([similarity, this.#tokens] as const),
                ...([landmarks.order(this.#count), landmarks.most] as const),
              ),
              ...([this.#count, labels] as const),
            );
      this.#space = space;
      this.#blocks = this.#eachSentence((from, to) =>
        Float64Array.from({ length: (to - from) ** 2 }, (_, at) =>
          space.product(from + Math.floor(at / (to - from)), from + (at % (to - from))),
        ),
      );
    }
    this.#transitions = new Float64Array(free.edges.length);
    for (const [k, at] of free.edges.entries()) this.#pairs.set(at, k);
    objective.place(new Float64Array(free.size));
  }

  #eachSentence<Made>(make: (from: number, to: number) => Made): Made[] {
    return this.#minibatches.map((_, i) => make(this.#firstTokens[i]!, this.#firstTokens[i + 1]!));
  }

  gold(i: number): Int32Array {
    return this.#minibatches[i]!.gold;
  }

  worst(i: number): DualSequence {
    const { kernel, parameters } = this.#objective;
    parameters.vectors = this;
    this.#scored = i;
    this.#placeTransitions();
    const minibatch = this.#minibatches[i]!;
    const made = contributionOf(kernel, parameters, this.#lattice, minibatch, hingeLoss);
    return this.sequence(i, worstLabels(made, minibatch.gold));
  }

  /** Adds the cached scores of the current sentence. */
  addTo({ tokens }: Pick<Minibatch, 'tokens'>, scores: RealTable, width: number): void {
    const numbers = scores.view;
    const first = this.#firstTokens[this.#scored]!;
    const all = this.#count;
    for (let y = 0; y * all < this.#tokenParts; y += 1) {
      for (let t = 0; t < tokens; t += 1)
        numbers[t * width + y]! += this.#space.score(y * all + first + t);
    }
  }

  sequence(i: number, labels: Int32Array): DualSequence {
    const { gold, weights } = this.#minibatches[i]!;
    const weight = weights?.[0] ?? 1;
    const parts = new Map<number, number>();
    const add = (place: number | undefined, amount: number) => {
      if (place !== undefined) parts.set(place, (parts.get(place) ?? 0) + amount * weight);
    };
    let wrong = 0;
    for (let t = 0; t < gold.length; t += 1) {
      const at = this.#firstTokens[i]! + t;
      if (labels[t] !== gold[t]) {
        wrong += 1;
        add(labels[t]! * this.#count + at, 1);
        add(gold[t]! * this.#count + at, -1);
      }
      if (t === 0) continue;
      add(this.#pair(labels[t - 1]!, labels[t]!), 1);
      add(this.#pair(gold[t - 1]!, gold[t]!), -1);
    }
    if (wrong === 0) return goldSequence(gold);
    const places = Uint32Array.from(parts.keys())
      .filter(place => parts.get(place) !== 0)
      .sort();
    const values = Float64Array.from(places, place => parts.get(place)!);
    return { labels, cost: wrong * weight, places, values };
  }

  /** Returns the part of a transition; undefined if it has no weight. */
  #pair(from: number, to: number): number | undefined {
    const found = this.#pairs.get(from * this.#objective.parameters.width + to);
    return found === undefined ? undefined : this.#tokenParts + found;
  }

  score({ places, values }: DualSequence): number {
    const tokens = this.#tokenParts;
    let sum = 0;
    for (let k = 0; k < places.length; k += 1) {
      const place = places[k]!;
      sum +=
        values[k]! *
        (place < tokens ? this.#space.score(place) : this.#transitions[place - tokens]!);
    }
    return sum;
  }

  product(i: number, y: DualSequence, z: DualSequence): number {
    const tokens = this.#tokenParts;
    const all = this.#count;
    const first = this.#firstTokens[i]!;
    const length = this.#firstTokens[i + 1]! - first;
    const block = this.#blocks[i]!;
    let sum = 0;
    for (const [k, place] of y.places.entries()) {
      const label = Math.floor(place / all);
      const row = ((place % all) - first) * length;
      for (const [j, other] of z.places.entries()) {
        if (place >= tokens || other >= tokens) {
          if (place === other) sum += y.values[k]! * z.values[j]!;
        } else if (Math.floor(other / all) === label) {
          sum += y.values[k]! * z.values[j]! * block[row + (other % all) - first]!;
        }
      }
    }
    return sum;
  }

  move(sequences: readonly DualSequence[], amounts: Float64Array): void {
    const moved = new Map<number, number>();
    for (const [i, { places, values }] of sequences.entries()) {
      if (amounts[i] === 0) continue;
      for (let k = 0; k < places.length; k += 1) {
        moved.set(places[k]!, (moved.get(places[k]!) ?? 0) + amounts[i]! * values[k]!);
      }
    }
    for (const [place, amount] of moved) {
      if (place < this.#tokenParts) this.#space.add(place, amount);
      else this.#transitions[place - this.#tokenParts]! += amount;
    }
  }

  clear(): void {
    this.#space.clear();
    this.#transitions.fill(0);
  }

  squaredNorm(): number {
    return this.#space.squaredNorm() + dot(this.#transitions, this.#transitions);
  }

  primal(): number {
    let losses = 0;
    for (let i = 0; i < this.size; i += 1) {
      const worst = this.worst(i);
      losses += Math.max(0, worst.cost + this.score(worst));
    }
    this.#objective.evaluations += 1;
    return losses + this.#objective.l2 * this.squaredNorm();
  }

  get active(): number {
    return this.#space.active + countActive(this.#transitions);
  }

  settle(): void {
    const { parameters } = this.#objective;
    const all = withinBudget(this.#similarity, this.#tokens, this.#space.weights(), this.#budget);
    const tokens = supportTokens(this.#tokens, all);
    parameters.vectors = new SupportVectors(this.#similarity, tokens, parameters.labels);
    this.#placeTransitions();
  }

  #placeTransitions(): void {
    const { free, parameters } = this.#objective;
    const view = parameters.weights.edges.view;
    for (const [k, at] of free.edges.entries()) view[at] = this.#transitions[k]!;
    parameters.version += 1;
  }
}

/** Returns the features of all tokens. */
function rowsOf(minibatches: readonly Minibatch[]): TokenRows {
  const starts = [0];
  const rows: number[] = [];
  for (const { tokens, stateStarts, stateRows } of minibatches) {
    for (let t = 0; t < tokens; t += 1) {
      for (let i = stateStarts[t]!; i < stateStarts[t + 1]!; i += 1) rows.push(stateRows[i]!);
      starts.push(rows.length);
    }
  }
  return { starts: Uint32Array.from(starts), rows: Uint32Array.from(rows) };
}

/**
 * Returns the tokens of a corpus with any nonzero weight, with their weights in float32.
 *
 * @param weights `[labels x tokens]`
 */
function supportTokens(
  { starts, rows }: TokenRows,
  { tokens, weights: vectors }: { tokens: ArrayLike<number>; weights: Float64Array },
): SupportTokens {
  const count = tokens.length;
  const labelCount = count === 0 ? 0 : vectors.length / count;
  const ownStarts = [0];
  const ownRows: number[] = [];
  const labelStarts = [0];
  const labels: number[] = [];
  const weights: number[] = [];
  for (let t = 0; t < count; t += 1) {
    for (let y = 0; y < labelCount; y += 1) {
      const weight = Math.fround(vectors[y * count + t]!);
      if (weight === 0) continue;
      labels.push(y);
      weights.push(weight);
    }
    if (labels.length === labelStarts.at(-1)) continue;
    const token = tokens[t]!;
    for (let i = starts[token]!; i < starts[token + 1]!; i += 1) ownRows.push(rows[i]!);
    ownStarts.push(ownRows.length);
    labelStarts.push(labels.length);
  }
  return {
    starts: Uint32Array.from(ownStarts),
    rows: Uint32Array.from(ownRows),
    labelStarts: Uint32Array.from(labelStarts),
    labels: Uint16Array.from(labels),
    weights: Float32Array.from(weights),
  };
}
