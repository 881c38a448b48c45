import { InvertedRows } from '../../kernels/vectors/inverted-rows.js';
import { type Similarity, SimilarityTable } from '../../kernels/vectors/support-vectors.js';

/** Features of the tokens of a corpus: where those of each begin in `rows`, and the end. */
export interface TokenRows {
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
}

/** A token is skipped if its squared relative distance from the span of earlier ones is below this. */
const dependent = 1e-9;

/**
 * An orthonormal basis of the span of m tokens under a kernel function k, and tokens in its coordinates:
 *
 *     L L' = (k(z_i, z_j)),   phi(x) = L^-1 (k(z_1, x) ... k(z_m, x)),
 *
 * so that phi(x) . phi(x') = k(x, x') for tokens in the span, and the best approximation in the span for others (Nystroem). L
 * is the Cholesky factor; linearly dependent tokens are skipped. Cost O(m^3 / 3), and O(m^2 / 2) per additional token.
 * Williams and Seeger (2001).
 */
export class KernelBasis {
  /** The tokens of the basis, as indices into the corpus. */
  readonly tokens: number[] = [];
  readonly #all: TokenRows;
  readonly #table: SimilarityTable;
  readonly #inverted: InvertedRows;
  /** z . z of each token of the basis. */
  readonly #squares: number[] = [];
  /** Rows of L; row i has i + 1 numbers. */
  readonly #lower: Float64Array[] = [];
  /** k of a token with those of the basis. */
  readonly #values: Float64Array;

  /**
   * @param given tokens of a corpus, in the order in which they are added to the basis
   * @param most tokens of the basis
   */
  constructor(similarity: Similarity, all: TokenRows, given: ArrayLike<number>, most: number) {
    this.#all = all;
    this.#table = new SimilarityTable(similarity);
    this.#values = new Float64Array(Math.min(most, given.length));
    const { starts, rows } = all;
    const counts = new Uint32Array(rows.reduce((size, row) => Math.max(size, row + 1), 0));
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

  /** L^-1 of the values. */
  #solve(into: Float64Array): void {
    for (const [i, row] of this.#lower.entries()) {
      let rest = this.#values[i]!;
      for (let j = 0; j < i; j += 1) rest -= row[j]! * into[j]!;
      into[i] = rest / row[i]!;
    }
  }

  /** Writes phi of a token of the corpus to the first numbers of `into`. */
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
   * Returns the numbers c with sum over tokens of c_i k(z_i, x) = v . phi(x), that is L'^-1 v. Cost O(m^2 /
   * 2).
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
