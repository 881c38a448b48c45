import { type MonoTypeOperatorFunction, map } from 'rxjs';
import { kinds, requireItem } from '../core/schema/require-argument.js';
import { requireWeight, type Sentence } from '../core/sentence/sentence.js';

/**
 * Sentences without labels become sentences any labels of which are possible, so that models that sum over unknown
 * labels learn from them; the others pass as they are. Put it before `featurize`.
 *
 * @param weight how often such a sentence counts; multiplied by a weight that it has
 * @example
 * const [made] = await lastValueFrom(
 *   of({ tokens: ['so', 'so'] }).pipe(tokenize(), learnUnlabelled(0.1), toArray()),
 * );
 * [made.partialTags, made.weight] // => [[null, null], 0.1]
 */
export function learnUnlabelled(weight = 1): MonoTypeOperatorFunction<Sentence> {
  requireWeight(weight);
  return map(sentence => {
    requireItem('learnUnlabelled', sentence, kinds.sentence);
    const { tags, partialTags, tokens } = sentence;
    if (tags !== undefined || partialTags !== undefined) return sentence;
    return {
      ...sentence,
      partialTags: tokens.map(() => null),
      weight: weight * (sentence.weight ?? 1),
    };
  });
}
