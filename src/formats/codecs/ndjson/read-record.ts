import { TagstreamError } from '../../../engine/core/errors.js';
import { isRecord } from '../../../engine/core/schema/is-record.js';
import type {
  Column,
  Constraints,
  Range,
  TokenConstraint,
} from '../../../engine/core/sentence/document.js';
import { isBlankLabel } from '../../../engine/core/sentence/partial-tag.js';
import type { DocumentDraft } from '../codec.js';
import { conlluColumns } from '../conllu/surface-words.js';
import { type LabelFields, standardRecord } from './label-fields.js';
import { memberSpans } from './member-spans.js';
import {
  checkRanges,
  lengthMismatch,
  readPartialTags,
  readStrings,
  wrongShape,
} from './record-shapes.js';

type Json = Readonly<Record<string, unknown>>;

/** Members of a record to read, and treatment of other programs' members. */
export interface RecordReading {
  /**
   * Member with the text; if no member has that name, dots lead into objects. If present, only the id and this text are
   * read.
   */
  readonly textField?: string | undefined;
  /**
   * Treatment of `tags`, `gold`, `tokens`, `offsets`, `sentences` and `columns` with unexpected shapes next to a text.
   * Undefined: they are errors. `without-tokens`: only the text is read if `tokens` is not a list of strings; `any`:
   * likewise if any of these members has an unexpected shape.
   */
  readonly foreign?: 'without-tokens' | 'any' | undefined;
  /** Whether a record without a text and without tokens is read with an empty text, instead of being an error. */
  readonly textless?: boolean | undefined;
  /** Whether a record may be a label: its id and its tags, without tokens or text. */
  readonly late?: boolean | undefined;
  /** Key below which results go; its value must be an object if present. */
  readonly into?: string | undefined;
}

/**
 * Builds the document of a record's JSON text.
 *
 * Gold tags are `gold` if present (the record was tagged before), otherwise `tags`; with `fields.tag` they are that
 * column, or the member with that name, and the record's `tags` become a column named `tags`. Tokens may be in another
 * member, and gold tags may be numbers of `labels`; see `standardRecord`. Gold tags may be partial: see
 * `readPartialTags`. A null field counts as absent. An `id` may be any value; if it is not a string, its JSON text is
 * kept. `weight` is read only with gold tags; if it is not a number it becomes NaN, because a record to be tagged may
 * have any field with that name.
 *
 * @param reading location of the text, and treatment of members with unexpected shapes
 * @throws TagstreamError `not-json`, `not-an-object`, `wrong-shape`, `length-mismatch`, `not-a-number`
 * @example
 * readRecord('{"id":7,"tokens":["a"],"tags":["X"]}') // => ({ id: '7', tokens: ['a'], tags: ['X'] })
 */
export function readRecord(
  json: string,
  fields?: LabelFields,
  { textField, foreign, into, late, textless = false }: RecordReading = {},
): DocumentDraft {
  const parsed = parseObject(json);
  const draft: DocumentDraft = {};
  const id = present(parsed, 'id');
  if (id !== undefined) draft.id = readId(id, json);
  if (into !== undefined && !isRecord(present(parsed, into) ?? {})) throw occupied(into);
  if (textField !== undefined) {
    draft.text = readText(parsed, textField, textless);
    return draft;
  }
  const isBare =
    textless &&
    ['text', fields?.tokens ?? 'tokens'].every(name => present(parsed, name) === undefined);
  if (isBare) {
    draft.text = '';
    return draft;
  }
  const record = fields === undefined ? parsed : ownRecord(parsed, fields, foreign);
  const tagColumn = fields?.tag;
  if (late === true && ['text', 'tokens'].every(name => present(record, name) === undefined)) {
    return readLabel(draft, record);
  }
  const part = present(record, 'document');
  // Any record may have a field with that name, whose content only needs to be comparable.
  if (part !== undefined) draft.documentId = typeof part === 'string' ? part : JSON.stringify(part);
  const text = present(record, 'text');
  if (text !== undefined) {
    if (typeof text !== 'string') throw wrongShape('text', 'a string', text);
    draft.text = text;
  }
  if (foreign !== 'any' || text === undefined) return withTokens(draft, record, tagColumn, foreign);
  try {
    return withTokens({ ...draft }, record, tagColumn, foreign);
  } catch (thrown) {
    if (!(thrown instanceof TagstreamError)) throw thrown;
    return draft;
  }
}

/** Reads tags without tokens: a list, or tags of single tokens by number. */
function readLabel(draft: DocumentDraft, record: Json): DocumentDraft {
  const labels = present(record, 'gold') ?? present(record, 'tags');
  requireText(labels === undefined ? undefined : '', record);
  const weight = present(record, 'weight');
  if (weight !== undefined) draft.weight = typeof weight === 'number' ? weight : Number.NaN;
  if (Array.isArray(labels)) {
    Object.assign(draft, readPartialTags('tags', labels, labels.length));
    // A label that says nothing is still a label.
    if (draft.tags === undefined) draft.partialTags ??= labels as null[];
    return draft;
  }
  if (!isRecord(labels)) throw wrongShape('tags', 'tags, or an object of them by token', labels);
  const entries = Object.entries(labels);
  const wrong = entries.find(([key]) => !/^(0|[1-9]\d{0,8})$/.test(key));
  if (wrong !== undefined) {
    throw wrongShape('a key of tags', 'the number of a token, from 0', wrong[0]);
  }
  const values = entries.map(([, tag]) => tag);
  const { tags, partialTags } = readPartialTags('tags', values, values.length);
  const read = tags ?? partialTags ?? [];
  draft.tagsAt = Object.fromEntries(entries.map(([key], i) => [key, read[i] ?? null]));
  return draft;
}

/** Returns the record with its fields renamed; unchanged if it is read for its text and the fields do not match. */
function ownRecord(record: Json, fields: LabelFields, foreign: RecordReading['foreign']): Json {
  try {
    return standardRecord(record, fields);
  } catch (thrown) {
    const isRead = foreign === 'any' || !isStrings(present(record, fields.tokens ?? 'tokens'));
    if (foreign === undefined || !isRead || typeof present(record, 'text') !== 'string')
      throw thrown;
    return record;
  }
}

/** Adds the members of a record other than its text. */
function withTokens(
  draft: DocumentDraft,
  record: Json,
  tagColumn: string | undefined,
  foreign: RecordReading['foreign'],
): DocumentDraft {
  const constraints = present(record, 'constraints');
  if (constraints !== undefined) draft.constraints = readConstraints(constraints);
  const tokens = present(record, 'tokens');
  const isForeign = foreign !== undefined && draft.text !== undefined;
  if (isForeign && !isStrings(tokens)) return draft;
  if (tokens === undefined) {
    if (foreign === undefined) requireNoTokenFields(record);
    requireText(draft.text, record);
    return draft;
  }
  draft.tokens = readStrings('tokens', tokens);
  const links = present(record, 'links');
  // Any record may have a field with that name: graph models check whether its values are links.
  if (links !== undefined) draft.links = links;
  const words = readWords(present(record, 'words'), draft.tokens.length);
  if (words !== undefined) {
    draft.multiword = words;
    const said = (present(record, 'words') as readonly Json[]).map(columnsOfWord);
    if (said.some(columns => columns !== undefined)) draft.multiwordColumns = said;
  }
  readTokenFields(draft, draft.tokens.length, record, tagColumn);
  return draft;
}

/**
 * Returns the token ranges of multiword tokens, as in `{"start": 2, "end": 4}`; undefined for other values, because any
 * record may have a field with that name.
 */
function readWords(value: unknown, count: number): readonly Range[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  let from = 0;
  const ranges: Range[] = [];
  for (const item of value) {
    if (!isRecord(item)) return undefined;
    const { start, end } = item as { readonly start: number; readonly end: number };
    const fits = Number.isInteger(start) && Number.isInteger(end) && start >= from && end > start;
    if (!fits || end > count) return undefined;
    ranges.push([start, end]);
    from = end;
  }
  return ranges;
}

/** Returns the columns of CoNLL-U that a multiword token has; undefined if it has none. */
function columnsOfWord(word: Json): Readonly<Record<string, string>> | undefined {
  const own = conlluColumns.flatMap(name => {
    const value = word[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return own.length === 0 ? undefined : Object.fromEntries(own);
}

function parseObject(json: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new TagstreamError('not-json', `not valid JSON: ${(cause as Error).message}`, {
      fix: 'write one JSON object per line',
      cause,
    });
  }
  if (isRecord(value)) return value;
  const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  throw new TagstreamError('not-an-object', `expected a JSON object, got ${kind}`, {
    fix: 'write one JSON object per line',
  });
}

function present(record: Json, key: string): unknown {
  return Object.hasOwn(record, key) ? (record[key] ?? undefined) : undefined;
}

/**
 * Returns an id; values other than strings keep their written form, because `JSON.parse` would round 20 digits and lose
 * the point of `1.0`.
 */
function readId(id: unknown, json: string): string {
  if (typeof id === 'string') return id;
  const member = memberSpans(json).findLast(({ key }) => key === 'id')!;
  return json.slice(member.valueStart, member.valueEnd);
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every(item => typeof item === 'string');
}

/** Returns the text at a name, or at a path of names separated by dots. */
function readText(record: Json, field: string, textless: boolean): string {
  let value: unknown = present(record, field);
  if (value === undefined && field.includes('.')) {
    value = record;
    for (const key of field.split('.')) {
      value = isRecord(value) ? present(value, key) : undefined;
    }
  }
  if (typeof value === 'string') return value;
  if (value !== undefined) throw wrongShape(field, 'a string', value);
  if (textless) return '';
  throw new TagstreamError('wrong-shape', `the record has no ${field}`, {
    fix: 'add the text, or name another field: textField (--text-field)',
  });
}

/** Fields in which other programs usually write texts. */
const usualFields = ['message', 'msg', 'body', 'content', 'log'];

function requireText(text: string | undefined, record: Json): void {
  if (text !== undefined) return;
  const found = usualFields.find(name => typeof present(record, name) === 'string');
  const own = 'add "text": "..." or "tokens": [...]';
  throw new TagstreamError('wrong-shape', 'the record has neither text nor tokens', {
    fix:
      found === undefined
        ? own
        : `${own}, or read the text from ${found}: textField (--text-field ${found})`,
  });
}

/** Returns the error for a results key that has another value. */
export function occupied(key: string): TagstreamError {
  return new TagstreamError(
    'wrong-shape',
    `the record already has ${key}, which is not an object`,
    {
      fix: 'name another key for the results: into (--into KEY)',
    },
  );
}

function requireNoTokenFields(record: Json): void {
  for (const name of ['tags', 'gold', 'columns', 'offsets', 'sentences']) {
    if (present(record, name) !== undefined) {
      throw new TagstreamError('wrong-shape', `${name} without tokens`, {
        fix: `add the tokens of ${name}, or omit it`,
      });
    }
  }
}

function readTokenFields(
  draft: DocumentDraft,
  count: number,
  record: Json,
  tagColumn: string | undefined,
): void {
  const offsets = present(record, 'offsets');
  if (offsets !== undefined) {
    if (draft.text === undefined) {
      throw new TagstreamError('wrong-shape', 'offsets without text', {
        fix: 'add the text of the offsets, or omit them',
      });
    }
    draft.offsets = checkRanges('offsets', offsets, draft.text.length, draft.multiword);
    if (draft.offsets.length !== count)
      throw lengthMismatch('offsets', draft.offsets.length, count);
  }
  const sentences = present(record, 'sentences');
  if (sentences !== undefined) {
    draft.sentences = checkRanges('sentences', sentences, count);
    requireCover(draft.sentences, count);
  }
  const columns = readColumns(present(record, 'columns'), count, tagColumn);
  const labels = present(record, 'gold') ?? present(record, 'tags');
  if (tagColumn === undefined) {
    if (labels !== undefined) Object.assign(draft, readPartialTags('tags', labels, count));
  } else {
    takeTagColumn(draft, present(record, 'columns') as Json | undefined, tagColumn, count);
    const own = present(record, 'tags');
    if (own !== undefined && columns.tags === undefined)
      columns.tags = readTags('tags', own, count);
  }
  if (Object.keys(columns).length > 0) draft.columns = columns;
  if (draft.tags === undefined && draft.partialTags === undefined) return;
  const weight = present(record, 'weight');
  if (weight !== undefined) draft.weight = typeof weight === 'number' ? weight : Number.NaN;
}

/** Reads all columns except that of the tags. */
function readColumns(
  value: unknown,
  count: number,
  tagColumn: string | undefined,
): Record<string, Column> {
  // No prototype, so that a column may have any name, including `__proto__`.
  const columns = Object.create(null) as Record<string, Column>;
  if (value === undefined) return columns;
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw wrongShape('columns', 'an object of arrays', value);
  }
  for (const [name, column] of Object.entries(value as object)) {
    if (name !== tagColumn) columns[name] = readColumn(name, column, count);
  }
  return columns;
}

function readColumn(name: string, value: unknown, count: number): Column {
  const field = `columns.${name}`;
  if (!Array.isArray(value)) throw wrongShape(field, 'an array', value);
  if (value.length !== count) throw lengthMismatch(field, value.length, count);
  const items: readonly unknown[] = value;
  if (!items.some(item => typeof item === 'number')) return readStrings(field, items);
  const wrong = items.findIndex(item => !Number.isFinite(item));
  if (wrong < 0) return items as readonly number[];
  throw new TagstreamError('not-a-number', `${field}[${wrong}] is not a finite number`, {
    fix: 'give only strings or only finite numbers in a column',
  });
}

function takeTagColumn(
  draft: DocumentDraft,
  columns: Json | undefined,
  tagColumn: string,
  count: number,
): void {
  if (columns === undefined || !Object.hasOwn(columns, tagColumn)) return;
  const field = `columns.${tagColumn}`;
  Object.assign(draft, readPartialTags(field, columns[tagColumn], count));
}

function readTags(field: string, value: unknown, count: number): readonly string[] {
  const tags = readStrings(field, value);
  if (tags.length !== count) throw lengthMismatch(field, tags.length, count);
  return tags;
}

function requireCover(sentences: readonly (readonly [number, number])[], count: number): void {
  let next = 0;
  for (const [start, end] of sentences) {
    if (start !== next || end === start) next = -1;
    if (next >= 0) next = end;
  }
  if (next === count) return;
  throw new TagstreamError('wrong-shape', `the sentences do not partition the ${count} tokens`, {
    fix: 'each starts where the previous one ends, from 0 to the number of tokens',
  });
}

/**
 * Reads the constraints of a record: an object of token numbers, each with a list of allowed labels, or
 * `{ "not": [...] }`. Does not check whether the tokens and labels exist.
 *
 * @throws TagstreamError `wrong-shape`
 * @example
 * readConstraints({ 3: ['B-PER'], 5: { not: ['O'] } }) // => ({ 3: ['B-PER'], 5: { not: ['O'] } })
 */
export function readConstraints(value: unknown): Constraints {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrongShape('constraints', 'an object of labels by token number', value);
  }
  const constraints: Record<string, TokenConstraint> = {};
  for (const [key, constraint] of Object.entries(value)) {
    if (!/^(0|[1-9]\d*)$/.test(key)) {
      throw wrongShape('a key of constraints', 'the number of a token, from 0', key);
    }
    constraints[key] = readConstraint(`constraints.${key}`, constraint);
  }
  return constraints;
}

function readConstraint(field: string, value: unknown): TokenConstraint {
  if (Array.isArray(value)) return readLabels(field, value);
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (keys.length !== 1 || keys[0] !== 'not') {
    throw wrongShape(field, 'a list of labels, or {"not": [...]}', value);
  }
  return { not: readLabels(`${field}.not`, (value as { readonly not: unknown }).not) };
}

function readLabels(field: string, value: unknown): readonly string[] {
  const labels = readStrings(field, value);
  if (labels.length === 0) throw wrongShape(field, 'at least one label', value);
  const blank = labels.findIndex(isBlankLabel);
  if (blank >= 0) throw wrongShape(`${field}[${blank}]`, 'a label', labels[blank]);
  return labels;
}
