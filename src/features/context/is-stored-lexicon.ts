import type { StoredLexicon } from './lexicon.js';

/**
 * Whether something that was read is a `StoredLexicon`. Of tens of thousands of words: a schema takes as long for it as all
 * else takes.
 *
 * @example
 * [[['LOC!2', ['oslo']]], [['LOC!2', [5]]]].map(isStoredLexicon) // => [true, false]
 */
export function isStoredLexicon(value: unknown): value is StoredLexicon {
  const isString = (word: unknown) => typeof word === 'string';
  return (
    Array.isArray(value) &&
    value.every(
      pair =>
        Array.isArray(pair) &&
        pair.length === 2 &&
        isString(pair[0]) &&
        Array.isArray(pair[1]) &&
        pair[1].every(isString),
    )
  );
}
