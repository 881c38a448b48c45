import { type MonoTypeOperatorFunction, map } from 'rxjs';
import { kinds, requireItem } from '../core/schema/require-argument.js';
import { requireWeight, type Sentence } from '../core/sentence/sentence.js';

/**
 * Returns an operator that allows all labels for each token of an unlabelled sentence, so that models that sum over
 * unknown labels can learn from it. Labelled sentences pass unchanged. Put it before `featurize`.
 *
 * @param weight the weight of an unlabelled sentence, multiplied by its own weight if it has one
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
