import type { Document } from '../../../core/sentence/document.js';
import type { TaggedDocument } from '../../../core/sentence/tagged-document.js';
import { type OnReplaced, plainCell } from '../plain-cell.js';
import { requireTokens } from '../require-tokens.js';
import { sentenceRanges } from '../sentence-ranges.js';
import { tagCell } from '../tag-cells.js';
import { type ConllLayout, splitRow } from './conll-layout.js';

/**
 * The document's own rows, each with the predicted tag as a further last column, a blank line at the
 * end. Where the gold tag is not the last column already, it is given once more before the predicted
 * one, as scorers expect. Undefined where the raw record does not fit the layout or the tags.
 */
export function extendRows(
  raw: string,
  tagged: TaggedDocument,
  layout: ConllLayout,
): string | undefined {
  const { columns, tagIndex, comment, separator } = layout;
  const gold = tagIndex === columns.length - 1 ? undefined : tagged.gold;
  let token = 0;
  let text = '';
  for (const row of raw.split('\n')) {
    if (comment !== undefined && row.startsWith(comment)) {
      text += `${row}\n`;
      continue;
    }
    if (token === tagged.tags.length) return undefined;
    if (splitRow(row, separator).length !== columns.length) return undefined;
    const between = separator === 'tab' || row.includes('\t') ? '\t' : ' ';
    const results = gold === undefined ? [] : [gold[token]!];
    results.push(tagged.tags[token]!);
    text += [row, ...results.map(cell => cellOf(cell, separator, undefined))].join(between);
    text += '\n';
    token += 1;
  }
  return token === tagged.tags.length ? `${text}\n` : undefined;
}

/** New rows for a tagged document: its columns, then gold where there is one, then predicted. */
export function newTaggedRows(tagged: TaggedDocument, layout: ConllLayout): string {
  const { tokens, document, gold, tags } = tagged;
  const names = layout.columns.map((name, index) => (index === layout.tagIndex ? undefined : name));
  const readers = names.map((name, index) => cellReader(name, index, tokens, document, layout));
  if (gold !== undefined) readers.push(t => gold[t]!);
  readers.push(t => tags[t]!);
  return writeRows(readers, tokens.length, tagged.sentences ?? document.sentences, layout);
}

/** Rows for a document, its gold tags in the column `tag`; `_` where it has no value. */
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
  const between = layout.separator === 'tab' ? '\t' : ' ';
  const used = readers.filter(reader => reader !== undefined);
  let text = '';
  for (const [start, end] of sentenceRanges(sentences, count)) {
    for (let t = start; t < end; t += 1) {
      text += `${used.map(read => cellOf(read(t), layout.separator, onReplaced)).join(between)}\n`;
    }
    text += '\n';
  }
  return text;
}

/** A value as a cell can hold it. */
export function cellOf(
  value: string,
  separator: ConllLayout['separator'],
  onReplaced: OnReplaced | undefined,
): string {
  return plainCell(value, separator === 'tab' ? tabs : blanks, '_', onReplaced);
}

/** What would break a row; the empty value would too. */
const tabs = /[\t\r\n]+|^$/g;
const blanks = /[ \t\r\n]+|^$/g;
