import type { Sentence } from '../../core/sentence/sentence.js';

/** Kinds that each token is of. */
export const kindsOfToken = 4;

/** Kinds that there are; more of them share a number by chance. */
export const kindCount = 2 ** 18;

/**
 * What the tokens of some sentences have in common with others, four numbers for each: its word; its class with the word
 * before it, with the word after it, and with its last three letters. The class is its part of speech, where records have a
 * column `pos`, else which kinds of characters it is made of.
 *
 * @example
 * const sentence = tokens => ({ tokens, columns: {}, document: {}, part: { index: 0, count: 1, start: 0 } });
 * const [oslo, rome] = [['in', 'Oslo'], ['in', 'Rome']].map(tokens => tokenKinds([sentence(tokens)]));
 * [oslo[5] === rome[5], oslo[4] === rome[4]] // => [true, false]
 */
export function tokenKinds(sentences: readonly Sentence[]): Uint32Array {
  const kinds: number[] = [];
  for (const { tokens, columns } of sentences) {
    const words = tokens.map(token => token.toLowerCase());
    for (const [t, word] of words.entries()) {
      const own = String(columns.pos?.[t] ?? characterKinds(tokens[t]!));
      kinds.push(
        numberOf('w', word, ''),
        numberOf('b', words[t - 1] ?? '', own),
        numberOf('a', words[t + 1] ?? '', own),
        numberOf('s', word.slice(-3), own),
      );
    }
  }
  return Uint32Array.from(kinds);
}

/** `Oslo` is `Aa`, `B-52s` is `A.0a`. */
function characterKinds(token: string): string {
  return token
    .replace(/\p{Lu}+/gu, 'A')
    .replace(/\p{Ll}+/gu, 'a')
    .replace(/\p{Nd}+/gu, '0')
    .replace(/[^Aa0]+/gu, '.');
}

/** FNV-1a of the UTF-16 units. */
function numberOf(sort: string, word: string, own: string): number {
  const text = `${sort}${word}\n${own}`;
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return (hash ^ (hash >>> 15)) & (kindCount - 1);
}
