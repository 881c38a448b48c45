import type { EncodedSentence } from '../../engine/core/minibatch/encoded-sentence.js';
import { packMinibatch } from '../../engine/core/minibatch/pack-minibatch.js';
import type { Sentence } from '../../engine/core/sentence/sentence.js';
import { entropyShares } from '../../engine/inference/marginals/entropy-shares.js';
import { maskTransitions } from '../../engine/inference/mask-scores.js';
import { scoreBatch } from '../../engine/inference/score-batch.js';
import { isLinearChain } from '../../engine/inference/structures/structures.js';
import { decodingLattice } from '../../engine/kernels/lattice.js';
import { Decoder } from '../../engine/models/decoding/decoder.js';
import type { Model } from '../../engine/models/model.js';

/**
 * Computes the entropies of the labels of a sentence's tokens, in nats:
 * `H_t = - sum over y of p(y_t = y | x) log p(y_t = y | x)`. Settles and Craven (2008) call their
 * mean the token entropy. Cost O(T L^2).
 */
export function tokenEntropies(model: Model, sentence: Sentence): Float64Array {
  const { labels, values } = decoded(model, sentence, { marginals: 'all' }).labelMarginals!;
  const width = labels.length;
  return Float64Array.from(sentence.tokens, (_, t) => {
    let entropy = 0;
    for (let at = t * width; at < (t + 1) * width; at += 1) {
      const p = values[at]!;
      if (p > 0) entropy -= p * Math.log(p);
    }
    return Math.max(0, entropy);
  });
}

/**
 * Computes each token's contribution to the entropy of the label sequence, in nats: see
 * `entropyShares`. The contributions sum to the sequence entropy of Settles and Craven (2008), over
 * all sequences. If the model is not a plain chain of labels (hidden states, segments, pruned
 * labels, ...), they are the token entropies. Cost O(T L^2).
 */
export function tokenShares(model: Model, sentence: Sentence): Float64Array {
  const { labels } = model;
  const { layout } = model.parameters;
  const isPlain = labels.states === 1 && labels.groups === undefined && layout.prune === undefined;
  if (!isPlain || !isLinearChain(layout)) return tokenEntropies(model, sentence);
  model.reserve();
  const lattice = decodingLattice(model.parameters);
  scoreBatch(model.kernel, model.parameters, lattice, packMinibatch([encodedBy(model, sentence)]));
  const { transitionMask: mask } = model;
  if (mask !== undefined) maskTransitions(lattice, mask);
  return entropyShares(model.kernel, lattice, 0, mask?.connected === false ? 'masked' : 'auto');
}

/** Returns the probability of each token's chosen label. */
export function tokenConfidences(model: Model, sentence: Sentence): Float64Array {
  return decoded(model, sentence, { marginals: true }).marginals!;
}

/** Returns log p(y | x) of the `most` best label sequences: probabilities of long sentences underflow. */
export function sequenceLogProbabilities(model: Model, sentence: Sentence, most: number): number[] {
  if (most === 1) return [...decoded(model, sentence, { probability: true }).logProbabilities!];
  const { nbest } = decoded(model, sentence, { nbest: most });
  return nbest![0]!.map(({ logProbability }) => logProbability);
}

function decoded(model: Model, sentence: Sentence, options: Parameters<Decoder['decode']>[2]) {
  const batch = packMinibatch([encodedBy(model, sentence)]);
  model.reserve();
  return new Decoder(model.kernel, model).decode(model.parameters, batch, options);
}

const known = new WeakMap<Model, WeakMap<Sentence, EncodedSentence>>();

/**
 * Returns the feature rows of a sentence; a model with fixed features encodes each sentence once.
 */
export function encodedBy(model: Model, sentence: Sentence): EncodedSentence {
  if (!model.frozen) return model.encodeKnown(sentence);
  let sentences = known.get(model);
  if (sentences === undefined) {
    sentences = new WeakMap();
    known.set(model, sentences);
  }
  let encoded = sentences.get(sentence);
  if (encoded === undefined) {
    encoded = model.encodeKnown(sentence);
    sentences.set(sentence, encoded);
  }
  return encoded;
}
