import type * as z from 'zod';
import { bisect } from '../../../core/arrays.js';
import { TagstreamError } from '../../../core/errors.js';
import { parseOptions } from '../../../core/schema/parse-options.js';
import type { Column, Document, Range } from '../../../core/sentence/document.js';
import type { Results } from '../../../core/sentence/sentence.js';
import { counted } from '../../../core/wording/numbers.js';
import { placeTokens } from '../../../text/place-tokens.js';
import type { Line } from '../../lines/line-splitter.js';
import type { Codec, DocumentDraft } from '../codec.js';
import { readBlockRecords } from '../read-block-records.js';
import {
  formatOfCells,
  predictedCells,
  readTagCells,
  type TagCells,
  tagCellsOf,
} from '../tag-cells.js';
import {
  type DocumentPart,
  type OnReplaced,
  plainCell,
  reportLeftOut,
  requireTokens,
  sentenceRanges,
} from '../writing.js';
import {
  attributeOf,
  cellIndex,
  conlluOptions,
  isWordRow,
  withAttribute,
} from './conllu-columns.js';
import { type ConlluColumn, resultPlaceOf, type TagPlace, tagPlaceOf } from './result-place.js';
import { conlluColumns, conlluWidth, escapedSpaces, surfaceWords } from './surface-words.js';

const held: ReadonlySet<DocumentPart> = new Set([
  ...(['id', 'text', 'tokens', 'offsets', 'sentences', 'words', 'tags', 'weight'] as const),
  'start of a document',
]);

/**
 * Returns the codec of CoNLL-U, the format of Universal Dependencies.
 *
 * Tagged sentences are the original lines with the tag column replaced, which loses gold tags: to keep both, write
 * NDJSON or CoNLL.
 *
 * @throws TagstreamError `config` for invalid options
 * @example
 * const codec = conlluCodec();
 * const document = { id: 's1', tokens: ['Go', '!'], tags: ['VERB', 'PUNCT'] };
 * codec.writeDocument(document).split('\n')[1] // => '1\tGo\t_\tVERB\t_\t_\t_\t_\t_\t_'
 */
export function conlluCodec(options: z.input<typeof conlluOptions> = {}): Codec {
  const checked = parseOptions(conlluOptions, options, 'conllu');
  const { tag, maxLineBytes, maxTokens, unknown = tag === 'upos' ? '_' : undefined } = checked;
  const place = tagPlaceOf(tag)!;
  const cells = { ...checked, unknown };
  const format = `conllu ${tag}${formatOfCells(checked)}`;
  const block = {
    format,
    maxLineBytes,
    maxTokens,
    isComment: (text: string) => text.startsWith('#'),
    parse: (lines: readonly Line[]) => readSentence(lines, place, cells),
  };
  const holdsColumn = (name: string) =>
    name !== tag && (conlluColumns as readonly string[]).includes(name);
  return {
    name: 'conllu',
    format,
    recordsAreLines: false,
    recordEnd: '\n\n',
    emptyTag: '_',
    maxRecordBytes: maxLineBytes,
    read: (bytes, context) => readBlockRecords(bytes, context, block),
    writesResults: true,
    write: (tagged, { ofText } = {}) => {
      const { document, tokens, offsets, sentences, multiword, results } = tagged;
      const tags = predictedCells(tagged, cells);
      const { raw } = document;
      const isOwn = raw !== undefined && document.format?.startsWith('conllu ') === true;
      const own = isOwn ? replaceTags(raw, place, tags, results) : undefined;
      return (
        own ??
        newSentences(
          { document, tokens, offsets, sentences, multiword, tags, results, ofText },
          place,
        )
      );
    },
    writeDocument: (document, onReplaced, onDropped) => {
      const { raw, offsets, sentences, multiword } = document;
      if (raw !== undefined && document.format === format) return `${raw}\n\n`;
      const tokens = requireTokens(document, 'CoNLL-U');
      reportLeftOut(document, held, holdsColumn, onDropped);
      if (Number.isNaN(document.weight)) onDropped?.('weight');
      const isWhole = sentences === undefined || sentences.length === 1;
      if (document.text !== undefined && !isWhole && offsets === undefined) onDropped?.('text');
      const tags = tagCellsOf(document, cells);
      return newSentences(
        { document, tokens, offsets, sentences, multiword, tags, onReplaced },
        place,
      );
    },
    unread: unreadLines,
  };
}

const commentKey = /^#\s*(sent_id|text|weight)\s*=\s*(.*)$/s;

/**
 * Builds the document of a CoNLL-U sentence: the words as tokens, `sent_id` as id, `text` as text, `tag` as gold tags
 * (none if all are unknown, or `_` if that is not a value), `weight` as weight of a labelled sentence (NaN if it is not
 * a number), `newdoc` as the start of a document, the other columns by their names. Multiword tokens that match the
 * text become ranges of tokens with offsets; empty nodes are not tokens, and remain in the raw record.
 *
 * @throws TagstreamError `wrong-shape` that names a row with an invalid id or number of columns, `empty-sentence` if there is no
 * word
 */
function readSentence(
  lines: readonly Line[],
  { column, attribute }: TagPlace,
  tagCells: TagCells,
): DocumentDraft {
  const draft: DocumentDraft = {};
  const tokens: string[] = [];
  const columns = conlluColumns.map((): string[] => []);
  let hasRanges = false;
  for (const line of lines) {
    if (line.text.startsWith('#')) {
      readComment(draft, line.text);
      continue;
    }
    const cells = line.text.split('\t');
    if (!isWord(cells, line)) {
      hasRanges ||= cells[0]!.includes('-');
      continue;
    }
    tokens.push(cells[1]!);
    for (let i = 0; i < columns.length; i += 1) columns[i]!.push(cells[i + 2]!);
  }
  if (tokens.length === 0) {
    throw new TagstreamError('empty-sentence', 'the sentence has no words');
  }
  const byName = Object.fromEntries(conlluColumns.map((name, i) => [name, columns[i]!]));
  const cells = byName[column]!;
  draft.tokens = tokens;
  draft.columns = byName;
  if (attribute === undefined) {
    delete byName[column];
    const isTagged = tagCells.outside === '_' || isLabelled(column, cells, tokens, byName);
    if (isTagged) Object.assign(draft, readTagCells(cells, tagCells));
  } else {
    // The remainder of the column does not affect the tags.
    byName[column] = cells.map(cell => withAttribute(cell, attribute, undefined));
    const tags = cells.map(cell => attributeOf(cell, attribute) ?? 'O');
    Object.assign(draft, readTagCells(tags, tagCells));
  }
  if (draft.tags === undefined && draft.partialTags === undefined) delete draft.weight;
  if (hasRanges) placeWords(draft, lines);
  return draft;
}

/** Sets multiword tokens and token offsets, if the tokens match the text. */
function placeWords(draft: DocumentDraft, lines: readonly Line[]): void {
  const { text, tokens } = draft;
  if (text === undefined) return;
  const surface = surfaceWords(lines.map(line => line.text).join('\n'));
  const placed = placeTokens(
    text,
    surface.map(({ form }) => form),
  );
  if (placed === undefined) return;
  const offsets: Range[] = [];
  const multiword: Range[] = [];
  const said: (string | undefined)[] = [];
  for (const [i, { form, words, misc }] of surface.entries()) {
    const [start, end] = placed[i]!;
    const first = offsets.length;
    if (words.length === 0) offsets.push([start, end]);
    else {
      let at = start;
      const isDivided = words.join('') === form;
      for (const word of words) {
        offsets.push(isDivided ? [at, at + word.length] : [start, end]);
        at += word.length;
      }
      multiword.push([first, offsets.length]);
      said.push(
        misc === miscOfGap(text.slice(end, placed[i + 1]?.[0]), i + 1 === surface.length)
          ? undefined
          : misc,
      );
    }
  }
  if (offsets.length !== tokens!.length) return;
  Object.assign(draft, { offsets, multiword });
  if (said.some(misc => misc !== undefined)) draft.multiwordMisc = said;
}

/**
 * Names the parts that `readSentence` omits: comments with other keys, multiword tokens that do not match the text,
 * empty nodes.
 */
function unreadLines({ raw, weight, multiword }: Document): readonly string[] {
  return raw!.split('\n').flatMap(line => {
    if (!line.startsWith('#')) {
      if (/^\d+-/.test(line)) return multiword === undefined ? ['multiword tokens'] : [];
      return /^\d+\./.test(line) ? ['empty nodes'] : [];
    }
    if (/^#\s*newdoc\s*$/.test(line)) return [];
    const [, read] = commentKey.exec(line) ?? [];
    if (read !== undefined && (read !== 'weight' || weight !== undefined)) return [];
    const key = line.slice(1).split('=', 1)[0]!.trim();
    return [`# ${key.length > 40 || !line.includes('=') ? 'comments' : key}`];
  });
}

/**
 * Whether a sentence has values in a column, which may include `_`: if its words have parts of speech, `_` is a value
 * in FEATS and MISC, and the lemma of the word `_`. In all other columns, `_` means unknown.
 */
function isLabelled(
  column: ConlluColumn,
  values: readonly string[],
  tokens: readonly string[],
  { upos, xpos }: Readonly<Partial<Record<ConlluColumn, readonly string[]>>>,
): boolean {
  if (values.some(value => value !== '_')) return true;
  const hasParts = [upos, xpos].some(parts => parts?.some(part => part !== '_'));
  if (column === 'feats' || column === 'misc') return hasParts;
  return column === 'lemma' && hasParts && tokens.every(token => token === '_');
}

function readComment(draft: DocumentDraft, comment: string): void {
  if (/^#\s*newdoc\b/.test(comment)) draft.startsDocument = true;
  const [, key, value] = commentKey.exec(comment) ?? [];
  if (value === undefined || value === '') return;
  if (key === 'text') draft.text = value;
  else if (key === 'weight') draft.weight = Number(value);
  else draft.id = value;
}

function isWord(cells: readonly string[], line: Line): boolean {
  const place = { line: line.number };
  if (cells.length !== conlluWidth) {
    const problem = `${counted(cells.length, 'column')} in a row, expected ${conlluWidth}`;
    throw new TagstreamError('wrong-shape', problem, {
      place,
      fix: 'CoNLL-U has ten columns separated by single tabs',
    });
  }
  const id = cells[0]!;
  if (/^\d+$/.test(id)) return true;
  if (/^\d+[-.]\d+$/.test(id)) return false;
  throw new TagstreamError('wrong-shape', `invalid row id ${JSON.stringify(id.slice(0, 40))}`, {
    place,
    fix: 'an id is a number (1), a range (1-2) or an empty node (1.1)',
  });
}

/**
 * Replaces the column `tag` of a CoNLL-U sentence's words, and the columns of additional results; comments, multiword
 * tokens, empty nodes and all other cells are unchanged. Undefined if the rows do not match the tags.
 *
 * @example
 * const row = '1\ta\t_\tX\t_\t_\t_\t_\t_\t_';
 * replaceTags(row, { column: 'upos' }, ['Y']) // => '1\ta\t_\tY\t_\t_\t_\t_\t_\t_\n\n'
 */
export function replaceTags(
  raw: string,
  place: TagPlace,
  tags: readonly string[],
  results: Results = {},
): string | undefined {
  const written = [{ place, values: tags }, ...placedResults(results)];
  let word = 0;
  let text = '';
  for (const row of raw.split('\n')) {
    if (isWordRow(row)) {
      if (word === tags.length) return undefined;
      const cells = row.split('\t');
      if (cells.length !== conlluWidth) return undefined;
      for (const { place, values } of written) {
        const index = cellIndex(place.column);
        cells[index] = cellWithValue(cells[index]!, place, cellOf(values[word]!, undefined));
      }
      text += `${cells.join('\t')}\n`;
      word += 1;
    } else {
      text += `${row}\n`;
    }
  }
  return word === tags.length ? `${text}\n` : undefined;
}

/** Sets the value of a cell, or of an attribute within it. */
function cellWithValue(cell: string, { attribute }: TagPlace, value: string): string {
  return attribute === undefined ? value : cellWith(cell, attribute, value);
}

/**
 * Returns the places of additional taggers' results: the column with the tagger's name, otherwise an attribute of MISC.
 */
function placedResults(results: Results) {
  return Object.entries(results).map(([name, values]) => ({ place: resultPlaceOf(name), values }));
}

/** The data needed to write a sentence that did not come from CoNLL-U. */
export interface WrittenDocument {
  readonly document: Document;
  readonly tokens: readonly string[];
  readonly offsets: readonly Range[] | undefined;
  readonly sentences: readonly Range[] | undefined;
  /** Tokens that are words of one of the text's multiword tokens. */
  readonly multiword?: readonly Range[] | undefined;
  readonly tags: readonly string[] | undefined;
  readonly results?: Results | undefined;
  /** Whether to write all properties of a raw text that CoNLL-U can express. */
  readonly ofText?: boolean | undefined;
  readonly onReplaced?: OnReplaced | undefined;
}

/**
 * Writes new CoNLL-U lines: `sent_id` (numbered `-1`, `-2`, ... if there are several sentences), `text`, `weight` and rows
 * with the document's columns. `SpaceAfter=No` if the next token follows immediately.
 *
 * With `ofText`, all properties of a raw text that CoNLL-U can express are written: an id for each sentence, derived
 * from the record's position if it has none; `newdoc` with the first record and `newpar` with each paragraph; rows for
 * multiword tokens; white space other than a single space as `SpacesAfter`, with `SpacesBefore` at the first token
 * (`escapedSpaces`).
 */
export function newSentences(written: WrittenDocument, tag: TagPlace): string {
  const { document, tokens, offsets, sentences, onReplaced } = written;
  const ranges = sentenceRanges(sentences, tokens.length);
  const { text: whole } = document;
  const isRaw =
    written.ofText === true &&
    document.tokens === undefined &&
    whole !== undefined &&
    offsets !== undefined;
  const position = isRaw ? document.delivery?.position : undefined;
  const id = document.id ?? (position === undefined ? undefined : String(position.start));
  const startsDocument = document.startsDocument === true || position?.start === 0;
  const columns = writtenColumns(written, tag);
  let text = '';
  ranges.forEach(([start, end], index) => {
    const several = ranges.length > 1;
    if (startsDocument && index === 0) text += '# newdoc\n';
    if (isRaw && (index === 0 || hasEmptyLine(written, start))) text += '# newpar\n';
    if (id !== undefined)
      text += `# sent_id = ${comment(id, onReplaced)}${several ? `-${index + 1}` : ''}\n`;
    const first = offsets?.[start];
    const last = offsets?.[end - 1];
    if (whole !== undefined && !several && !isRaw)
      text += `# text = ${comment(whole, onReplaced)}\n`;
    else if (whole !== undefined && first !== undefined && last !== undefined) {
      const own = whole.slice(first[0], last[1]);
      text += `# text = ${comment(isRaw ? own.replace(/\s+/g, ' ') : own, onReplaced)}\n`;
    }
    if (isNumber(document.weight)) text += `# weight = ${document.weight}\n`;
    for (let t = start; t < end; t += 1) {
      text += multiwordRow(written, t, start) + newRow(written, columns, t, { start, end, isRaw });
    }
    text += '\n';
  });
  return text;
}

function isNumber(weight: number | undefined): boolean {
  return weight !== undefined && !Number.isNaN(weight);
}

/** The values of a column in new rows. */
interface WrittenColumn {
  /** Values of the cells; `_` where there are none. */
  readonly values: Column | undefined;
  /** Attributes that are added to the cells. */
  readonly attributes: { readonly name: string; readonly values: readonly string[] }[];
}

/** Returns the contents of each column: those of the document, the tags, and the results of further taggers. */
function writtenColumns(
  { document, tags, results }: WrittenDocument,
  tag: TagPlace,
): readonly WrittenColumn[] {
  const columns = conlluColumns.map((name): WrittenColumn => {
    const values = document.columns?.[name];
    if (name !== tag.column) return { values, attributes: [] };
    if (tag.attribute === undefined) return { values: tags, attributes: [] };
    const attributes = tags === undefined ? [] : [{ name: tag.attribute, values: tags }];
    return { values, attributes };
  });
  for (const { place, values } of results === undefined ? [] : placedResults(results)) {
    const index = conlluColumns.indexOf(place.column);
    if (place.attribute === undefined) columns[index] = { values, attributes: [] };
    else columns[index]!.attributes.push({ name: place.attribute, values });
  }
  return columns;
}

function newRow(
  written: WrittenDocument,
  columns: readonly WrittenColumn[],
  t: number,
  { start, end, isRaw }: WrittenSentence,
): string {
  const { tokens, onReplaced } = written;
  let row = `${t - start + 1}\t${cellOf(tokens[t]!, onReplaced)}`;
  let cell = '_';
  for (let i = 0; i < columns.length; i += 1) {
    const { values, attributes } = columns[i]!;
    cell = cellOf(String(values?.[t] ?? '_'), onReplaced);
    for (const { name, values: own } of attributes) {
      cell = cellWith(cell, name, plainCell(own[t]!, /[\t\r\n|]+|^$/g, '_', onReplaced));
    }
    if (i < columns.length - 1) row += `\t${cell}`;
  }
  return `${row}\t${miscWithSpaces(cell, written, t, end, isRaw)}\n`;
}

/** Returns MISC with the white space after a token, unless the token is a word of a multiword token. */
function miscWithSpaces(
  misc: string,
  written: WrittenDocument,
  t: number,
  end: number,
  isRaw: boolean,
): string {
  const isWithin = multiwordAt(written, t) >= 0;
  if (isRaw) return isWithin ? misc : withSpaces(misc, written, t);
  if (isWithin || t + 1 >= end) return misc;
  const { offsets } = written;
  const next = offsets?.[t + 1];
  if (next === undefined || next[0] !== offsets![t]![1]) return misc;
  if (misc === '_') return 'SpaceAfter=No';
  return misc.includes('SpaceAfter=') ? misc : `${misc}|SpaceAfter=No`;
}

/** A sentence to write: its tokens, and whether it belongs to a raw text. */
interface WrittenSentence {
  readonly start: number;
  readonly end: number;
  readonly isRaw: boolean;
}

/** Returns the multiword token that contains a token; -1 if there is none or its form is unknown. O(log n). */
function multiwordAt({ document, offsets, multiword }: WrittenDocument, t: number): number {
  if (multiword === undefined || document.text === undefined || offsets === undefined) return -1;
  const found = bisect(0, multiword.length, i => multiword[i]![1] <= t);
  return found < multiword.length && multiword[found]![0] <= t ? found : -1;
}

/** Returns the row of the multiword token that begins with a word, if any. */
function multiwordRow(written: WrittenDocument, t: number, start: number): string {
  const { document, offsets, onReplaced } = written;
  const found = multiwordAt(written, t);
  const [from, to] = written.multiword?.[found] ?? [-1, -1];
  if (from !== t) return '';
  const form = document.text!.slice(offsets![from]![0], offsets![to - 1]![1]);
  const cells = [`${from - start + 1}-${to - start}`, cellOf(form, onReplaced)];
  while (cells.length < conlluWidth) cells.push('_');
  const misc = document.multiwordMisc?.[found];
  const last = cells.length - 1;
  cells[last] = misc === undefined ? withSpaces('_', written, t, to - 1) : cellOf(misc, onReplaced);
  return `${cells.join('\t')}\n`;
}

/**
 * Returns MISC with the white space after a token of a raw text if it is not a single space, and the
 * white space before the first and after the last token.
 */
function withSpaces(
  misc: string,
  { document, offsets }: WrittenDocument,
  first: number,
  last = first,
): string {
  const text = document.text!;
  const start = offsets![first]![0];
  const next = offsets![last + 1]?.[0];
  const after = miscOfGap(text.slice(offsets![last]![1], next), next === undefined);
  // Most tokens have nothing else in MISC, and most white space is not recorded.
  if (misc === '_' && (first > 0 || start === 0)) return after;
  const before =
    first === 0 && start > 0 ? `SpacesBefore=${escapedSpaces(text.slice(0, start))}` : '_';
  return [misc, before, after].filter(said => said !== '_').join('|') || '_';
}

/**
 * Returns the MISC value for the white space after a token; `_` for a single space, and for no space at the end of a
 * text.
 */
function miscOfGap(gap: string, isLast = false): string {
  if (gap === (isLast ? '' : ' ')) return '_';
  return gap === '' ? 'SpaceAfter=No' : `SpacesAfter=${escapedSpaces(gap)}`;
}

/** Whether an empty line of the text precedes a token other than the first. */
function hasEmptyLine({ document, offsets }: WrittenDocument, t: number): boolean {
  return /\n[^\S\n]*\n/.test(document.text!.slice(offsets![t - 1]![1], offsets![t]![0]));
}

/** Returns a cell with a tag as an attribute, which is not added for `O`. */
function cellWith(cell: string, attribute: string, tag: string): string {
  const isOutside = tag === 'O' && attributeOf(cell, attribute) === undefined;
  return isOutside ? cell : withAttribute(cell, attribute, tag.replaceAll('|', '_'));
}

/** Converts a value to a cell, which cannot contain tabs and line breaks; spaces are allowed. */
function cellOf(value: string, onReplaced: OnReplaced | undefined): string {
  if (onReplaced === undefined && isCell(value)) return value;
  return plainCell(value, /[\t\r\n]+|^$/g, '_', onReplaced);
}

/** Whether a value has neither tabs nor line breaks, and at least one character. */
function isCell(value: string): boolean {
  for (let i = 0; i < value.length; i += 1) {
    const unit = value.charCodeAt(i);
    if (unit === 0x09 || unit === 0x0a || unit === 0x0d) return false;
  }
  return value !== '';
}

/** Converts a value to a comment, without white space at its ends. */
function comment(value: string, onReplaced: OnReplaced | undefined): string {
  return plainCell(value.trim(), /[\r\n]+/g, ' ', onReplaced);
}
