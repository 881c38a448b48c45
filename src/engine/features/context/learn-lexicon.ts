import type { Sentence } from '../../core/sentence/sentence.js';
import { Lexicon } from './lexicon.js';
import { classOfTypes, countType, type TypeCounts, typeOfTag } from './type-counts.js';

/** Number of corpus parts; each part gets its classes from the others. */
const folds = 10;

/** Word classes that a corpus gives to its own words. */
export interface LearnedLexicon {
  /** Lexicon from all sentences, for tagging later. */
  readonly lexicon: Lexicon;
  /** Classes of each sentence's tokens, according to the other parts of the corpus. */
  readonly columns: readonly (readonly string[])[];
}

/**
 * Sorts the words of a labelled corpus into classes by the types of their labels: the most frequent
 * type, how often the word had it (`!` always, `>` in 70 % of all cases or more, `~` less), and the
 * number of the word's occurrences (1, 2 to 3, 4 to 9, or more). `PER!4` is a word that occurred 4
 * to 9 times, always in a `PER` span. If labels mark spans, only tokens that are in a span or
 * capitalised are counted.
 *
 * If a sentence got classes from its own labels, a model would memorise them in training and trust
 * them too much in other texts. The corpus is therefore divided into ten parts of consecutive
 * sentences, and the classes of each part come from the other nine (cross-fitting). Cost O(tokens *
 * types of a word).
 *
 * @param spans whether labels mark spans, whose types are the `X` of `B-X`
 * @example
 * const of = (tokens, tags) => ({ tokens, tags, columns: {}, document: {}, part: { index: 0, count: 1, start: 0 } });
 * const { lexicon, columns } = learnLexicon([of(['Oslo', 'is'], ['B-LOC', 'O']), of(['Oslo'], ['B-LOC'])], true);
 * lexicon.columnOf(['Oslo']) // => ['LOC!2']
 * columns // => [['LOC!1', '-'], ['LOC!1']]
 */
export function learnLexicon(sentences: readonly Sentence[], spans: boolean): LearnedLexicon {
  const all = new Map<string, TypeCounts>();
  const parts = Array.from({ length: folds }, () => new Map<string, TypeCounts>());
  const partOf = (s: number) => parts[Math.floor((s * folds) / sentences.length)]!;
  for (const [s, sentence] of sentences.entries()) {
    for (const [t, token] of sentence.tokens.entries()) {
      const tag = sentence.tags?.[t] ?? sentence.partialTags?.[t];
      // Tokens with uncertain labels are ignored.
      if (typeof tag !== 'string') continue;
      const word = token.toLowerCase();
      if (spans && tag === 'O' && word === token) continue;
      const type = typeOfTag(tag, spans);
      countType(all, word, type);
      countType(partOf(s), word, type);
    }
  }
  const columns = sentences.map(({ tokens }, s) =>
    tokens.map(token => {
      const word = token.toLowerCase();
      const counts = spans && word === token ? undefined : all.get(word);
      const own = partOf(s).get(word);
      const others =
        counts && new Map([...counts].map(([type, n]) => [type, n - (own?.get(type) ?? 0)]));
      return (others && classOfTypes(others)) ?? '-';
    }),
  );
  return { lexicon: new Lexicon(classesOf(all), spans), columns };
}

/** Returns the classes and their words, each in order. */
function classesOf(words: ReadonlyMap<string, TypeCounts>): [string, string[]][] {
  const classes = new Map<string, string[]>();
  for (const [word, counts] of words) {
    const name = classOfTypes(counts)!;
    const members = classes.get(name);
    if (members === undefined) classes.set(name, [word]);
    else members.push(word);
  }
  return [...classes]
    .map(([name, members]): [string, string[]] => [name, members.sort()])
    .sort(byName);
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
