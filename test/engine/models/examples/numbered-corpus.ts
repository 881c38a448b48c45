import type { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import type { NumberedToken } from '../../../contracts/oracle/tables/mixture-tables.js';
import { sentenceOf } from '../../features/sentence-of.js';

/** Names of the columns of `n` numbers. */
export function numberColumns(n: number): string[] {
  return Array.from({ length: n }, (_, i) => `n${i}`);
}

/** Templates of the word and of `n` columns of numbers. */
export function numberTemplates(n: number, word = true): string {
  const lines = numberColumns(n).map((name, i) => `U${i + 1}:%v[0,${name}]`);
  return [...(word ? ['U0:%x[0,0]'] : []), ...lines].join('\n');
}

/** Sentences of up to `longest` tokens with `n` correlated numbers that lean on the label. */
export function numberedCorpus(
  random: Random,
  count: number,
  {
    n = 2,
    labels = ['X', 'Y'],
    longest = 4,
  }: { readonly n?: number; readonly labels?: readonly string[]; readonly longest?: number } = {},
): Sentence[] {
  return Array.from({ length: count }, () => {
    const length = 1 + random.below(longest);
    const tags = Array.from({ length }, () => labels[random.below(labels.length)]!);
    const rows = tags.map(tag => {
      const shared = random.normal();
      const side = random.below(2) === 0 ? 1.5 : -1;
      return Array.from(
        { length: n },
        (_, i) => labels.indexOf(tag) * (i + 1) + 0.7 * shared + side + random.normal() / (i + 1),
      );
    });
    const columns = Object.fromEntries(
      numberColumns(n).map((name, i) => [name, rows.map(row => row[i]!)]),
    );
    const tokens = tags.map(
      tag => 'ab'[random.below(3) === 0 ? random.below(2) : labels.indexOf(tag) % 2]!,
    );
    const weight = [1, 1, 2, 0.5][random.below(4)]!;
    return { ...sentenceOf(tokens, { tags, columns }), weight };
  });
}

/** The tokens of a sentence, with their numbers. */
export function numberedTokens({ tokens, columns }: Sentence): NumberedToken[] {
  return tokens.map((word, t) => ({
    word,
    numbers: Object.values(columns).map(column => Number(column[t])),
  }));
}
