import { TagstreamError } from '../../../engine/core/errors.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import { formOptions, type TagForm } from '../../../engine/text/tags/tag-form.js';
import { readerOf } from '../tag-cells.js';
import type { OnDropped } from '../writing.js';
import { fieldFromColumn } from './json-record.js';
import { JsonText } from './json-text.js';
import { goldMember } from './owned-members.js';
import { readPartialTags, readStrings } from './record-shapes.js';

type Json = Readonly<Record<string, unknown>>;

/** The location of tokens and gold tags in NDJSON records. */
export interface LabelFields extends TagForm {
  /** Member with the tokens; default: `tokens`. */
  readonly tokens?: string | undefined;
  /** Column with the gold tags, or member with that name; default: the member `tags`. */
  readonly tag?: string | undefined;
  /** Names of numeric tags, from 0. */
  readonly labels?: readonly string[] | undefined;
}

/** Format of Tagstream's own records, without field names. */
export const ownFormat = 'ndjson';

/**
 * Returns the name of a format that encodes the location of its records' tokens and tags.
 *
 * @example
 * [formatOfFields({}), formatOfFields({ tag: 'pos' })] // => ['ndjson', 'ndjson pos']
 * formatOfFields({ tokens: 'words' }) // => 'ndjson {"tokens":"words"}'
 */
export function formatOfFields(fields: LabelFields): string {
  const { tokens, tag } = fields;
  if (tokens === undefined && !changesTags(fields) && tag?.startsWith('{') !== true) {
    return tag === undefined ? ownFormat : `${ownFormat} ${tag}`;
  }
  return `${ownFormat} ${JSON.stringify(fields)}`;
}

/** Whether gold tags are converted from another written form. */
export function changesTags(fields: LabelFields): boolean {
  return fields.labels !== undefined || formOptions(fields) !== '';
}

const known = new Map<string, LabelFields>();

/** Parses the field names in the name of a format; undefined for formats other than NDJSON. */
export function fieldsOfFormat(format: string | undefined): LabelFields | undefined {
  if (format === ownFormat) return {};
  if (format?.startsWith(`${ownFormat} `) !== true) return undefined;
  const told = format.slice(ownFormat.length + 1);
  if (!told.startsWith('{')) return { tag: told };
  let fields = known.get(format);
  if (fields === undefined) {
    fields = JSON.parse(told) as LabelFields;
    known.set(format, fields);
  }
  return fields;
}

/**
 * Converts a parsed record to the standard members: tokens in `tokens`, and gold tags by name in the column `tag` or in
 * `tags` and `gold`.
 *
 * @throws TagstreamError `wrong-shape`, `length-mismatch`
 * @example
 * const fields = { tokens: 'words', tag: 'ner', labels: ['O', 'B-PER'] };
 * standardRecord({ words: ['Go', 'Ann'], ner: [0, 1] }, fields).columns // => ({ ner: ['O', 'B-PER'] })
 */
export function standardRecord(record: Json, fields: LabelFields): Json {
  const { tag } = fields;
  const name = tokensMember(record, fields);
  const changed: Record<string, unknown> = { ...record, tokens: record[name] };
  if (record[name] == null) {
    if (name !== 'tokens' && record.text == null) throw withoutTokens(name);
    return changed;
  }
  if (name !== 'tokens') readStrings(name, record[name]);
  if (name === 'text') changed.text = undefined;
  if (tag !== undefined) {
    const place = tagPlace(record, tag);
    if (place === undefined) return changed;
    const values = namedTags(place.name, place.value, fields);
    const { length } = record[name] as readonly unknown[];
    if (place.isMember) readPartialTags(tag, values, length);
    const columns = Object.assign(Object.create(null), record.columns) as Record<string, unknown>;
    columns[tag] = values;
    return { ...changed, columns };
  }
  for (const own of ['gold', 'tags']) {
    if (Object.hasOwn(record, own)) changed[own] = namedTags(own, record[own], fields);
  }
  return changed;
}

/** Returns the member with a record's tokens: `tokens` if the named one is missing. */
function tokensMember(record: Json, { tokens = 'tokens' }: LabelFields): string {
  if (tokens === 'tokens' || present(record, tokens)) return tokens;
  return Array.isArray(record.tokens) ? 'tokens' : tokens;
}

function present(record: Json, name: string): boolean {
  return Object.hasOwn(record, name) && record[name] != null;
}

interface TagPlace {
  readonly name: string;
  readonly value: unknown;
  readonly isMember: boolean;
}

/** Returns the place of the tags; a member that is not a list has another meaning. */
function tagPlace(record: Json, tag: string): TagPlace | undefined {
  const { columns } = record;
  if (typeof columns === 'object' && columns !== null && Object.hasOwn(columns, tag)) {
    return { name: `columns.${tag}`, value: (columns as Json)[tag], isMember: false };
  }
  if (!Object.hasOwn(record, tag) || !Array.isArray(record[tag])) return undefined;
  return { name: tag, value: record[tag], isMember: true };
}

/**
 * Returns the tags as names in Tagstream's notation.
 *
 * @throws TagstreamError `wrong-shape` for a number without a name
 */
function namedTags(field: string, value: unknown, fields: LabelFields): unknown {
  const { labels } = fields;
  const reader = readerOf(fields);
  if (!Array.isArray(value) || !changesTags(fields)) return value;
  const named = (item: unknown, at: string): unknown => {
    if (Array.isArray(item)) return item.map((one, i) => named(one, `${at}[${i}]`));
    if (typeof item === 'number' && labels !== undefined) {
      const name = labels[item];
      if (name === undefined) throw withoutName(at, item, labels);
      return reader?.(name) ?? name;
    }
    return typeof item === 'string' ? (reader?.(item) ?? item) : item;
  };
  return value.map((item, i) => named(item, `${field}[${i}]`));
}

function withoutName(at: string, item: number, labels: readonly string[]): TagstreamError {
  return new TagstreamError(
    'wrong-shape',
    `${at} is ${item}, but labels only names 0 to ${labels.length - 1}`,
    { fix: 'correct it, or name all numbers in labels' },
  );
}

function withoutTokens(name: string): TagstreamError {
  return new TagstreamError('wrong-shape', `the record has neither text nor ${name}`, {
    fix: `give it "text": "..." or ${JSON.stringify(name)}: [...], or name another member in tokens`,
  });
}

/** An NDJSON record with tokens and tags in custom members. */
export interface StandardText {
  readonly raw: string;
  /** Column of the gold tags; undefined if they are in `tags` or `gold`. */
  readonly tagColumn: string | undefined;
}

/**
 * Returns the text of an NDJSON record with its tokens in `tokens`, and the names of its gold tags in `tags`, unless they
 * are in `columns`. A member with numbers is kept; all other text is unchanged byte for byte.
 *
 * @throws the errors of `standardRecord`
 */
export function standardText(
  { raw, format }: Document,
  onDropped?: OnDropped,
): StandardText | undefined {
  const fields = fieldsOfFormat(format);
  if (fields === undefined || raw === undefined) return undefined;
  const { tag, tokens } = fields;
  const isChanged = changesTags(fields);
  if (tokens === undefined && !isChanged && tag === undefined) {
    return { raw, tagColumn: undefined };
  }
  const given = new JsonText(raw);
  const value = given.value as Json;
  const place = tag === undefined ? undefined : tagPlace(value, tag);
  const record = renamedTokens(given, tokensMember(value, fields), onDropped);
  if (!isChanged && place?.isMember !== true) {
    return { raw: record.text, tagColumn: tag };
  }
  const standard = standardRecord(value, fields);
  if (tag === undefined) {
    const own = goldMember(record);
    const named = own === undefined ? record : record.with({ [own]: standard[own] });
    return { raw: named.text, tagColumn: undefined };
  }
  const columns = standard.columns as Readonly<Record<string, unknown>> | undefined;
  if (place === undefined || columns === undefined) return { raw: record.text, tagColumn: tag };
  const names = new JsonText(JSON.stringify(columns[tag]));
  return { raw: fieldFromColumn(record, names, onDropped), tagColumn: undefined };
}

/** Returns the members that contain a document's tokens and tags. */
export function membersOfFields(record: JsonText, fields: LabelFields): readonly string[] {
  const value = record.value as Json;
  const { tag } = fields;
  const isMember = tag !== undefined && tagPlace(value, tag)?.isMember === true;
  return [tokensMember(value, fields), ...(isMember ? [tag] : [])];
}

function renamedTokens(record: JsonText, name: string, onDropped: OnDropped | undefined): JsonText {
  if (name === 'tokens') return record;
  const own = record.at([name]);
  if (own === undefined) return record;
  if (record.at(['tokens']) !== undefined) onDropped?.('tokens');
  const { members, text } = record.with({ tokens: undefined });
  const last = members.findLast(({ key }) => key === name)!;
  return new JsonText(`${text.slice(0, last.keyStart)}"tokens"${text.slice(last.keyEnd)}`);
}

/** Returns a Tagstream record with its tokens in the member that these fields name. */
export function withFields(json: string, { tokens }: LabelFields): string {
  if (tokens === undefined || tokens === 'tokens') return json;
  const { members } = new JsonText(json);
  const own = members.findLast(({ key }) => key === 'tokens');
  if (own === undefined) return json;
  return json.slice(0, own.keyStart) + JSON.stringify(tokens) + json.slice(own.keyEnd);
}
