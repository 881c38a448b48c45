import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Contribution } from '../../core/training/contribution.js';
import type { Model } from '../model.js';

/**
 * Returns the tags that sentence `s` of a contribution had before it was learned from: those of its record if its
 * labels came later, otherwise the contribution's predictions. Undefined if it had none, because the model knew no label
 * when the sentence arrived.
 *
 * @param predicted labels of all tokens, from `contribute` with `predict`
 */
export function servedTags(
  model: Pick<Model, 'labels'>,
  { minibatch }: Pick<Contribution, 'minibatch'>,
  predicted: Int32Array,
  s: number,
): readonly string[] | undefined {
  const { part, document, tokens }: EncodedSentence['sentence'] = minibatch.sentences[s]!.sentence;
  const { tags } = document.late ?? {};
  if (tags === undefined) return predictedTags(model, minibatch, predicted, s);
  const served = tags.slice(part.start, part.start + tokens.length);
  return served.length === tokens.length ? served : undefined;
}

/** Returns the tags predicted for sentence `s` of a minibatch; undefined if the model knew no label. */
export function predictedTags(
  { labels }: Pick<Model, 'labels'>,
  { sentenceStarts, tokenEnds }: Minibatch,
  predicted: Int32Array,
  s: number,
): string[] | undefined {
  const start = sentenceStarts[s]!;
  return labels.predictedTags(predicted, start, tokenEnds?.[s] ?? sentenceStarts[s + 1]!);
}
