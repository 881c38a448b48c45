import { InvertedRows } from '../../kernels/vectors/inverted-rows.js';
import { type Similarity, SimilarityTable } from '../../kernels/vectors/similarity.js';

/** Features of the tokens of a corpus: where those of each begin in `rows`, and the end of all. */
export interface TokenRows {
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
}

/**
 * Rows of the Gram matrix of the tokens of a corpus, k(x, z) of a token x with all tokens z. The rows used last are
 * kept, as many as a bound on the memory allows; others are computed again, to the same bits. Cost of a row that is not
 * kept: O(tokens + tokens with its features, each as often).
 */
export class GramRows {
  /** Tokens. */
  readonly size: number;
  readonly #tokens: TokenRows;
  readonly #table: SimilarityTable;
  readonly #inverted: InvertedRows;
  readonly #squares: Float64Array;
  readonly #most: number;
  /** From the row whose use is longest ago to that used last. */
  readonly #kept = new Map<number, Float64Array>();

  /** @param bytes that rows may take; one is kept whatever it takes */
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

  /** k(x, z) for all z; valid until the next call. */
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

  /** k between the tokens of `[from, to)`, row by row. Cost O(tokens^2 * features^2). */
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
