import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import type { Scores } from '../../core/training/training-step.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { RankLoss } from '../../metrics/evaluation/rank-loss.js';
import { isConverted, TaggingScores } from '../../metrics/scores/tagging-scores.js';
import { isSpanScheme } from '../../text/tags/tag-scheme.js';
import type { Model } from '../model.js';
import type { DecodeOptions } from './decode-options.js';
import { alternatives } from './decoded.js';
import type { Decoder } from './decoder.js';

/** Number of sentences decoded at once. */
const batchSize = 64;

/**
 * Scores the best tags under `parameters` against the sentences' gold tags; skips and counts sentences without gold
 * tags, and ignores the sentences' constraints. Has no side effects.
 *
 * @param options how to decode; with `nbest`, scores include the gold tags' ranks among that number of best
 *   sequences
 * @param onScored receives each scored sentence with its best tags, in order
 */
export function scoreSentences(
  model: Model,
  parameters: ParameterStore,
  decoder: Decoder,
  sentences: readonly EncodedSentence[],
  options: DecodeOptions = {},
  onScored?: (sentence: Sentence, tags: readonly string[]) => void,
): Scores {
  const labelled = sentences.filter(({ sentence }) => sentence.tags !== undefined);
  const spanScheme = isSpanScheme(model.scheme);
  const scores = new TaggingScores(spanScheme, model.reportedScheme);
  const ranks = options.nbest === undefined ? undefined : new RankLoss(options.nbest, spanScheme);
  for (let first = 0; first < labelled.length; first += batchSize) {
    const batch = packMinibatch(labelled.slice(first, first + batchSize));
    const decoded = decoder.decode(parameters, batch, { ...options, constraints: false });
    const { labels, nbest, rejected } = decoded;
    for (const [s, { sentence }] of batch.sentences.entries()) {
      const tags = model.labels.tagsOf(
        labels,
        batch.sentenceStarts[s],
        batch.sentenceStarts[s + 1],
      );
      scores.add(sentence.tags!, tags);
      // A sentence without a possible sequence has no ranks.
      if (rejected?.has(s) !== true) {
        ranks?.add(sentence.tags!, alternatives(nbest![s]!, model.labels.reported));
      }
      onScored?.(sentence, tags);
    }
  }
  const rank = ranks?.summary(isConverted(scores.schemes));
  return {
    ...scores.scores(),
    ...{ skipped: sentences.length - labelled.length, ...(rank && { rank }) },
  };
}
