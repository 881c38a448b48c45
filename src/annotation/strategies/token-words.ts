import type { Sentence } from '../../core/sentence/sentence.js';

/** Numbers that words have; more words share one by chance. */
export const wordCount = 2 ** 18;

/**
 * A number for the word of each token, in lower case: FNV-1a of its UTF-16 units.
 *
 * @example
 * const sentence = tokens => ({ tokens, columns: {}, document: {}, part: { index: 0, count: 1, start: 0 } });
 * const [first, second, third] = tokenWords([sentence(['Oslo', 'oslo', 'Rome'])]);
 * [first === second, first === third] // => [true, false]
 */
export function tokenWords(sentences: readonly Sentence[]): Uint32Array {
  return Uint32Array.from(
    sentences.flatMap(({ tokens }) => tokens),
    numberOf,
  );
}

function numberOf(token: string): number {
  const word = token.toLowerCase();
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i += 1) {
    hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  }
  return (hash ^ (hash >>> 15)) & (wordCount - 1);
}
