import type { Range } from '../../core/sentence/document.js';
import type { CharacterText } from './character-text.js';

/**
 * Labels of characters: the first of a sentence, the first of another token, the first of another word of a multiword
 * token, a character inside a word, and one outside of tokens.
 */
export const characterLabels = ['S', 'T', 'W', 'I', 'O'] as const;

/** Their numbers. */
export const labelled = { sentence: 0, token: 1, word: 2, inside: 3, outside: 4 } as const;

/** Bits that their numbers take. */
export const labelBits = 3;

/**
 * The label of each code point of a paragraph, as numbers of `characterLabels`.
 *
 * @param offsets tokens of the text in order; those before the paragraph are left out
 * @param sentences ranges of tokens
 * @param labels receives them: at least as long as the paragraph
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

/** The first token that begins at a place or after it. */
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
