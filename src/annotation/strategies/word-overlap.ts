import type { Sentence } from '../../core/sentence/sentence.js';

/**
 * The distinct words of some sentences, in lower case.
 *
 * @example
 * [...wordsOf([{ tokens: ['A', 'a', 'b'], columns: {}, document: {}, part: { index: 0, count: 1, start: 0 } }])] // => ['a', 'b']
 */
export function wordsOf(sentences: readonly Sentence[]): Set<string> {
  return new Set(sentences.flatMap(({ tokens }) => tokens.map(token => token.toLowerCase())));
}

/**
 * How alike two sets of words are, from 0 to 1: the cosine of their indicators.
 *
 * @example
 * wordOverlap(new Set(['a', 'b']), new Set(['b', 'c'])) // => 0.5
 */
export function wordOverlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  if (small.size === 0) return 0;
  let common = 0;
  for (const word of small) if (large.has(word)) common += 1;
  return common / Math.sqrt(a.size * b.size);
}
