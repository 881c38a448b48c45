/** Probability below which a term does not contribute to a curvature. */
const negligible = 1e-10;

/** Weights of one feature in a visit. */
interface FeatureWeights {
  readonly block: { readonly kind: 'state' | 'transitions' | 'edge' };
  /** Where they start among the visit's weights. */
  readonly from: number;
  /** Per weight: label, or previous label * width + label. */
  readonly cells: Uint32Array;
}

/** A buffer for the probabilities of labels and of adjacent label pairs at consecutive tokens. */
export class PosteriorChain {
  readonly labels: number;
  /** `[tokens x labels]`: p(y_t = y | x). */
  nodes = new Float64Array(0);
  /** `[tokens x labels x labels]`: p(y_{t-1} = i, y_t = j | x); zero for a first token. */
  pairs = new Float64Array(0);

  constructor(labels: number) {
    this.labels = labels;
  }

  /** Starts a range of tokens, filled with zeros. */
  open(tokens: number): void {
    const { labels } = this;
    if (this.nodes.length < tokens * labels) {
      this.nodes = new Float64Array(tokens * labels);
      this.pairs = new Float64Array(tokens * labels * labels);
      return;
    }
    this.nodes.fill(0, 0, tokens * labels);
    this.pairs.fill(0, 0, tokens * labels * labels);
  }
}

/** The occurrences of a visit's features in a range of tokens. */
export interface StretchOccurrences {
  /** Tokens, ascending, relative to the first token of the range; a token may occur twice. */
  readonly tokens: ArrayLike<number>;
  /** Values of the features there; undefined if all are 1. */
  readonly values: ArrayLike<number> | undefined;
}

/**
 * Corrects the curvature of a sentence computed with uncorrelated positions to the exact one (Sokolovska, Lavergne, Cappe and
 * Yvon 2010, eq. 15 instead of eq. 16): adds
 *
 *     2 * weight * sum over s < t of v_s v_t (p(f at s and t) - p(f at s) p(f at t))
 *
 * for each weight of the blocks. Given x, the labels form a Markov chain, so p(f at s and t) follows from the probabilities
 * of the label at t given the label at s, which all weights share. Cost O(occurrences * tokens * L^3) for the whole visit,
 * whereas separate recursions per weight take O(tokens * L^2) for each of up to L^2 weights.
 */
export class ExactCurvature {
  readonly chain: PosteriorChain;
  readonly #blocks: readonly FeatureWeights[];
  readonly #width: number;
  /** The label of each weight (the second of a pair). */
  readonly #rows: Uint16Array;
  /** `[labels x labels]`: p(y_t = j | y_s = i, x); and a buffer for the next matrix. */
  #given: Float64Array;
  #next: Float64Array;

  constructor(labels: number, width: number, blocks: readonly FeatureWeights[]) {
    this.chain = new PosteriorChain(labels);
    this.#blocks = blocks;
    this.#width = width;
    const last = blocks.flatMap(({ cells }) => Array.from(cells, cell => cell % width));
    this.#rows = Uint16Array.from(new Set(last)).sort();
    this.#given = new Float64Array(labels * labels);
    this.#next = new Float64Array(labels * labels);
  }

  /**
   * Adds the terms of the token range in `chain` to `curvature`.
   *
   * @param squares whether to also add v_t^2 p (1 - p) of each occurrence
   */
  add(
    { tokens, values }: StretchOccurrences,
    weight: number,
    squares: boolean,
    curvature: Float64Array,
  ): void {
    const last = tokens[tokens.length - 1]!;
    const value = (k: number) => (values === undefined ? 1 : values[k]!);
    for (let k = 0; k < tokens.length; k += 1) {
      const s = tokens[k]!;
      if (squares) this.#addAt(s, weight * value(k) ** 2, curvature);
      let next = k + 1;
      // A feature that two templates produce at one token occurs twice.
      for (; tokens[next] === s; next += 1) {
        this.#addAt(s, 2 * weight * value(k) * value(next), curvature);
      }
      if (next === tokens.length) return;
      this.#begin(s);
      for (let t = s + 1; t <= last; t += 1) {
        let sum = 0;
        for (; tokens[next] === t; next += 1) sum += value(next);
        const factor = 2 * weight * value(k) * sum;
        if (factor !== 0) this.#addPairs(s, t, factor, curvature);
        this.#step(t);
        if (factor !== 0) this.#addStates(s, t, factor, curvature);
      }
    }
  }

  /** Adds the terms factor * p (1 - p) of one token. */
  #addAt(t: number, factor: number, curvature: Float64Array): void {
    for (const { block, from, cells } of this.#blocks) {
      for (let k = 0; k < cells.length; k += 1) {
        const p = this.#probability(block.kind === 'state', t, cells[k]!);
        curvature[from + k]! += factor * p * (1 - p);
      }
    }
  }

  #probability(isState: boolean, t: number, cell: number): number {
    const { labels, nodes, pairs } = this.chain;
    if (isState) return nodes[t * labels + cell]!;
    const before = Math.floor(cell / this.#width);
    return pairs[(t * labels + before) * labels + cell - before * this.#width]!;
  }

  #begin(s: number): void {
    const { labels, nodes } = this.chain;
    this.#given.fill(0);
    for (const y of this.#rows) {
      if (nodes[s * labels + y]! > negligible) this.#given[y * labels + y] = 1;
    }
  }

  /** Advances from p(y_{t-1} | y_s) to p(y_t | y_s). */
  #step(t: number): void {
    const { labels, nodes, pairs } = this.chain;
    const given = this.#given;
    const next = this.#next.fill(0);
    for (const y of this.#rows) {
      const row = y * labels;
      for (let i = 0; i < labels; i += 1) {
        const share = given[row + i]!;
        const before = nodes[(t - 1) * labels + i]!;
        if (share <= negligible || before <= negligible) continue;
        const factor = share / before;
        const at = (t * labels + i) * labels;
        for (let j = 0; j < labels; j += 1) next[row + j]! += factor * pairs[at + j]!;
      }
    }
    this.#given = next;
    this.#next = given;
  }

  #addStates(s: number, t: number, factor: number, curvature: Float64Array): void {
    const { labels, nodes } = this.chain;
    for (const { block, from, cells } of this.#blocks) {
      for (let k = 0; block.kind === 'state' && k < cells.length; k += 1) {
        const y = cells[k]!;
        const both = this.#given[y * labels + y]! - nodes[t * labels + y]!;
        curvature[from + k]! += factor * nodes[s * labels + y]! * both;
      }
    }
  }

  /** Adds the pair terms of the tokens s and t, given p(y_{t-1} | y_s). */
  #addPairs(s: number, t: number, factor: number, curvature: Float64Array): void {
    const { labels, nodes } = this.chain;
    for (const { block, from, cells } of this.#blocks) {
      if (block.kind === 'state') continue;
      for (let k = 0; k < cells.length; k += 1) {
        const cell = cells[k]!;
        const first = this.#probability(false, s, cell);
        if (first <= negligible) continue;
        const before = Math.floor(cell / this.#width);
        const y = cell - before * this.#width;
        const node = nodes[(t - 1) * labels + before]!;
        if (node <= negligible) continue;
        const second = this.#probability(false, t, cell);
        curvature[from + k]! +=
          factor * first * second * (this.#given[y * labels + before]! / node - 1);
      }
    }
  }
}
