import { splitRow } from '../../io/codecs/conll/conll-layout.js';
import type { CellSeparator } from '../../io/codecs/conll/delimited-cells.js';
import { isBlank } from '../../io/codecs/read-line-records.js';
import { beginsAsJson } from '../../io/lines/begins-as-json.js';
import type { CodecChoice } from '../../pipeline/catalogue/codec-of.js';

/** Formats of JSON records. */
const inJson: ReadonlySet<string> = new Set([
  'ndjson',
  'spans',
  'doccano',
  'spacy',
  'prodigy',
  'label-studio',
]);

/**
 * Whether an input may be in a format, as far as its first characters show it; a tenth of its lines may be broken.
 *
 * @param beginning of the input; its last line counts only where it is the first one
 * @example
 * fitsFormat({ name: 'ndjson', options: {} }, '{"text": "a"}') // => true
 * fitsFormat({ name: 'spacy', options: {} }, 'Ben flew to New York.') // => false
 * fitsFormat({ name: 'webanno', options: {} }, 'Ben flew to New York.') // => false
 * fitsFormat({ name: 'conll', options: { columns: ['form', 'tag'] } }, 'Ben flew to New York.') // => false
 * fitsFormat({ name: 'conll', options: { columns: ['form', 'tag'] } }, 'Ben B-PER\nflew O\n') // => true
 * const tabs = { columns: ['form', 'tag'], separator: 'tab', tagOptional: true };
 * fitsFormat({ name: 'conll', options: tabs }, 'Ben flew to New York.') // => false
 * fitsFormat({ name: 'conll', options: tabs }, 'Ben\nflew\nto\nNew York') // => true
 * fitsFormat({ name: 'conll', options: tabs }, `${'flew\tO\n'.repeat(20)}broken\tO\tO\n`) // => true
 */
export function fitsFormat({ name, options }: CodecChoice, beginning: string): boolean {
  const all = beginning.split(/\r?\n/);
  const lines = (all.length > 1 ? all.slice(0, -1) : all).filter(line => !isBlank(line));
  if (lines.length === 0) return true;
  if (inJson.has(name)) return lines.some(beginsAsJson);
  if (name === 'crfsuite') return areMostly(lines, line => line.includes('\t'));
  if (name === 'conllu' || name === 'webanno')
    return areMostly(lines, line => line.startsWith('#') || line.includes('\t'));
  if (name === 'slash') {
    const separator = typeof options.separator === 'string' ? options.separator : '/';
    return areMostly(lines, line =>
      splitRow(line, 'whitespace').every(word => word.includes(separator)),
    );
  }
  return name === 'conll' ? areRows(lines, options) : true;
}

/** Rows of the right number of cells, in most of which no blank stands between words: those are sentences. */
function areRows(lines: readonly string[], options: CodecChoice['options']): boolean {
  const { columns = ['form', 'pos', 'tag'], separator, comment, tagOptional } = options;
  const width = (columns as readonly string[]).length;
  const rows = lines
    .filter(line => typeof comment !== 'string' || !line.startsWith(comment))
    .map(line => splitRow(line, (separator ?? 'whitespace') as CellSeparator));
  const sentences = rows.filter(([first]) => /\S\s+\S/.test(first!));
  return (
    areMostly(
      rows,
      ({ length }) => length === width || (tagOptional === true && length === width - 1),
    ) && 2 * sentences.length <= rows.length
  );
}

/** All but a tenth: a broken line makes no other format of a file. */
function areMostly<Item>(items: readonly Item[], fits: (item: Item) => boolean): boolean {
  return 10 * items.filter(item => !fits(item)).length <= items.length;
}
