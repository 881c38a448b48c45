import { Random } from '../../core/random.js';
import { InvertedRows, rowCount } from '../../kernels/vectors/inverted-rows.js';
import { type Similarity, SimilarityTable } from '../../kernels/vectors/support-vectors.js';

/** The features of a corpus's tokens: where each token's features begin in `rows`, and the end of the last. */
export interface TokenRows {
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
}

/** Squared relative distance from the span of earlier tokens below which a token is skipped. */
const dependent = 1e-9;

/**
 * An orthonormal basis of the span of m tokens under a kernel function k, and tokens in its coordinates:
 *
 *     L L' = (k(z_i, z_j)),   phi(x) = L^-1 (k(z_1, x) ... k(z_m, x)),
 *
 * so that phi(x) . phi(x') = k(x, x') for tokens in the span, and the best approximation in the span for other tokens
 * (Nystroem). L is the Cholesky factor; linearly dependent tokens are skipped. Cost O(m^3 / 3), and O(m^2 / 2) per additional
 * token. Williams and Seeger (2001).
 */
export class KernelBasis {
  /** The tokens of the basis, as indices into the corpus. */
  readonly tokens: number[] = [];
  readonly #all: TokenRows;
  readonly #table: SimilarityTable;
  readonly #inverted: InvertedRows;
  /** z . z for each token of the basis. */
  readonly #squares: number[] = [];
  /** Rows of L; row i has i + 1 numbers. */
  readonly #lower: Float64Array[] = [];
  /** Values of k between a token and the tokens of the basis. */
  readonly #values: Float64Array;

  /**
   * @param given candidate tokens of the corpus, in the order in which they are added to the basis
   * @param most maximum number of tokens in the basis
   */
  constructor(similarity: Similarity, all: TokenRows, given: ArrayLike<number>, most: number) {
    this.#all = all;
    this.#table = new SimilarityTable(similarity);
    this.#values = new Float64Array(Math.min(most, given.length));
    const { starts, rows } = all;
    const counts = new Uint32Array(rowCount(rows));
    const product = (token: number) => {
      let sum = 0;
      for (let k = starts[token]!; k < starts[token + 1]!; k += 1) sum += counts[rows[k]!]!;
      return sum;
    };
    for (let i = 0; i < given.length && this.tokens.length < most; i += 1) {
      const token = given[i]!;
      const own = rows.subarray(starts[token]!, starts[token + 1]!);
      for (const row of own) counts[row]! += 1;
      this.#add(token, product);
      for (const row of own) counts[row] = 0;
    }
    const picked = pickTokens(all, this.tokens);
    this.#inverted = new InvertedRows(picked.starts, picked.rows);
  }

  /** Adds a token to the basis unless it lies in the span. */
  #add(token: number, product: (other: number) => number): void {
    const size = this.tokens.length;
    const square = product(token);
    for (let i = 0; i < size; i += 1) {
      this.#values[i] = this.#table.at(product(this.tokens[i]!), square, this.#squares[i]!);
    }
    const row = new Float64Array(size + 1);
    this.#solve(row);
    const own = this.#table.at(square, square, square);
    const rest = own - row.reduce((sum, x) => sum + x * x, 0);
    if (!(rest > dependent * own)) return;
    row[size] = Math.sqrt(rest);
    this.#lower.push(row);
    this.#squares.push(square);
    this.tokens.push(token);
  }

  /** Computes L^-1 of the values. */
  #solve(into: Float64Array): void {
    for (const [i, row] of this.#lower.entries()) {
      let rest = this.#values[i]!;
      for (let j = 0; j < i; j += 1) rest -= row[j]! * into[j]!;
      into[i] = rest / row[i]!;
    }
  }

  /** Writes phi of a corpus token to the first numbers of `into`. */
  map(token: number, into: Float64Array): void {
    const { starts, rows } = this.#all;
    const [from, to] = [starts[token]!, starts[token + 1]!];
    const squares = this.#squares;
    const own = this.#inverted.square(rows, from, to);
    for (const [i, square] of squares.entries()) this.#values[i] = this.#table.at(0, own, square);
    this.#inverted.products(rows, from, to, (i, product) => {
      this.#values[i] = this.#table.at(product, own, squares[i]!);
    });
    this.#solve(into);
  }

  /**
   * Returns c = L'^-1 v, the numbers with sum over tokens of c_i k(z_i, x) = v . phi(x). Cost O(m^2 / 2).
   */
  weights(v: Float64Array): Float64Array {
    const weights = v.slice(0, this.tokens.length);
    for (let i = weights.length - 1; i >= 0; i -= 1) {
      const row = this.#lower[i]!;
      weights[i]! /= row[i]!;
      for (let j = 0; j < i; j += 1) weights[j]! -= row[j]! * weights[i]!;
    }
    return weights;
  }
}

function pickTokens({ starts, rows }: TokenRows, tokens: readonly number[]): TokenRows {
  const own = tokens.map(token => rows.subarray(starts[token]!, starts[token + 1]!));
  const ends = new Uint32Array(own.length + 1);
  for (const [i, { length }] of own.entries()) ends[i + 1] = ends[i]! + length;
  const picked = new Uint32Array(ends[own.length]!);
  for (const [i, each] of own.entries()) picked.set(each, ends[i]!);
  return { starts: ends, rows: picked };
}

/**
 * Returns random features of tokens, `[tokens x size]`, whose scalar products equal a kernel function on average over seeds.
 * Radial functions have pairs of random Fourier features (Rahimi and Recht, 2007),
 *
 *     phi(x) = (cos(w_1 . x), sin(w_1 . x), ...) / sqrt(m / 2),   w of independent normal numbers of variance 2 gamma,
 *
 * for which phi(x) . phi(x) = 1 exactly. Polynomials have a tensor sketch (Pham and Pagh, 2013): the circular convolution of
 * `degree` count sketches of sqrt(gamma) x with sqrt(constant) appended, each of which adds every feature to one of m numbers
 * with a random sign. The standard deviation of an estimate falls like 1 / sqrt(m).
 *
 * @param most m, rounded up to an even number for radial functions
 * @param seed determines the numbers, for given tokens and function
 * @returns the numbers, and how many there are per token. Cost for f features per token: O(tokens f m), for polynomials times
 *   the degree; memory: the numbers themselves
 */
export function randomFeatures(
  similarity: Similarity,
  tokens: TokenRows,
  most: number,
  seed: number,
): { readonly mapped: Float64Array; readonly size: number } {
  const random = new Random(seed);
  if ('rbf' in similarity) return fourierFeatures(similarity.rbf.gamma, tokens, most, random);
  return { mapped: tensorSketches(similarity.polynomial, tokens, most, random), size: most };
}

function fourierFeatures(
  gamma: number,
  { starts, rows }: TokenRows,
  most: number,
  random: Random,
): { readonly mapped: Float64Array; readonly size: number } {
  const pairs = Math.ceil(most / 2);
  const size = 2 * pairs;
  const count = starts.length - 1;
  const mapped = new Float64Array(count * size);
  const deviation = Math.sqrt(2 * gamma);
  const frequencies = new Float64Array(pairs);
  // Feature by feature, so that a feature's frequencies need not be kept.
  const inverted = new InvertedRows(starts, rows);
  for (let row = 0; row < inverted.count; row += 1) {
    for (let i = 0; i < pairs; i += 1) frequencies[i] = deviation * random.normal();
    for (const token of inverted.tokensOf(row)) {
      const at = token * size;
      for (let i = 0; i < pairs; i += 1) mapped[at + i]! += frequencies[i]!;
    }
  }
  const length = 1 / Math.sqrt(pairs);
  for (let token = 0; token < count; token += 1) {
    const at = token * size;
    for (let i = 0; i < pairs; i += 1) {
      const angle = mapped[at + i]!;
      mapped[at + i] = length * Math.cos(angle);
      mapped[at + pairs + i] = length * Math.sin(angle);
    }
  }
  return { mapped, size };
}

function tensorSketches(
  { degree, gamma, constant }: Extract<Similarity, { readonly polynomial: unknown }>['polynomial'],
  { starts, rows }: TokenRows,
  size: number,
  random: Random,
): Float64Array {
  // The constant is the last row.
  const count = rowCount(rows) + 1;
  const places = new Uint32Array(degree * count);
  const signs = new Int8Array(degree * count);
  for (let i = 0; i < places.length; i += 1) {
    places[i] = random.below(size);
    signs[i] = random.below(2) === 0 ? -1 : 1;
  }
  const mapped = new Float64Array((starts.length - 1) * size);
  let product = new Float64Array(size);
  let next = new Float64Array(size);
  const [own, shared] = [Math.sqrt(gamma), Math.sqrt(constant)];
  /** Adds the numbers so far, shifted to the place of a feature in factor `j`. */
  const add = (j: number, row: number, amount: number) => {
    const place = places[j * count + row]!;
    const value = amount * signs[j * count + row]!;
    for (let i = 0; i < size - place; i += 1) next[place + i]! += value * product[i]!;
    for (let i = size - place; i < size; i += 1) next[place + i - size]! += value * product[i]!;
  };
  for (let token = 0; token + 1 < starts.length; token += 1) {
    product.fill(0);
    product[0] = 1;
    for (let j = 0; j < degree; j += 1) {
      next.fill(0);
      for (let k = starts[token]!; k < starts[token + 1]!; k += 1) add(j, rows[k]!, own);
      if (constant > 0) add(j, count - 1, shared);
      [product, next] = [next, product];
    }
    mapped.set(product, token * size);
  }
  return mapped;
}
