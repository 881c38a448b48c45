import { grown } from '../../core/arrays.js';
/**
 * Tokens indexed by their features, for the scalar products of a token with all of them. A feature counts with its
 * multiplicity in a token. Memory: a number per feature of each token.
 */
export class InvertedRows {
  /** Where each row's tokens begin in `#tokens`, and the end of the last. */
  readonly #starts: Uint32Array;
  readonly #tokens: Uint32Array;
  /** Products so far; all 0 between calls. */
  readonly #products: Float64Array;
  readonly #touched: Uint32Array;
  /** Multiplicity of each row in a token; all 0 between calls. */
  #counts: Uint32Array;

  /** @param starts where each token's features begin in `rows`, and the end of the last */
  constructor(starts: Uint32Array, rows: Uint32Array) {
    const known = rowCount(rows);
    this.#starts = new Uint32Array(known + 1);
    for (const row of rows) this.#starts[row + 1]! += 1;
    for (let row = 0; row < known; row += 1) this.#starts[row + 1]! += this.#starts[row]!;
    const next = this.#starts.slice();
    this.#tokens = new Uint32Array(rows.length);
    const count = starts.length - 1;
    for (let token = 0; token < count; token += 1) {
      for (let i = starts[token]!; i < starts[token + 1]!; i += 1) {
        const row = rows[i]!;
        this.#tokens[next[row]!] = token;
        next[row]! += 1;
      }
    }
    this.#products = new Float64Array(count);
    this.#touched = new Uint32Array(count);
    this.#counts = new Uint32Array(known);
  }

  /** Number of rows: one more than the largest. */
  get count(): number {
    return this.#starts.length - 1;
  }

  /** Returns the tokens with the feature of a row, in order, each as often as it has the feature; a view. */
  tokensOf(row: number): Uint32Array {
    return this.#tokens.subarray(this.#starts[row]!, this.#starts[row + 1]!);
  }

  /**
   * Visits the tokens that share a feature with the token with features `rows[from..to]`, with their scalar products.
   * Cost O(sum over its features of the tokens with the feature).
   */
  products(
    rows: Uint32Array,
    from: number,
    to: number,
    visit: (token: number, product: number) => void,
  ): void {
    const products = this.#products;
    const known = this.count;
    let count = 0;
    for (let i = from; i < to; i += 1) {
      const row = rows[i]!;
      if (row >= known) continue;
      const end = this.#starts[row + 1]!;
      for (let k = this.#starts[row]!; k < end; k += 1) {
        const token = this.#tokens[k]!;
        if (products[token] === 0) {
          this.#touched[count] = token;
          count += 1;
        }
        products[token]! += 1;
      }
    }
    for (let i = 0; i < count; i += 1) {
      const token = this.#touched[i]!;
      visit(token, products[token]!);
      products[token] = 0;
    }
  }

  /** Returns the scalar product of a token with itself. Cost O(features). */
  square(rows: Uint32Array, from: number, to: number): number {
    let square = 0;
    for (let i = from; i < to; i += 1) {
      const row = rows[i]!;
      if (row >= this.#counts.length) {
        const size = Math.max(row + 1, 2 * this.#counts.length);
        this.#counts = grown(this.#counts, new Uint32Array(size));
      }
      square += 2 * this.#counts[row]! + 1;
      this.#counts[row]! += 1;
    }
    for (let i = from; i < to; i += 1) this.#counts[rows[i]!] = 0;
    return square;
  }
}

/** Returns one more than the largest row, 0 without rows. */
export function rowCount(rows: Uint32Array): number {
  return rows.reduce((most, row) => Math.max(most, row + 1), 0);
}
