import type { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { sentenceOf } from '../../features/sentence-of.js';

const consonants = 'bcdfghklmnprstvz';
const vowels = 'aeiou';

/**
 * Sentences of an invented inflecting language. A tag is a word class with a value for each of three of its categories, as
 * `c4.k2.n1.g3`; the ending of a word is made of these values, its stem of its class, so that tags follow from words but
 * for an ending that two values of the last category share, in which words mostly agree with the word before them.
 *
 * With 12 classes and 5 x 5 x 5 values there are 1,500 tags.
 */
export function morphologicalCorpus(
  random: Random,
  count: number,
  { classes, values }: { readonly classes: number; readonly values: number },
): Sentence[] {
  const letter = (letters: string) => letters[random.below(letters.length)]!;
  const syllable = () => letter(consonants) + letter(vowels);
  const stems = Array.from({ length: classes }, () =>
    Array.from({ length: 40 }, () => syllable() + syllable() + letter(consonants)),
  );
  return Array.from({ length: count }, () => {
    let agreed = random.below(values);
    const words: string[] = [];
    const tags: string[] = [];
    for (let length = 3 + random.below(8); length > 0; length -= 1) {
      const own = random.below(classes);
      const [k, n] = [random.below(values), random.below(values)];
      if (random.below(4) === 0) agreed = random.below(values);
      const stem = stems[own]![random.below(40)]!;
      // The last two values of this category share an ending.
      const end = vowels[Math.min(agreed, values - 2)]!;
      words.push(`${stem}${vowels[k]}m${vowels[n]}s${end}${consonants[own]}`);
      tags.push(`c${own}.k${k}.n${n}.g${agreed}`);
    }
    return sentenceOf(words, { tags });
  });
}
