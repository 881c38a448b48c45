import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { Contribution } from '../../core/training/contribution.js';
import type { Model } from '../model.js';

/**
 * The tags that sentence `s` of a contribution was given before anything was learned from it: those of its record, where
 * its labels came later, else the predictions of the contribution.
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
