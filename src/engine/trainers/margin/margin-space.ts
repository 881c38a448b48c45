import { TagstreamError } from '../../core/errors.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import type { Contribution } from '../../core/training/contribution.js';
import { isPartial } from '../../losses/partial/allowed.js';

/** A label sequence of a sentence, with its cost and its difference from the gold sequence. */
export interface DualSequence {
  readonly labels: Int32Array;
  /** Number of wrong labels times the sentence's weight; 0 only for the gold sequence. */
  readonly cost: number;
  /** F(y) - F(y*) times the sentence's weight: ascending indices into the space, and their values. */
  readonly places: Uint32Array;
  readonly values: Float64Array;
}

/**
 * The space of the solution w of a max-margin problem, for trainers on the dual variables of label sequences: feature
 * weights, or combinations of tokens under a kernel function.
 */
export interface MarginSpace {
  /** Number of labelled sentences. */
  readonly size: number;
  /**
   * Returns the sequence of sentence `i` with the greatest cost plus score at the current w. Cost: O(T L^2), and
   * computing the scores.
   */
  worst(i: number): DualSequence;
  /** Returns the sequence of sentence `i` with the given labels. */
  sequence(i: number, labels: Int32Array): DualSequence;
  /** Returns the gold labels of sentence `i`. */
  gold(i: number): Int32Array;
  /** Returns w . (F(y) - F(y*)). */
  score(y: DualSequence): number;
  /** Returns (F(y) - F(y*)) . (F(z) - F(y*)) for two sequences of sentence `i`. */
  product(i: number, y: DualSequence, z: DualSequence): number;
  /** Adds the sum of amounts * (F(y) - F(y*)) over sequences of a sentence to w. */
  move(sequences: readonly DualSequence[], amounts: Float64Array): void;
  /** Sets w to zero. */
  clear(): void;
  /** Returns |w|^2. */
  squaredNorm(): number;
  /** Returns the summed hinge losses plus l2 * |w|^2. Cost: `worst` for all sentences. */
  primal(): number;
  /** Number of nonzero entries of w. */
  readonly active: number;
  /** Writes w to the parameters. */
  settle(): void;
}

/** Returns the gold sequence of a sentence, which has no differences. */
export function goldSequence(labels: Int32Array): DualSequence {
  return { labels, cost: 0, places: new Uint32Array(0), values: new Float64Array(0) };
}

/** Returns the inner product of two sparse vectors. Cost O(places). */
export function sparseProduct(
  y: Pick<DualSequence, 'places' | 'values'>,
  z: Pick<DualSequence, 'places' | 'values'>,
): number {
  let sum = 0;
  let i = 0;
  let j = 0;
  while (i < y.places.length && j < z.places.length) {
    const a = y.places[i]!;
    const b = z.places[j]!;
    if (a === b) sum += y.values[i]! * z.values[j]!;
    if (a <= b) i += 1;
    if (b <= a) j += 1;
  }
  return sum;
}

/** Returns the labels found by a loss in a sentence, from the residuals [y_t = y] - [y*_t = y]. */
export function worstLabels({ residual, width }: Contribution, gold: Int32Array): Int32Array {
  const labels = gold.slice();
  for (let t = 0; t < labels.length; t += 1) {
    for (let y = 0; y < width; y += 1) if (residual[t * width + y]! > 0) labels[t] = y;
  }
  return labels;
}

/**
 * Returns each labelled sentence of a corpus as a separate minibatch.
 *
 * @param trainer name of the trainer, for the error
 * @throws TagstreamError `config` for a partially labelled sentence
 */
export function singleSentences(trainer: string, corpus: readonly Minibatch[]): Minibatch[] {
  const minibatches = corpus.flatMap(({ sentences, labelled }) =>
    sentences.flatMap((sentence, s) => (labelled[s] === 1 ? [packMinibatch([sentence])] : [])),
  );
  if (!minibatches.some(minibatch => isPartial(minibatch, 0))) return minibatches;
  throw new TagstreamError('config', `${trainer} does not support partially labelled sentences`, {
    fix: 'omit them, or use sgd with the loss hinge',
  });
}
