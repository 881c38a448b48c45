import type { TagstreamError } from '../../../core/errors.js';
import { splitRow } from '../../../io/codecs/conll/conll-layout.js';
import { documentMark } from '../../../io/codecs/document-mark.js';
import { notLabelled } from './not-labelled.js';
import { shellWord } from './shell-word.js';

/** The end of a sentence at a word, with quotes or brackets that close after it. */
const sentenceEnd = /\p{L}["'”’)\]]*[.!?…]["'”’)\]]*\s*$/u;

/**
 * Whether lines are text rather than rows of columns: without tabs, and either most of them end as sentences do, or no
 * number of words is that of more than half of them.
 *
 * @param lines without blank ones
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

/** That records have no labels, and how they get some. */
export function withoutLabels(what: string, source: string): TagstreamError {
  return notLabelled(`${what} without labels`, source, {
    fix: `label some: tagstream annotate ${shellWord(source)} --labels PER,LOC --out labelled.ndjson, or --tags NOUN,VERB for one label a token; then tagstream init labelled.ndjson; for models from public corpora see tagstream corpora list`,
  });
}
