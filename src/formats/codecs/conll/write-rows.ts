import type { Document } from '../../../engine/core/sentence/document.js';
import type { TaggedDocument } from '../../../engine/core/sentence/tagged-document.js';
import { tagCell } from '../tag-cells.js';
import { type OnReplaced, plainCell, requireTokens, sentenceRanges } from '../writing.js';
import { betweenCells, type ConllLayout, hasQuotes, quotedCell, splitRow } from './conll-layout.js';
import { resultRows, sentencesWithResults } from './result-rows.js';

/**
 * Returns the document's original rows with the predicted tag as a new last column, and a blank line at the end. If the
 * gold tag is not already the last column, it is repeated before the predicted tag, as scorers expect. `resultRows`
 * defines the positions of probabilities and additional sequences. Undefined if the raw record does not match the
 * layout or the tags.
 */
export function extendRows(
  raw: string,
  tagged: TaggedDocument,
  layout: ConllLayout,
): string | undefined {
  const { columns, tagIndex, separator } = layout;
  const gold = tagIndex === columns.length - 1 ? undefined : tagged.gold;
  const rows = raw.split('\n');
  const others = rows.filter(row => !layout.isComment(row));
  if (others.length !== tagged.tags.length) return undefined;
  if (others.some(row => splitRow(row, separator).length !== columns.length)) return undefined;
  const cell = (value: string) => cellOf(value, separator, undefined);
  const [results, ...more] = sentencesWithResults(tagged);
  if (results === undefined || more.length > 0) return undefined;
  let text = '';
  for (const { head, cells } of resultRows(results, cell)) {
    text += head;
    let token = 0;
    for (const row of rows) {
      text += row;
      if (!layout.isComment(row)) {
        const between =
          row.includes('\t') && !hasQuotes(separator) ? '\t' : betweenCells(separator);
        if (gold !== undefined) text += between + cell(gold[token]!);
        text += between + cells(token, between);
        token += 1;
      }
      text += '\n';
    }
    text += '\n';
  }
  return text;
}

/** Writes new rows for a tagged document: its columns, the gold tag if there is one, and the predicted tag. */
export function newTaggedRows(tagged: TaggedDocument, layout: ConllLayout): string {
  const { tokens, document, gold } = tagged;
  requireTokens({ tokens }, 'CoNLL');
  const names = layout.columns.map((name, index) => (index === layout.tagIndex ? undefined : name));
  const readers = names.map((name, index) => cellReader(name, index, tokens, document, layout));
  if (gold !== undefined) readers.push(t => gold[t]!);
  const between = betweenCells(layout.separator);
  const cell = (value: string) => cellOf(value, layout.separator, undefined);
  const ranges = sentenceRanges(tagged.sentences ?? document.sentences, tokens.length);
  const results = sentencesWithResults({ ...tagged, sentences: ranges });
  let text = '';
  for (const [s, [start, end]] of ranges.entries()) {
    for (const { head, cells } of resultRows(results[s]!, cell)) {
      text += head;
      for (let t = start; t < end; t += 1) {
        const own = rowText(readers, t, layout, undefined);
        text += `${own}${own === '' ? '' : between}${cells(t - start, between)}\n`;
      }
      text += '\n';
    }
  }
  return text;
}

/** Writes rows for a document, with gold tags in the column `tag`; `_` for missing values. */
export function formatRows(
  document: Document,
  layout: ConllLayout,
  onReplaced?: OnReplaced,
): string {
  const tokens = requireTokens(document, 'CoNLL');
  const readers = layout.columns.map((name, index) =>
    cellReader(name, index, tokens, document, layout),
  );
  return writeRows(readers, tokens.length, document.sentences, layout, onReplaced);
}

type CellReader = ((token: number) => string) | undefined;

function cellReader(
  name: string | undefined,
  index: number,
  tokens: readonly string[],
  document: Document,
  layout: ConllLayout,
): CellReader {
  if (name === undefined) return undefined;
  if (index === layout.formIndex) return t => tokens[t]!;
  if (index === layout.sentenceIndex) return () => document.id ?? '_';
  if (index === layout.tagIndex && document.partialTags !== undefined) {
    return t => tagCell(document.partialTags![t]!, layout.tagCells);
  }
  const values = index === layout.tagIndex ? document.tags : document.columns?.[name];
  return t => String(values?.[t] ?? '_');
}

function writeRows(
  readers: readonly CellReader[],
  count: number,
  sentences: Document['sentences'],
  layout: ConllLayout,
  onReplaced?: OnReplaced,
): string {
  let text = '';
  for (const [start, end] of sentenceRanges(sentences, count)) {
    for (let t = start; t < end; t += 1) text += `${rowText(readers, t, layout, onReplaced)}\n`;
    text += '\n';
  }
  return text;
}

function rowText(
  readers: readonly CellReader[],
  token: number,
  layout: ConllLayout,
  onReplaced: OnReplaced | undefined,
): string {
  const { separator } = layout;
  const cells: string[] = [];
  for (const read of readers) {
    if (read !== undefined) cells.push(cellOf(read(token), separator, onReplaced));
  }
  const row = cells.join(betweenCells(separator));
  if (!layout.isComment(row)) return row;
  // The row would be read as a comment, or as the start of a document, and its token would be lost.
  const value = readers.find(read => read !== undefined)!(token);
  const shown = `${layout.comment?.startsWith('_') ? '.' : '_'}${value}`;
  onReplaced?.(value, shown);
  return [cellOf(shown, separator, undefined), ...cells.slice(1)].join(betweenCells(separator));
}

/** Converts a value to a cell. */
export function cellOf(
  value: string,
  separator: ConllLayout['separator'],
  onReplaced: OnReplaced | undefined,
): string {
  if (separator === 'whitespace') return plainCell(value, blanks, '_', onReplaced);
  if (separator === 'tab') return plainCell(value, tabs, '_', onReplaced);
  return quotedCell(plainCell(value, lineEnds, '_', onReplaced), betweenCells(separator));
}

/** Matches text that would break a row, including the empty value. */
const lineEnds = /[\r\n]+|^$/g;
const tabs = /[\t\r\n]+|^$/g;
const blanks = /[ \t\r\n]+|^$/g;
