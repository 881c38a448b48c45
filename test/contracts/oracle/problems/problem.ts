import type { EncodedSentence } from '../../../../src/engine/core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../../../../src/engine/core/minibatch/minibatch.js';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import type { Random } from '../../../../src/engine/core/random.js';
import type { ParameterStore } from '../../../../src/engine/kernels/store/parameter-store.js';
import type { ChainScores } from '../chain-scores.js';
import type { KernelPlace } from '../kernels/kernel-place.js';
import { noteDraw } from '../last-problem.js';
import { scoresOf } from '../scores-of.js';
import { randomSentence } from './random-sentence.js';
import { randomStore, type StoreShape } from './random-store.js';

/** Random parameters and a minibatch of short sentences, with the scores that follow from them. */
export interface Problem {
  readonly store: ParameterStore;
  readonly batch: Minibatch;
  /** For each sentence. */
  readonly scores: readonly ChainScores[];
}

/** What a random problem leaves to chance may be fixed. */
export interface ProblemShape extends StoreShape {
  readonly sentences: number;
  readonly longest: number;
  /** Whether all sentences have gold labels; otherwise some have none, or not for each token. */
  readonly labelled: boolean;
}

/**
 * A problem small enough to enumerate: 1 to 5 labels, sentences of 1 to 5 tokens (1 to 4 of 5 labels).
 * Its store is at `place`, and the scores follow from the weights as they are rounded there.
 */
export function randomProblem(
  random: Random,
  fixed: Partial<ProblemShape> = {},
  place?: KernelPlace,
): Problem {
  noteDraw(random.state, fixed);
  const shape: ProblemShape = {
    labels: 1 + random.below(5),
    labelCapacity: 1 + random.below(9),
    stateRows: random.below(8),
    edgeFeatures: random.below(2) * (1 + random.below(4)),
    transitions: random.below(3) > 0,
    support: random.below(2) === 0 ? 'all' : 'observed',
    spread: [0.3, 1, 3][random.below(3)]!,
    scale: [1, 0.25, 1.7][random.below(3)]!,
    sentences: 1 + random.below(4),
    longest: 5,
    labelled: false,
    ...fixed,
  };
  const store = randomStore(random, shape, place);
  const sentences = Array.from({ length: shape.sentences }, () => sentenceFor(random, shape));
  return {
    store,
    batch: packMinibatch(sentences),
    scores: sentences.map(sentence => scoresOf(store, sentence)),
  };
}

function sentenceFor(random: Random, shape: ProblemShape): EncodedSentence {
  const { layers, parts, codes } = shape;
  const made = layers?.[0]?.length ?? (parts && parts.starts.length - 1) ?? codes?.words.length;
  const labels = made ?? shape.labels;
  const longest = labels > 4 ? Math.min(4, shape.longest) : shape.longest;
  return randomSentence(random, {
    length: 1 + random.below(longest),
    labels,
    stateRows: shape.stateRows,
    edgeFeatures: random.below(4) > 0 ? shape.edgeFeatures : 0,
    stateValues: random.below(2) === 0,
    edgeValues: random.below(2) === 0,
    gold: shape.labelled ? 'all' : (['all', 'all', 'none', 'partial'] as const)[random.below(4)]!,
  });
}
