import type { Lattice } from '../../kernels/lattice.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import type { Scorer } from './without-weights.js';

/**
 * A hidden Markov model: the joint probability of labels and words,
 *
 *     p(x, y) = p(y_1) prod_{t>1} p(y_t | y_{t-1}) prod_t p(x_t | y_t),
 *
 * estimated by tables of counts; see the loss `joint` and the optimizer `counts`. Its logarithm is
 * a sum of weights: a transition's weight is log p(y_t | y_{t-1}), and that of a word or class is
 * the log-ratio of its entry to the entry of the class that it backs off to. So the sums of weights
 * are the potentials, with Z = p(x), and every chain algorithm is exact for p(y | x) = p(x, y) /
 * p(x). If labels have components, p(x_t | y_t) is their mixture; see `ComponentMixtures`. Rabiner
 * (1989).
 */
export const hmmScorer: Scorer = {
  name: 'hmm',
  summary: 'p(x, y) from tables of counts: labels emit words (hidden Markov model)',
  example: 'model: { scorer: hmm }',
  capabilities: ['marginals', 'n-best', 'constraints', 'explain', 'partial labels', 'tables'],
  madeBy:
    'use the optimizer counts (or em, stepwise-em, mmi) with the loss joint, or the scorer linear',
  trainer: { counts: {} },
  without: {
    dropout: {
      problem: 'the scorer hmm counts every occurrence, so dropout does not apply',
      fix: 'leave it out',
    },
    threshold: {
      problem: 'the weights of the scorer hmm add up to logarithms, so none can be dropped',
      fix: 'leave it out; for a smaller model raise minCount of the optimizer counts',
    },
    temperature: {
      problem: 'the scorer hmm has probabilities estimated from counts',
      fix: 'leave it out',
    },
    compact: {
      problem: 'the weights of the scorer hmm are logarithms and cannot be rounded',
      fix: 'leave it out',
    },
    start: {
      problem: 'the scorer hmm starts from counts, which a model file does not store',
      fix: 'train on all records, or resume from the checkpoints of the run',
    },
  },
  withoutFeatures: {
    preset: {
      problem:
        'the scorer hmm does not support presets: it needs one template per column, which reads the token itself',
      fix: 'give templates instead, from the word to ever larger classes: templates: ["U0:%x[0,0]", "U1:%type[0,0]/%suffix[0,0,2]", "U2:%type[0,0]", "B"]',
    },
    hashed: {
      problem: 'the scorer hmm counts each word separately, but hashed words share rows',
      fix: 'leave it out, or use the scorer linear',
    },
    mutualInformation: {
      problem: 'the scorer hmm needs the counts of all words',
      fix: 'leave it out and merge rare words by minCount of the optimizer counts, or use the scorer linear',
    },
    prune: {
      problem: 'the scorer hmm never makes a weight zero',
      fix: 'use maxFeatures, or the scorer linear',
    },
    support: {
      problem: 'the scorer hmm smooths the counts of unseen pairs',
      fix: 'use support: all, or use the scorer linear',
    },
  },
  fill: (lattice, store) => ComponentMixtures.of(lattice).fill(store),
  spread: (lattice, s) => ComponentMixtures.of(lattice).spread(s),
};

/**
 * The mixtures of a lattice's batch if its labels have components. A label's potential is that of
 * its first component,
 *
 *     e_t(y) = log of the sum over m of exp(s_t(y, m)),
 *
 * with linear scores s, and the potentials of the other components are minus infinity: algorithms
 * on the lattice see only labels, and are exact for them. Memory grows with the largest batch and
 * is reused; always float64, whatever the lattice's precision.
 */
class ComponentMixtures {
  readonly #lattice: Lattice;
  /** `[tokens x width]`: p(m | y, x_t), component m's share of its label. */
  #shares = new Float64Array(0);
  #components = 1;

  private constructor(lattice: Lattice) {
    this.#lattice = lattice;
  }

  /** Returns the instance of a lattice. */
  static of(lattice: Lattice): ComponentMixtures {
    let found = mixtures.get(lattice);
    if (found === undefined) {
      found = new ComponentMixtures(lattice);
      mixtures.set(lattice, found);
    }
    return found;
  }

  /**
   * See `Scorer.fill`; does nothing if labels have no components. Cost: one exponential per lane.
   */
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
