import type * as z from 'zod';
import { bisect } from '../../../engine/core/arrays.js';
import { TagstreamError } from '../../../engine/core/errors.js';
import { parseOptions } from '../../../engine/core/schema/parse-options.js';
import type { Column, Document, Range } from '../../../engine/core/sentence/document.js';
import type { KnownTags } from '../../../engine/core/sentence/partial-tag.js';
import type { Results } from '../../../engine/core/sentence/sentence.js';
import { counted } from '../../../engine/core/wording/numbers.js';
import { placeTokens } from '../../../engine/text/place-tokens.js';
import type { Line } from '../../lines/line-splitter.js';
import type { Codec, DocumentDraft } from '../codec.js';
import { readBlockRecords } from '../read-block-records.js';
import {
  emptyCell,
  formatOfCells,
  predictedCells,
  readTagCells,
  requireTag,
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
import { attributeOf, conlluOptions, withAttribute } from './conllu-columns.js';
import {
  type ConlluColumn,
  nameOfPlace,
  placeOfTags,
  resultPlaceOf,
  type TagPlace,
  tagPlaceOf,
} from './result-place.js';
import {
  type ConlluLayout,
  columnsIn,
  conlluColumns,
  conlluLayout,
  conlluWidth,
  escapedSpaces,
  formatOfColumns,
  layoutOfFormat,
  rowKind,
  surfaceWords,
} from './surface-words.js';

const held: ReadonlySet<DocumentPart> = new Set([
  ...(['id', 'text', 'tokens', 'offsets', 'sentences', 'words', 'tags', 'weight'] as const),
  'start of a document',
]);

/**
 * Returns the codec of CoNLL-U, the format of Universal Dependencies; with `columns` of CoNLL-U Plus, which is read, and
 * written back to the same columns. New sentences are always CoNLL-U.
 *
 * Tagged sentences are the original lines with the tag column replaced, which loses gold tags: to keep both, write
 * NDJSON or CoNLL. UPOS has only the universal parts of speech: other tags go elsewhere (`placeOfTags`), and a comment
 * `# tags` says where, which is followed on reading.
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
  const format = `conllu ${tag}${formatOfColumns(checked.columns)}${formatOfCells(checked)}`;
  const layout = layoutOfFormat(format);
  const block = {
    format,
    maxLineBytes,
    maxTokens,
    isComment: (text: string) => text.startsWith('#'),
    parse: (lines: readonly Line[]) => readSentence(lines, { place, layout, tagCells: cells }),
  };
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
      if (isConllu(document)) {
        const options = { configured: place, results, layout: layoutOfFormat(document.format) };
        const own = replaceTags(document.raw!, placeOfTags(place, tags, false), tags, options);
        if (own !== undefined) return own;
      }
      requireTokens({ tokens }, 'CoNLL-U');
      return newSentences(
        { document, tokens, offsets, sentences, multiword, tags, results, ofText },
        place,
      );
    },
    writeDocument: (document, onReplaced, onDropped) => {
      const { raw, offsets, sentences, multiword } = document;
      if (raw !== undefined && document.format === format) return `${raw}\n\n`;
      const tokens = requireTokens(document, 'CoNLL-U');
      const tags = tagCellsOf(document, cells);
      const { column, attribute } = placeFor(document, tags, place);
      const holdsColumn = (name: string) =>
        (name !== column || attribute !== undefined || tags === undefined) && isStandard(name);
      reportLeftOut(document, held, holdsColumn, onDropped);
      if (Number.isNaN(document.weight)) onDropped?.('weight');
      const isWhole = sentences === undefined || sentences.length === 1;
      if (document.text !== undefined && !isWhole && offsets === undefined) onDropped?.('text');
      return newSentences(
        { document, tokens, offsets, sentences, multiword, tags, onReplaced },
        place,
      );
    },
    unread: unreadLines,
  };
}

function isConllu({ raw, format }: Document): boolean {
  return raw !== undefined && format?.startsWith('conllu ') === true;
}

/** Returns the place of a document's tags in new rows. */
function placeFor(
  { columns }: Document,
  tags: readonly string[] | undefined,
  place: TagPlace,
): TagPlace {
  const xpos: readonly unknown[] = columns?.xpos ?? [];
  return tags === undefined
    ? place
    : placeOfTags(
        place,
        tags,
        xpos.some(value => value !== '_'),
      );
}

const commentKey = /^#\s*(sent_id|text|weight)\s*=\s*(.*)$/s;

/** The comment that says where a sentence has its tags, if not in the column of the option `tag`. */
const tagsKey = /^#\s*tags\s*=\s*(\S+)\s*$/;

/** The settings of reading a sentence. */
interface SentenceReading {
  readonly place: TagPlace;
  readonly layout: ConlluLayout;
  readonly tagCells: TagCells;
}

/**
 * Builds the document of a CoNLL-U sentence: the words as tokens, `sent_id` as id, `text` as text, `tag` as gold tags
 * (none if all are unknown, or `_` if that is not a value), `weight` as weight of a labelled sentence (NaN if it is not
 * a number), `newdoc` as the start of a document, the other columns by their names. Multiword tokens that match the
 * text become ranges of tokens with offsets; empty nodes are not tokens, and remain in the raw record.
 *
 * @throws TagstreamError `wrong-shape` that names a row with an invalid id or number of columns or an empty cell,
 *   `empty-sentence` if there is no word
 */
function readSentence(lines: readonly Line[], reading: SentenceReading): DocumentDraft {
  const { layout, tagCells } = reading;
  const draft: DocumentDraft = {};
  const tokens: string[] = [];
  const rows: number[] = [];
  const columns = layout.names.map((): string[] => []);
  let { place } = reading;
  let hasRanges = false;
  for (const line of lines) {
    if (line.text.startsWith('#')) {
      readComment(draft, line.text);
      requireColumns(line, layout);
      if (place.column === 'upos') place = saidPlace(line.text, layout) ?? place;
      continue;
    }
    const cells = line.text.split('\t');
    if (!isWord(cells, line, layout)) {
      hasRanges ||= cells[layout.id]!.includes('-');
      continue;
    }
    tokens.push(cells[layout.form]!);
    rows.push(line.number);
    for (let i = 0; i < columns.length; i += 1) columns[i]!.push(cells[i]!);
  }
  if (tokens.length === 0) {
    throw new TagstreamError('empty-sentence', 'the sentence has no words');
  }
  const byName: Record<string, readonly string[]> = {};
  for (const [i, name] of layout.names.entries()) {
    if (name !== undefined) byName[name] = columns[i]!;
  }
  draft.tokens = tokens;
  draft.columns = byName;
  Object.assign(draft, takeTags(byName, { tokens, rows, place, tagCells }));
  const { column } = reading.place;
  if (place !== reading.place && byName[column]?.every(cell => cell === '_') === true) {
    delete byName[column];
  }
  if (draft.tags === undefined && draft.partialTags === undefined) delete draft.weight;
  if (hasRanges) placeWords(draft, lines, layout);
  return draft;
}

/** Takes the gold tags out of the columns. */
function takeTags(
  columns: Record<string, readonly string[]>,
  given: Pick<SentenceReading, 'place' | 'tagCells'> & {
    readonly tokens: readonly string[];
    /** Line of each word. */
    readonly rows: readonly number[];
  },
): KnownTags {
  const { tokens, rows, place, tagCells } = given;
  const { column, attribute } = place;
  const cells = columns[column];
  if (cells === undefined) return {};
  let tags = cells;
  if (attribute === undefined) {
    delete columns[column];
    const isTagged = tagCells.outside === '_' || isLabelled(column, cells, tokens, columns);
    if (!isTagged) return {};
  } else {
    // The remainder of the column does not affect the tags.
    columns[column] = cells.map(cell => withAttribute(cell, attribute, undefined));
    tags = cells.map(cell => attributeOf(cell, attribute) ?? 'O');
  }
  for (const [t, tag] of tags.entries()) requireTag(tag, nameOfPlace(place), rows[t]!);
  return readTagCells(tags, tagCells);
}

/** Returns the place that a comment `# tags` names. */
function saidPlace(comment: string, { names }: ConlluLayout): TagPlace | undefined {
  const [, name] = tagsKey.exec(comment) ?? [];
  const place = name === undefined ? undefined : tagPlaceOf(name);
  return place !== undefined && names.includes(place.column) ? place : undefined;
}

/** @throws TagstreamError `wrong-shape` if the file names other columns than those that are read */
function requireColumns({ text, number }: Line, layout: ConlluLayout): void {
  const columns = columnsIn(text);
  if (columns === undefined) return;
  const { names, id, form } = conlluLayout(columns);
  const isSame =
    names.length === layout.width && names.every((name, i) => name === layout.names[i]);
  if (isSame && id === layout.id && form === layout.form) return;
  throw new TagstreamError('wrong-shape', 'the file has other columns than those that are read', {
    place: { line: number },
    fix: `name them in the source: conllu: { columns: [${columns.join(', ').slice(0, 200)}] }`,
  });
}

/** Sets multiword tokens and token offsets, if the tokens match the text. */
function placeWords(draft: DocumentDraft, lines: readonly Line[], layout: ConlluLayout): void {
  const { text, tokens } = draft;
  if (text === undefined) return;
  const surface = surfaceWords(lines.map(line => line.text).join('\n'), layout);
  const placed = placeTokens(
    text,
    surface.map(({ form }) => form),
  );
  if (placed === undefined) return;
  const offsets: Range[] = [];
  const multiword: Range[] = [];
  const said: (Readonly<Record<string, string>> | undefined)[] = [];
  for (const [i, { form, words, misc, cells }] of surface.entries()) {
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
      const gap = miscOfGap(text.slice(end, placed[i + 1]?.[0]), i + 1 === surface.length);
      said.push(cellsSaid(cells, layout, misc === gap));
    }
  }
  if (offsets.length !== tokens!.length) return;
  Object.assign(draft, { offsets, multiword });
  if (said.some(cells => cells !== undefined)) draft.multiwordColumns = said;
}

function isStandard(name: string | undefined): name is ConlluColumn {
  return (conlluColumns as readonly (string | undefined)[]).includes(name);
}

/** Returns the values in the row of a multiword token, other than its form; undefined if there are none. */
function cellsSaid(
  cells: readonly string[],
  { names }: ConlluLayout,
  isMiscKnown: boolean,
): Readonly<Record<string, string>> | undefined {
  const said = names.flatMap((name, i) => {
    if (!isStandard(name) || (name === 'misc' ? isMiscKnown : cells[i] === '_')) return [];
    return [[name, cells[i]!] as const];
  });
  return said.length === 0 ? undefined : Object.fromEntries(said);
}

/**
 * Names the parts that `readSentence` omits: comments with other keys, multiword tokens that do not match the text,
 * empty nodes.
 */
function unreadLines({ raw, format, weight, multiword }: Document): readonly string[] {
  const layout = layoutOfFormat(format);
  return raw!.split('\n').flatMap(line => {
    if (!line.startsWith('#')) {
      const kind = rowKind(line.split('\t'), layout);
      if (kind === 'range' && multiword !== undefined) return furtherCells(line, layout);
      if (kind === 'range') return ['multiword tokens'];
      return kind === 'empty' ? ['empty nodes'] : [];
    }
    if (/^#\s*newdoc\s*$/.test(line) || columnsIn(line) !== undefined) return [];
    if (saidPlace(line, layout) !== undefined) return [];
    const [, read] = commentKey.exec(line) ?? [];
    if (read !== undefined && (read !== 'weight' || weight !== undefined)) return [];
    const key = line.slice(1).split('=', 1)[0]!.trim();
    return [`# ${key.length > 40 || !line.includes('=') ? 'comments' : key}`];
  });
}

/** Names the values in the row of a multiword token that CoNLL-U has no column for. */
function furtherCells(row: string, { names }: ConlluLayout): readonly string[] {
  return row.split('\t').flatMap((cell, i) => {
    const name = names[i];
    return cell === '_' || name === undefined || isStandard(name) ? [] : [`words[].${name}`];
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

function isWord(cells: readonly string[], line: Line, layout: ConlluLayout): boolean {
  const place = { line: line.number };
  const { width, id, form, names } = layout;
  if (cells.length !== width) {
    const problem = `${counted(cells.length, 'column')} in a row, expected ${width}`;
    throw new TagstreamError('wrong-shape', problem, {
      place,
      fix: `CoNLL-U has ${width === conlluWidth ? 'ten' : width} columns separated by single tabs`,
    });
  }
  const empty = cells.indexOf('');
  if (empty >= 0) {
    const name = empty === id ? 'id' : empty === form ? 'form' : names[empty]!;
    throw emptyCell(name, line.number, 'write _ where there is no value');
  }
  const kind = rowKind(cells, layout);
  if (kind !== undefined) return kind === 'word';
  throw new TagstreamError(
    'wrong-shape',
    `invalid row id ${JSON.stringify(cells[id]!.slice(0, 40))}`,
    {
      place,
      fix: 'an id is a number (1), a range (1-2) or an empty node (1.1)',
    },
  );
}

/** Options of `replaceTags`. */
export interface ReplacedTags {
  /** The place of the option `tag`; a comment names any other. */
  readonly configured?: TagPlace | undefined;
  readonly results?: Results | undefined;
  readonly layout?: ConlluLayout | undefined;
}

/**
 * Replaces the column `tag` of a CoNLL-U sentence's words, and the columns of additional results; comments, multiword
 * tokens, empty nodes and all other cells are unchanged, apart from the comment `# tags`. Undefined if the rows do not
 * match the tags.
 *
 * @throws TagstreamError `wrong-shape` if the file has no column for them
 * @example
 * const row = '1\ta\t_\tX\t_\t_\t_\t_\t_\t_';
 * replaceTags(row, { column: 'upos' }, ['Y']) // => '1\ta\t_\tY\t_\t_\t_\t_\t_\t_\n\n'
 */
export function replaceTags(
  raw: string,
  place: TagPlace,
  tags: readonly string[],
  { configured = place, results = {}, layout = conlluLayout() }: ReplacedTags = {},
): string | undefined {
  const written = [{ place, values: tags }, ...placedResults(results, layout)].map(
    ({ place, values }) => ({ place, values, index: indexOf(place, layout) }),
  );
  let said = tagsComment(place, configured);
  let word = 0;
  let text = '';
  for (const row of raw.split('\n')) {
    const isComment = row.startsWith('#');
    if (isComment && tagsKey.test(row)) continue;
    const cells = isComment ? [] : row.split('\t');
    if (!isComment) {
      text += said;
      said = '';
    }
    if (!isComment && rowKind(cells, layout) === 'word') {
      if (word === tags.length) return undefined;
      if (cells.length !== layout.width) return undefined;
      for (const { place, values, index } of written) {
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

/** Returns the comment that says where the tags are, unless they are where the option `tag` says. */
function tagsComment(place: TagPlace, configured: TagPlace): string {
  const name = nameOfPlace(place);
  return name === nameOfPlace(configured) ? '' : `# tags = ${name}\n`;
}

function indexOf(place: TagPlace, { names }: ConlluLayout): number {
  const index = names.indexOf(place.column);
  if (index >= 0) return index;
  const problem = `the file has no column ${place.column.toUpperCase()} for the results`;
  throw new TagstreamError('wrong-shape', problem, { fix: 'add it, or write NDJSON' });
}

/** Sets the value of a cell, or of an attribute within it. */
function cellWithValue(cell: string, { attribute }: TagPlace, value: string): string {
  return attribute === undefined ? value : cellWith(cell, attribute, value);
}

/**
 * Returns the places of additional taggers' results: the column with the tagger's name, otherwise an attribute of MISC.
 */
function placedResults(results: Results, { names }: ConlluLayout = conlluLayout()) {
  return Object.entries(results).map(([name, values]) => {
    const place = resultPlaceOf(name);
    const isHeld = names.includes(place.column);
    return {
      place: isHeld ? place : ({ column: 'misc', attribute: nameOfPlace(place) } as const),
      values,
    };
  });
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
 * Writes new CoNLL-U lines: `sent_id` (numbered `-1`, `-2`, ... if there are several sentences), `text`, `weight`, `tags` if
 * they are not in the column `configured`, and rows with the document's columns. `SpaceAfter=No` if the next token follows immediately.
 *
 * With `ofText`, all properties of a raw text that CoNLL-U can express are written: an id for each sentence, derived
 * from the record's position if it has none; `newdoc` with the first record and `newpar` with each paragraph; rows for
 * multiword tokens; white space other than a single space as `SpacesAfter`, with `SpacesBefore` at the first token
 * (`escapedSpaces`).
 */
export function newSentences(written: WrittenDocument, configured: TagPlace): string {
  const { document, tokens, offsets, sentences, onReplaced } = written;
  const tag = placeFor(document, written.tags, configured);
  const said = tagsComment(tag, configured);
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
    text += said;
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
    if (tag.attribute === undefined) return { values: tags ?? values, attributes: [] };
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
  const own = document.multiwordColumns?.[found];
  const cells = conlluColumns.map(name => {
    const value = own?.[name];
    if (value !== undefined) return cellOf(value, onReplaced);
    return name === 'misc' ? withSpaces('_', written, t, to - 1) : '_';
  });
  return `${from - start + 1}-${to - start}\t${cellOf(form, onReplaced)}\t${cells.join('\t')}\n`;
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
