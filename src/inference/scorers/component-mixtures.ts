import type { Lattice } from '../../kernels/lattice.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';

/**
 * The mixtures of the batch of a lattice whose labels have components. The potential of a label is that of its
 * first component,
 *
 *     e_t(y) = log of the sum over m of exp(s_t(y, m)),
 *
 * of the linear scores s, and the others are minus infinity: what runs over the lattice sees labels alone, and is exact
 * for them. Memory grows with the largest batch and is used again; float64, whatever the precision of the lattice.
 */
export class ComponentMixtures {
  readonly #lattice: Lattice;
  /** `[tokens x width]`: p(m | y, x_t), what component m has of its label. */
  #shares = new Float64Array(0);
  #components = 1;

  private constructor(lattice: Lattice) {
    this.#lattice = lattice;
  }

  /** The ones that belong to a lattice. */
  static of(lattice: Lattice): ComponentMixtures {
    let found = mixtures.get(lattice);
    if (found === undefined) {
      found = new ComponentMixtures(lattice);
      mixtures.set(lattice, found);
    }
    return found;
  }

  /** See `Scorer.fill`; does nothing where labels have no components. Cost: an exponential for each lane. */
  fill({ layout }: Pick<ParameterStore, 'layout'>): void {
    const count = layout.components?.count ?? 1;
    this.#components = count;
    if (count === 1) return;
    const { batch, emissionScores, width, labels } = this.#lattice;
    const lanes = batch!.tokens * width;
    if (this.#shares.length < lanes) this.#shares = new Float64Array(2 * lanes);
    const scores = emissionScores.view;
    const shares = this.#shares;
    for (let row = 0; row < lanes; row += width) {
      for (let first = row; first < row + labels; first += count) {
        let most = Number.NEGATIVE_INFINITY;
        for (let at = first; at < first + count; at += 1) most = Math.max(most, scores[at]!);
        let sum = 0;
        for (let at = first; at < first + count; at += 1) {
          shares[at] = Math.exp(scores[at]! - most);
          sum += shares[at]!;
          scores[at] = Number.NEGATIVE_INFINITY;
        }
        for (let at = first; at < first + count; at += 1) shares[at]! /= sum;
        scores[first] = most + Math.log(sum);
      }
    }
  }

  /** See `Scorer.spread`: r_t(y, m) = r_t(y) p(m | y, x_t). */
  spread(s: number): void {
    const count = this.#components;
    if (count === 1) return;
    const { batch, nodes, width, labels } = this.#lattice;
    const { sentenceStarts } = batch!;
    const residuals = nodes.view;
    const end = sentenceStarts[s + 1]! * width;
    for (let row = sentenceStarts[s]! * width; row < end; row += width) {
      for (let first = row; first < row + labels; first += count) {
        const residual = residuals[first]!;
        for (let at = first; at < first + count; at += 1) {
          residuals[at] = residual === 0 ? 0 : residual * this.#shares[at]!;
        }
      }
    }
  }
}

const mixtures = new WeakMap<Lattice, ComponentMixtures>();
