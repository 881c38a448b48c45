import type { Range } from '../../core/sentence/document.js';
import type { CharacterText } from './character-text.js';

/**
 * Labels of characters: first of a sentence, first of another token, first of another word in a
 * multiword token, inside a word, and outside tokens.
 */
export const characterLabels = ['S', 'T', 'W', 'I', 'O'] as const;

/** Label numbers. */
export const labelled = { sentence: 0, token: 1, word: 2, inside: 3, outside: 4 } as const;

/** Number of bits in a label number. */
export const labelBits = 3;

/**
 * Computes the label of each code point of a paragraph, as a number of `characterLabels`.
 *
 * @param offsets tokens of the text in order; those before the paragraph are skipped
 * @param sentences ranges of tokens
 * @param labels receives the labels; at least as long as the paragraph
 * @param continued tokens that are further words of the previous token's multiword token
 */
export function labelCharacters(
  { length, starts }: CharacterText,
  offsets: readonly Range[],
  sentences: readonly Range[],
  labels: Uint8Array,
  continued?: ReadonlySet<number>,
): void {
  labels.fill(labelled.outside, 0, length);
  let token = firstFrom(offsets, starts[0]!);
  let sentence = 0;
  let at = 0;
  const end = starts[length]!;
  for (; token < offsets.length && offsets[token]![0] < end; token += 1) {
    const [from, to] = offsets[token]!;
    while (sentence < sentences.length && sentences[sentence]![0] < token) sentence += 1;
    while (at < length && starts[at]! < from) at += 1;
    const opens = sentence < sentences.length && sentences[sentence]![0] === token;
    const begin = at;
    for (; at < length && starts[at]! < to; at += 1) labels[at] = labelled.inside;
    if (at === begin) continue;
    const own = continued?.has(token) === true ? labelled.word : labelled.token;
    labels[begin] = opens ? labelled.sentence : own;
  }
}

/** Returns the index of the first token that begins at or after a place. */
function firstFrom(offsets: readonly Range[], place: number): number {
  let low = 0;
  let high = offsets.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (offsets[middle]![0] < place) low = middle + 1;
    else high = middle;
  }
  return low;
}
