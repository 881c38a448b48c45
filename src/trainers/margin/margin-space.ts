import { TagstreamError } from '../../core/errors.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import type { Contribution } from '../../core/training/contribution.js';
import { isPartial } from '../../losses/partial/allowed.js';

/** A label sequence of a sentence: what it costs, and what it differs in from the gold one. */
export interface DualSequence {
  readonly labels: Int32Array;
  /** Wrong labels, times the weight of the sentence; 0 for the gold sequence alone. */
  readonly cost: number;
  /** F(y) - F(y*), times the weight of the sentence: rising places among the parts of the space, and numbers there. */
  readonly places: Uint32Array;
  readonly values: Float64Array;
}

/**
 * Where the solution w of a max-margin problem lives, for trainers that move the dual variables of label sequences: the
 * weights of features, or combinations of tokens that a kernel function compares.
 */
export interface MarginSpace {
  /** Labelled sentences. */
  readonly size: number;
  /** The sequence of sentence `i` with the greatest cost plus score, at the present w. Cost O(T L^2) and the scores. */
  worst(i: number): DualSequence;
  /** The sequence of sentence `i` with given labels. */
  sequence(i: number, labels: Int32Array): DualSequence;
  /** The labels that sentence `i` should have. */
  gold(i: number): Int32Array;
  /** w . (F(y) - F(y*)). */
  score(y: DualSequence): number;
  /** (F(y) - F(y*)) . (F(z) - F(y*)) for two sequences of sentence `i`. */
  product(i: number, y: DualSequence, z: DualSequence): number;
  /** w += sum of amounts * (F(y) - F(y*)) over sequences of a sentence. */
  move(sequences: readonly DualSequence[], amounts: Float64Array): void;
  /** Makes w zero. */
  clear(): void;
  /** |w|^2. */
  squaredNorm(): number;
  /** The summed hinge losses and l2 * |w|^2. Cost: that of `worst` for all sentences. */
  primal(): number;
  /** Numbers of w that are not zero. */
  readonly active: number;
  /** Puts w into the parameters. */
  settle(): void;
}

/** Returns the gold sequence of a sentence, which differs in nothing. */
export function goldSequence(labels: Int32Array): DualSequence {
  return { labels, cost: 0, places: new Uint32Array(0), values: new Float64Array(0) };
}

/** Returns the sum of the products of two sparse vectors at the places that both have. Cost O(places). */
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

/** Returns the labels y of a sentence whose loss left the residuals [y_t = y] - [y*_t = y]. */
export function worstLabels({ residual, width }: Contribution, gold: Int32Array): Int32Array {
  const labels = gold.slice();
  for (let t = 0; t < labels.length; t += 1) {
    for (let y = 0; y < width; y += 1) if (residual[t * width + y]! > 0) labels[t] = y;
  }
  return labels;
}

/**
 * Returns the labelled sentences of a corpus, each by itself.
 *
 * @param trainer its name
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
