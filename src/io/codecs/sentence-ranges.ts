import type { Range } from '../../core/sentence/document.js';

/**
 * The token ranges of the sentences of `count` tokens: the given ones, or all tokens as one.
 *
 * @example
 * sentenceRanges(undefined, 3) // => [[0, 3]]
 */
export function sentenceRanges(
  sentences: readonly Range[] | undefined,
  count: number,
): readonly Range[] {
  return sentences === undefined || sentences.length === 0 ? [[0, count]] : sentences;
}
