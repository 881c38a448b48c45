import { type ErrorPlace, TagstreamError } from '../../../../engine/core/errors.js';
import { splitRow } from '../../../../formats/codecs/conll/conll-layout.js';
import { documentMark } from '../../../../formats/lines/line-bytes.js';

/** The end of a sentence at a word, with closing quotes or brackets after it. */
const sentenceEnd = /\p{L}["'”’)\]]*[.!?…]["'”’)\]]*\s*$/u;

/**
 * Returns whether lines are text rather than rows of columns: they have no tabs, and either most end like sentences, or
 * no more than half have the same number of words.
 *
 * @param lines lines that are not blank
 * @example
 * isPlainText(['Ben flew to New York.']) // => true
 * isPlainText(['New York', 'Ben in Oslo', 'late']) // => true
 * isPlainText(['Ben B-PER', 'flew O', '. O']) // => false
 */
export function isPlainText(lines: readonly string[]): boolean {
  if (lines.length === 0 || lines.some(line => line.includes('\t'))) return false;
  const rows = lines.filter(line => !line.startsWith('#') && !line.startsWith(documentMark));
  if (rows.filter(line => sentenceEnd.test(line)).length * 2 > rows.length) return true;
  const counts = new Map<number, number>();
  for (const line of rows) {
    const { length } = splitRow(line, 'whitespace');
    counts.set(length, (counts.get(length) ?? 0) + 1);
  }
  return counts.size > 1 && Math.max(...counts.values()) * 2 <= rows.length;
}

/** Returns the error about records without labels, with a way to label them. */
export function withoutLabels(what: string, source: string): TagstreamError {
  return notLabelled(`${what} without labels`, source, {
    fix: `label some: tagstream annotate ${shellWord(source)} --labels PER,LOC --out labelled.ndjson, or --tags NOUN,VERB for one label a token; then tagstream init labelled.ndjson; for models from public corpora see tagstream corpora list`,
  });
}

/** Returns the error about a file that a tagger cannot be trained on, with the form of a suitable file. */
export function notLabelled(
  problem: string,
  source: string,
  more: Partial<ErrorPlace> & { fix?: string } = {},
) {
  const { fix, ...place } = more;
  return new TagstreamError('wrong-shape', problem, {
    place: { source, ...place },
    fix:
      fix ??
      'use a file with a token and its tag on each line and a blank line after each sentence, or NDJSON such as {"tokens": [...], "tags": [...]}, or CoNLL-U',
  });
}

/**
 * Quotes a name so that a shell reads it as one word.
 *
 * @example
 * shellWord('a.txt') // => 'a.txt'
 * shellWord('my text.txt') // => "'my text.txt'"
 */
export function shellWord(name: string): string {
  return /^[\w./@%+:,-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}
