import type { Guess } from './column-look.js';

const usual = ['word', 'phonemes', 'stress', 'class'];

/** Letters of a cell: code points, as the codec counts them. */
const lettersIn = (cell: string) => Array.from(cell).length;

/**
 * Recognizes a file with one word per line and a tag for each letter: tabs between the columns, no blank lines, and a
 * further column that is always as long as the first.
 *
 * @example
 * guessLetters(['ab\txy', 'abc\txyz', 'abcd\twxyz'])?.options // => ({ columns: ['word', 'phonemes'] })
 * guessLetters(['dog\tNOUN', 'runs\tVERB', 'it\tPRON']) // => undefined
 */
export function guessLetters(lines: readonly string[]): Guess | undefined {
  const rows = lines.map(line => line.split('\t'));
  const width = rows[0]?.length ?? 0;
  if (rows.length < 2 || width < 2 || rows.some(cells => cells.length !== width)) return undefined;
  const lengths = rows.map(cells => lettersIn(cells[0]!));
  const mean = lengths.reduce((sum, length) => sum + length, 0) / rows.length;
  if (mean < 2 || new Set(lengths).size === 1 || lines.some(line => line.startsWith('#'))) {
    return undefined;
  }
  const asLong = (index: number) =>
    rows.every((cells, i) => lettersIn(cells[index]!) === lengths[i]);
  const tagIndex = rows[0]!.findIndex((_, index) => index > 0 && asLong(index));
  if (tagIndex < 0) return undefined;
  const columns = rows[0]!.map((_, index) => {
    if (index === 0) return 'word';
    if (index === tagIndex) return 'phonemes';
    return width === 4 && tagIndex === 1 ? usual[index]! : `c${index + 1}`;
  });
  return {
    format: 'letters',
    options: { columns },
    columns: [],
    reasons: [
      `one word per line; column ${tagIndex + 1} always has as many characters as the word: one tag per letter`,
    ],
    warnings: [],
  };
}
