import type { Position } from '../../../engine/core/delivery/delivery.js';
import { isRecord } from '../../../engine/core/schema/is-record.js';
import type { Document, Origin } from '../../../engine/core/sentence/document.js';
import type { TaggedDocument } from '../../../engine/core/sentence/tagged-document.js';
import { redact } from '../../../engine/text/redact.js';
import type { BadRecord } from '../../bad-records/bad-record.js';
import { hashing } from '../../files/node-parts.js';
import type { Codec, DocumentDraft, WriteOptions } from '../codec.js';
import { type LineFormat, readLineRecords } from '../read-line-records.js';
import type { OnDropped } from '../writing.js';
import { type JsonLayout, jsonLines } from './json-document-lines.js';
import { jsonRecord, moveTags } from './json-record.js';
import { JsonText, jsonText } from './json-text.js';
import {
  changesTags,
  fieldsOfFormat,
  formatOfFields,
  type LabelFields,
  membersOfFields,
  ownFormat,
  standardText,
  withFields,
} from './label-fields.js';
import { memberSpans } from './member-spans.js';
import { columnsMember, goldMember, ownedMembers, writtenTags } from './owned-members.js';
import { type RecordReading, readRecord } from './read-record.js';
import {
  defaultKey,
  errorMember,
  hasForeignMembers,
  isBelow,
  pathOf,
  type RecordFields,
  requireFieldsApart,
  resultsBelow,
  withResults,
} from './record-fields.js';
import { redactedRecord, spansInText } from './redacted-record.js';
import { spliceRecord } from './splice-record.js';

/** Validated options of `ndjsonCodec`. */
export interface NdjsonFormat extends RecordFields, LabelFields {
  readonly records?: JsonLayout | undefined;
  readonly ids?: IdsFrom | undefined;
  readonly maxLineBytes: number;
  readonly maxTokens?: number | undefined;
}

/** The purpose for which records are read. */
interface ReadingPurpose {
  /** Whether records are only tagged, so that fields next to a text need not be labels. */
  readonly isTagged?: boolean;
  /** Whether the texts of records are redacted, so that a record without a text has nothing to hide. */
  readonly redacts?: boolean | undefined;
  /** Whether labels may arrive later than their records. */
  readonly late?: boolean;
}

/**
 * Creates the codec of `ndjsonCodec` from validated options.
 *
 * @throws TagstreamError `config` if results would overwrite the text
 */
export function ndjsonFormat(
  options: NdjsonFormat,
  { isTagged = false, late = false, redacts }: ReadingPurpose = {},
): Codec {
  const { tag, tokens, labels, records, ids, maxLineBytes, maxTokens, textField, into } = options;
  const { spanTags, outside } = options;
  requireFieldsApart(options);
  const fields: LabelFields = { tokens, tag, labels, spanTags, outside };
  const ofFields = formatOfFields(fields);
  const readFields = ofFields === ownFormat ? undefined : fields;
  // Other codecs do not know the location of such a record's text.
  const format = textField === undefined ? ofFields : `${ownFormat}:${textField}`;
  const foreign = into !== undefined ? 'any' : isTagged ? 'without-tokens' : undefined;
  const reading: RecordReading = { textField, foreign, into, late, textless: redacts };
  const parse = (text: string) => readRecord(text, readFields, reading);
  const isOwn = (document: Document): document is Document & { raw: string } =>
    isNdjson(document) || (document.raw !== undefined && document.format === format);
  const redacted = (tagged: TaggedDocument, pattern: string, onTextless?: () => void) => {
    const { document } = tagged;
    if (isOwn(document)) {
      const paths = [
        [textField ?? 'text'],
        ...(textField?.includes('.') ? [textField.split('.')] : []),
      ];
      return redactedRecord(document, tagged, { paths, pattern, onTextless });
    }
    const { id, text } = document;
    return JSON.stringify({ id, text: redact(text ?? '', spansInText(tagged), pattern) });
  };
  const read: LineFormat = { format, maxLineBytes, maxTokens, parse };
  const lines: LineFormat =
    ids === undefined
      ? read
      : { ...read, identify: (draft, position) => giveId(draft, position, ids) };
  const toRecord = (document: Document, onDropped?: OnDropped) => {
    const { columns, startsDocument } = document;
    if (startsDocument === true) onDropped?.('start of a document');
    const isTaken = tag !== undefined && columns?.[tag] !== undefined && isLabelled(document);
    if (isTaken) onDropped?.(`columns.${tag}`);
    const record = jsonRecord(document, tag);
    if (tokens === undefined || record.tokens === undefined) return record;
    return Object.fromEntries(
      Object.entries(record).map(([name, value]) => [name === 'tokens' ? tokens : name, value]),
    );
  };
  return {
    name: 'ndjson',
    format,
    forTagging: redacts => ndjsonFormat(options, { isTagged: true, redacts }),
    forLabels: () => ndjsonFormat(options, { late: true }),
    recordsAreLines: true,
    recordEnd: '\n',
    intoLines: jsonLines(records),
    lenient: true,
    maxRecordBytes: maxLineBytes,
    read: (bytes, context) => readLineRecords(bytes, context, lines),
    writesResults: true,
    write: (tagged, given: WriteOptions = {}) => {
      const { output = 'record', redact: pattern, onBelow, onTextless } = given;
      const { document } = tagged;
      if (pattern !== undefined) return `${redacted(tagged, pattern, onTextless)}\n`;
      if (output === 'tags') return `${tagsOnly(tagged, isOwn(document))}\n`;
      if (!isOwn(document)) return `${newRecord(tagged, into)}\n`;
      if (into !== undefined) return `${resultsBelow(document, tagged, into)}\n`;
      if (hasForeignMembers(document, tagged, textField !== undefined)) {
        onBelow?.();
        return `${resultsBelow(document, tagged, defaultKey)}\n`;
      }
      if (textField !== undefined) return `${withResults(document.raw, tagged)}\n`;
      const own = fieldsOfFormat(document.format)!;
      const tagsAreGold = own.tag === undefined && !changesTags(own);
      return `${spliceRecord(document.raw, tagged, tagsAreGold, own.tokens)}\n`;
    },
    writeBad: bad => `${passedLine(bad, into ?? defaultKey)}\n`,
    writeDocument: (document, _, onDropped) => {
      if (!isOwn(document)) {
        return `${withFields(jsonText(toRecord(document, onDropped)), fields)}\n`;
      }
      if (document.format === format) return `${document.raw}\n`;
      const { raw, tagColumn } = standardText(document, onDropped)!;
      return `${withFields(moveTags(raw, tagColumn, tag, onDropped), fields)}\n`;
    },
    toRecord,
    ...(textField === undefined
      ? { unread: (document: Document) => unread(document as Document & { raw: string }) }
      : { originOf: (document: Document) => originAt(document, textField) }),
  };
}

/** Returns another program's record as the origin, kept entirely. */
function originAt({ raw }: Document, textField: string): Origin | undefined {
  if (raw === undefined) return undefined;
  const record = new JsonText(raw);
  const place = pathOf(record, textField);
  const id = record.at(['id'])?.text;
  return {
    json: jsonText({ format: ownFormat, text: place, record: record.withAt(place, null) }),
    ...(id === undefined || id === 'null' ? {} : { id }),
    text: record.at(place)!.text,
  };
}

function isLabelled({ tags, partialTags }: Document): boolean {
  return tags !== undefined || partialTags !== undefined;
}

/** Members that the document covers, whatever their values. */
const always = new Set([
  'id',
  'document',
  'text',
  'offsets',
  'sentences',
  'columns',
  'constraints',
]);

/** Returns the members that `readRecord` did not use, except those whose null means absent. */
function unread(document: Document & { raw: string }): readonly string[] {
  const record = new JsonText(document.raw);
  const fields = fieldsOfFormat(document.format)!;
  const { tag: tagColumn } = fields;
  const taken = new Set([...always, ...membersOfFields(record, fields)]);
  if (document.links !== undefined) taken.add('links');
  if (document.multiword !== undefined) taken.add('words');
  if (document.weight !== undefined) taken.add('weight');
  const gold = goldMember(record);
  if (tagColumn === undefined && gold !== undefined) taken.add(gold);
  if (tagColumn !== undefined && record.at(['columns', 'tags']) === undefined) taken.add('tags');
  const names = new Set(record.members.map(({ key }) => key));
  const isEmpty = (name: string) =>
    ['tags', 'gold', 'links', 'weight'].includes(name) && record.at([name])!.text === 'null';
  return [...names].filter(name => !taken.has(name) && !isEmpty(name));
}

function isNdjson(document: Document): document is Document & { raw: string } {
  return document.raw !== undefined && fieldsOfFormat(document.format) !== undefined;
}

/** Returns a record for a document that was not read from one. */
function newRecord(tagged: TaggedDocument, into: string | undefined): string {
  const { id, text, columns: given } = tagged.document;
  const { results: found } = tagged;
  const isWhole = into === undefined && given !== undefined && found !== undefined;
  const columns = isWhole ? { ...given, ...found } : given;
  const own = JSON.stringify({ id, text, columns }).slice(1, -1);
  const results = ownedMembers(tagged, name => isWhole && name === columnsMember);
  const members = into === undefined ? results : [`${JSON.stringify(into)}:{${results.join(',')}}`];
  return `{${[...(own === '' ? [] : [own]), ...members].join(',')}}`;
}

function tagsOnly(tagged: TaggedDocument, hasRaw: boolean): string {
  const id = rawId(tagged.document, hasRaw);
  const tags = `"tags":${JSON.stringify(writtenTags(tagged))}`;
  const { results } = tagged;
  const more = results === undefined ? '' : `,"${columnsMember}":${JSON.stringify(results)}`;
  return `{${id === undefined ? '' : `"id":${id},`}${tags}${more}}`;
}

/** Returns the id as written in the record, including quotes. */
function rawId(document: Document, hasRaw = true): string | undefined {
  const { id, raw } = document;
  if (id === undefined) return undefined;
  if (raw === undefined || !hasRaw) return JSON.stringify(id);
  const member = memberSpans(raw).findLast(({ key }) => key === 'id');
  return member && raw.slice(member.valueStart, member.valueEnd);
}

/**
 * Returns the line for a record that could not be tagged, for consumers that expect one per record: the record with its
 * error below a key; if it is not an object, or has another value at that key, an object with its text as `raw`.
 *
 * @example
 * const position = { source: 'a', line: 1, start: 0, end: 8 };
 * const error = new TagstreamError('not-json', 'not valid JSON');
 * passedLine({ position, raw: new TextEncoder().encode('oops'), truncated: false, error }, 'nlp')
 * // => '{"nlp":{"error":{"code":"not-json","message":"not valid JSON"}},"raw":"oops"}'
 */
export function passedLine(
  { raw, truncated, error }: Pick<BadRecord, 'raw' | 'truncated' | 'error'>,
  key: string,
): string {
  const { code, problem } = error;
  const member = `"${errorMember}":${JSON.stringify({ code, message: problem })}`;
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(raw);
  const placed = truncated || !isObject(text) ? undefined : below(text, key, member);
  return placed ?? `{${JSON.stringify(key)}:{${member}},"raw":${JSON.stringify(text)}}`;
}

function below(text: string, key: string, member: string): string | undefined {
  return new JsonText(text).putBelow(key, [member], isBelow)?.text;
}

function isObject(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}

/** Input of generated ids: the record's bytes, or also its source and position. */
export type IdsFrom = 'content' | 'position';

/** Number of hexadecimal digits of a generated id: 128 bits. */
const digits = 32;

/**
 * Gives a record without an id a reproducible id: the first 128 bits of the SHA-256 of its text; with
 * `position`, of the input's name, the record's byte offset and its text. It becomes the first member of
 * the text, or replaces a null id. Costs one hash per record.
 *
 * @example
 * const draft = { tokens: ['a'], raw: '{"tokens": ["a"]}' };
 * giveId(draft, { source: 'a', line: 1, start: 0, end: 17 }, 'content');
 * draft.raw // => '{"id":"0ac3c01163961c6349fb2599f4ca4ea3","tokens": ["a"]}'
 */
export function giveId(draft: DocumentDraft, { source, start }: Position, from: IdsFrom): void {
  const { raw } = draft;
  if (draft.id !== undefined || raw === undefined) return;
  const hashed = from === 'content' ? raw : `${source}\n${start}\n${raw}`;
  const id = hashing().hash('sha256', hashed, 'hex').slice(0, digits);
  draft.id = id;
  draft.raw = withId(raw, id);
}

function withId(raw: string, id: string): string {
  const empty = memberSpans(raw).findLast(({ key }) => key === 'id');
  if (empty !== undefined) {
    return `${raw.slice(0, empty.valueStart)}"${id}"${raw.slice(empty.valueEnd)}`;
  }
  // A record has a text or tokens, so a member follows.
  const start = raw.indexOf('{') + 1;
  return `${raw.slice(0, start)}"id":"${id}",${raw.slice(start)}`;
}
