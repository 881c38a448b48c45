import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { Contribution } from '../../core/training/contribution.js';
import type { Model } from '../model.js';

/**
 * Returns the tags that sentence `s` of a contribution had before it was learned from: those of its record if its
 * labels came later, otherwise the contribution's predictions.
 *
 * @param predicted labels of all tokens, from `contribute` with `predict`
 */
export function servedTags(
  { labels }: Pick<Model, 'labels'>,
  { minibatch }: Pick<Contribution, 'minibatch'>,
  predicted: Int32Array,
  s: number,
): readonly string[] {
  const { part, document, tokens }: EncodedSentence['sentence'] = minibatch.sentences[s]!.sentence;
  const served = document.late?.tags?.slice(part.start, part.start + tokens.length);
  if (served !== undefined) return served;
  const start = minibatch.sentenceStarts[s]!;
  const end = minibatch.tokenEnds?.[s] ?? minibatch.sentenceStarts[s + 1]!;
  return labels.tagsOf(predicted, start, end);
}
