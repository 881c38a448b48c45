import { TagstreamError } from '../../engine/core/errors.js';
import type { Sentence } from '../../engine/core/sentence/sentence.js';
import { suggestion } from '../../engine/core/wording/nearest.js';
import type { Model } from '../../engine/models/model.js';
import {
  sequenceLogProbabilities,
  tokenConfidences,
  tokenEntropies,
} from '../learning/uncertainty.js';
import { diversity } from './diversity.js';
import { askedTokens, type Strategy } from './strategy.js';

/** Chooses records in file order. */
export const sequential: Strategy = {
  name: 'sequential',
  summary: 'records in file order',
  order: 'queue',
};

/**
 * Chooses records in random order: the baseline of the other strategies, and an unbiased sample for
 * an estimate.
 */
export const random: Strategy = {
  name: 'random',
  summary: 'records in random order',
  order: 'random',
};

/**
 * Returns a record's score per token: the sum of its sentences' doubts, divided by the number of
 * tokens.
 */
function byToken(doubtsOf: (model: Model, sentence: Sentence) => Iterable<number>) {
  return (model: Model, sentences: readonly Sentence[]): number => {
    let tokens = 0;
    let sum = 0;
    for (const sentence of sentences) {
      for (const doubt of doubtsOf(model, sentence)) sum += doubt;
      tokens += sentence.tokens.length;
    }
    return sum / tokens;
  };
}

/**
 * Chooses the record whose best tags have the lowest probability: `- log p(y* | x) / T`, so that
 * length does not matter. Culotta and McCallum (2005).
 */
const leastConfidence: Strategy = {
  name: 'least-confidence',
  summary: 'the best tags have a low probability per token',
  order: 'score',
  score: byToken((model, sentence) => {
    const [best = Number.NEGATIVE_INFINITY] = sequenceLogProbabilities(model, sentence, 1);
    return [-best];
  }),
};

/**
 * Chooses the record whose two best tag sequences are closest: `-(p_1^(1/T) - p_2^(1/T))`, with
 * probabilities per token. Scheffer, Decomain and Wrobel (2001); for several sentences the mean
 * over their tokens.
 */
const margin: Strategy = {
  name: 'margin',
  summary: 'the two best tag sequences have similar probabilities per token',
  order: 'score',
  score: byToken((model, sentence) => {
    const { length } = sentence.tokens;
    const [first = 0, second = Number.NEGATIVE_INFINITY] = sequenceLogProbabilities(
      ...([model, sentence, 2] as const),
    );
    return [-length * (Math.exp(first / length) - Math.exp(second / length))];
  }),
};

/**
 * Chooses the record with the highest mean token entropy. Settles and Craven (2008), "token
 * entropy".
 */
const entropy: Strategy = {
  name: 'entropy',
  summary: 'the mean entropy of the labels of its tokens is high',
  order: 'score',
  score: byToken(tokenEntropies),
};

/**
 * Asks only about the tokens of which the model is unsure; the others stay unknown, and are summed
 * out in learning. Chooses the record with the least certain tokens in question, on average. After
 * Tomanek and Hahn (2009), who instead treat the confident labels of the model as gold.
 */
const spans: Strategy = {
  name: 'spans',
  summary: 'asks only for the tokens that the model is unsure of',
  order: 'score',
  asksTokens: true,
  score(model, sentences) {
    let asked = 0;
    let doubt = 0;
    for (const sentence of sentences) {
      const confidences = tokenConfidences(model, sentence);
      for (const t of askedTokens(confidences)) {
        asked += 1;
        doubt += 1 - confidences[t]!;
      }
    }
    return asked === 0 ? 0 : doubt / asked;
  },
};

/** All strategies of `--strategy`. */
export const strategies: readonly Strategy[] = [
  ...[sequential, random, leastConfidence, margin, entropy, diversity, spans],
];

/**
 * Returns the strategy with a name.
 *
 * @throws TagstreamError `usage`
 * @example
 * strategyOf('entropy').order // => 'score'
 */
export function strategyOf(name: string): Strategy {
  const found = strategies.find(each => each.name === name);
  if (found !== undefined) return found;
  throw new TagstreamError('usage', `there is no strategy "${name}"`, {
    fix: suggestion(
      name,
      strategies.map(each => each.name),
    ),
  });
}
