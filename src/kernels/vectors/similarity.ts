/** A kernel function of two tokens: what their scalar product is after a map of their features. */
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
 * Values of a kernel function of tokens whose features are counts. Scalar products and squares are whole numbers then,
 * so that each value is computed once. Memory: the values met.
 */
export class SimilarityTable {
  /** Whether it depends on the distance of tokens, and so on how long they are. */
  readonly isRadial: boolean;
  readonly #similarity: Similarity;
  /** By distance where it is radial, else by scalar product. */
  readonly #values: number[] = [];

  constructor(similarity: Similarity) {
    this.#similarity = similarity;
    this.isRadial = 'rbf' in similarity;
  }

  /** k(x, z), from x . z, x . x and z . z. Cost O(1). */
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
