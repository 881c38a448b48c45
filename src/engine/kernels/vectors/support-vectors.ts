import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { RealTable } from '../memory/real-table.js';
import { InvertedRows } from './inverted-rows.js';

/** A kernel function of two tokens: their inner product after a mapping of their features. */
export type Similarity =
  | {
      /** (gamma * x . z + constant)^degree. */
      readonly polynomial: {
        readonly degree: number;
        readonly gamma: number;
        readonly constant: number;
      };
    }
  | {
      /** exp(-gamma * |x - z|^2), a radial basis function. */
      readonly rbf: { readonly gamma: number };
    };

/**
 * Values of a kernel function of tokens whose features are counts. Inner products and squares are integers, so each
 * distinct value is computed and stored once.
 */
export class SimilarityTable {
  /** Whether the function depends on the distance of tokens, and thus on their norms. */
  readonly isRadial: boolean;
  readonly #similarity: Similarity;
  /** Values by distance for a radial function, otherwise by scalar product. */
  readonly #values: number[] = [];

  constructor(similarity: Similarity) {
    this.#similarity = similarity;
    this.isRadial = 'rbf' in similarity;
  }

  /** Returns k(x, z), from x . z, x . x and z . z. Cost O(1). */
  at(product: number, x: number, z: number): number {
    const at = this.isRadial ? x + z - 2 * product : product;
    let value = this.#values[at];
    if (value === undefined) {
      value = computed(this.#similarity, at);
      this.#values[at] = value;
    }
    return value;
  }
}

function computed(similarity: Similarity, at: number): number {
  if ('rbf' in similarity) return Math.exp(-similarity.rbf.gamma * at);
  const { degree, gamma, constant } = similarity.polynomial;
  return (gamma * at + constant) ** degree;
}

/** Tokens of a corpus with label weights, as concatenated arrays. */
export interface SupportTokens {
  /** Where each token's features begin in `rows`, and the end of the last. */
  readonly starts: Uint32Array;
  /** Features, as rows of the feature index. */
  readonly rows: Uint32Array;
  /** Where each token's labels begin in the next two arrays, and the end of the last. */
  readonly labelStarts: Uint32Array;
  readonly labels: Uint16Array;
  readonly weights: Float32Array;
}

/**
 * The contribution of support vectors to the scores of a token x,
 *
 *     s(x, y) = sum over support tokens z of w(z, y) k(x, z),
 *
 * for a kernel function k. Only tokens z that share a feature with x are visited: the contribution of all others, whose
 * inner product is 0, is precomputed. Sums are float64. Cost per token: O(support tokens per shared feature + their
 * labels).
 */
export class SupportVectors {
  readonly similarity: Similarity;
  readonly tokens: SupportTokens;
  readonly #table: SimilarityTable;
  readonly #inverted: InvertedRows;
  /** z . z of each support token. */
  readonly #squares: Float64Array;
  /**
   * The sum over all support tokens without shared features; for a radial function, divided by exp(-gamma x .
   * x).
   */
  readonly #base: Float64Array;
  readonly #sums: Float64Array;

  /** @param labels number of labels, covering those of all tokens */
  constructor(similarity: Similarity, tokens: SupportTokens, labels: number) {
    this.similarity = similarity;
    this.tokens = tokens;
    this.#table = new SimilarityTable(similarity);
    this.#inverted = new InvertedRows(tokens.starts, tokens.rows);
    const count = tokens.starts.length - 1;
    this.#squares = new Float64Array(count);
    this.#base = new Float64Array(labels);
    this.#sums = new Float64Array(labels);
    for (let z = 0; z < count; z += 1) {
      const { rows, starts } = tokens;
      this.#squares[z] = this.#inverted.square(rows, starts[z]!, starts[z + 1]!);
      this.#add(this.#base, z, this.#table.at(0, 0, this.#squares[z]!));
    }
  }

  /**
   * Adds the support vectors' scores of all tokens of a minibatch.
   *
   * @param scores `[tokens x width]`
   */
  addTo(
    { tokens, stateStarts, stateRows }: Pick<Minibatch, 'tokens' | 'stateStarts' | 'stateRows'>,
    scores: RealTable,
    width: number,
  ): void {
    const table = this.#table;
    const sums = this.#sums;
    const numbers = scores.view;
    for (let t = 0; t < tokens; t += 1) {
      const [from, to] = [stateStarts[t]!, stateStarts[t + 1]!];
      const own = table.isRadial ? this.#inverted.square(stateRows, from, to) : 0;
      const far = table.isRadial ? table.at(0, own, 0) : 1;
      for (let y = 0; y < sums.length; y += 1) sums[y] = far * this.#base[y]!;
      this.#inverted.products(stateRows, from, to, (z, product) => {
        const square = this.#squares[z]!;
        this.#add(sums, z, table.at(product, own, square) - far * table.at(0, 0, square));
      });
      for (let y = 0; y < sums.length; y += 1) numbers[t * width + y]! += sums[y]!;
    }
  }

  #add(sums: Float64Array, z: number, amount: number): void {
    const { labelStarts, labels, weights } = this.tokens;
    const end = labelStarts[z + 1]!;
    for (let i = labelStarts[z]!; i < end; i += 1) sums[labels[i]!]! += amount * weights[i]!;
  }
}
