import type { Document, Range } from '../../../core/sentence/document.js';
import { type OnReplaced, plainCell } from '../plain-cell.js';
import { sentenceRanges } from '../sentence-ranges.js';
import {
  attributeOf,
  cellIndex,
  conlluColumns,
  conlluWidth,
  isWordRow,
  type TagPlace,
  withAttribute,
} from './conllu-columns.js';

/**
 * The lines of a CoNLL-U sentence with the column `tag` of its words replaced; comments, multiword
 * tokens, empty nodes and all other cells stay as they are. Undefined where the rows do not fit the tags.
 *
 * @example
 * const row = '1\ta\t_\tX\t_\t_\t_\t_\t_\t_';
 * replaceTags(row, { column: 'upos' }, ['Y']) // => '1\ta\t_\tY\t_\t_\t_\t_\t_\t_\n\n'
 */
export function replaceTags(
  raw: string,
  { column, attribute }: TagPlace,
  tags: readonly string[],
): string | undefined {
  const index = cellIndex(column);
  let word = 0;
  let text = '';
  for (const row of raw.split('\n')) {
    if (isWordRow(row)) {
      if (word === tags.length) return undefined;
      const cells = row.split('\t');
      if (cells.length !== conlluWidth) return undefined;
      const tag = cellOf(tags[word]!, undefined);
      cells[index] = attribute === undefined ? tag : cellWith(cells[index]!, attribute, tag);
      text += `${cells.join('\t')}\n`;
      word += 1;
    } else {
      text += `${row}\n`;
    }
  }
  return word === tags.length ? `${text}\n` : undefined;
}

/** What is needed to write a sentence that did not come from CoNLL-U. */
export interface WrittenDocument {
  readonly document: Document;
  readonly tokens: readonly string[];
  readonly offsets: readonly Range[] | undefined;
  readonly sentences: readonly Range[] | undefined;
  readonly tags: readonly string[] | undefined;
  readonly onReplaced?: OnReplaced | undefined;
}

/**
 * New CoNLL-U lines: `sent_id` (numbered `-1`, `-2`, ... where there are several sentences), `text`,
 * `weight` and rows with the columns that the document has. `SpaceAfter=No` where the next token follows at once.
 */
export function newSentences(written: WrittenDocument, tag: TagPlace): string {
  const { document, tokens, offsets, sentences, onReplaced } = written;
  const ranges = sentenceRanges(sentences, tokens.length);
  const { id, text: whole } = document;
  let text = '';
  ranges.forEach(([start, end], index) => {
    const several = ranges.length > 1;
    if (document.startsDocument === true && index === 0) text += '# newdoc\n';
    if (id !== undefined)
      text += `# sent_id = ${comment(id, onReplaced)}${several ? `-${index + 1}` : ''}\n`;
    const first = offsets?.[start];
    const last = offsets?.[end - 1];
    if (whole !== undefined && !several) text += `# text = ${comment(whole, onReplaced)}\n`;
    else if (whole !== undefined && first !== undefined && last !== undefined) {
      text += `# text = ${comment(whole.slice(first[0], last[1]), onReplaced)}\n`;
    }
    if (isNumber(document.weight)) text += `# weight = ${document.weight}\n`;
    for (let t = start; t < end; t += 1) text += newRow(written, tag, t, start, end);
    text += '\n';
  });
  return text;
}

function isNumber(weight: number | undefined): boolean {
  return weight !== undefined && !Number.isNaN(weight);
}

function newRow(
  written: WrittenDocument,
  tag: TagPlace,
  t: number,
  start: number,
  end: number,
): string {
  const { document, tokens, offsets, tags, onReplaced } = written;
  const cells = [String(t - start + 1), cellOf(tokens[t]!, onReplaced)];
  for (const name of conlluColumns) {
    const own = tags?.[t];
    const value = document.columns?.[name]?.[t] ?? '_';
    if (name !== tag.column) cells.push(cellOf(String(value), onReplaced));
    else if (tag.attribute === undefined) cells.push(cellOf(own ?? '_', onReplaced));
    else if (own === undefined) cells.push(cellOf(String(value), onReplaced));
    else {
      const text = plainCell(own, /[\t\r\n|]+|^$/g, '_', onReplaced);
      cells.push(cellWith(cellOf(String(value), onReplaced), tag.attribute, text));
    }
  }
  const next = t + 1 < end ? offsets?.[t + 1] : undefined;
  if (next !== undefined && next[0] === offsets![t]![1]) {
    const misc = cells.length - 1;
    if (cells[misc] === '_') cells[misc] = 'SpaceAfter=No';
    else if (!cells[misc]!.includes('SpaceAfter=')) cells[misc] += '|SpaceAfter=No';
  }
  return `${cells.join('\t')}\n`;
}

/** A cell with a tag as an attribute; words that have none are outside. */
function cellWith(cell: string, attribute: string, tag: string): string {
  const isOutside = tag === 'O' && attributeOf(cell, attribute) === undefined;
  return isOutside ? cell : withAttribute(cell, attribute, tag.replaceAll('|', '_'));
}

/** Tabs and line ends cannot stand in a cell; words with spaces can. */
function cellOf(value: string, onReplaced: OnReplaced | undefined): string {
  return plainCell(value, /[\t\r\n]+|^$/g, '_', onReplaced);
}

/** White space at the ends is not part of a comment. */
function comment(value: string, onReplaced: OnReplaced | undefined): string {
  return plainCell(value.trim(), /[\r\n]+/g, ' ', onReplaced);
}
