import type { Document } from '../../../core/sentence/document.js';
import type { Origin } from '../../../core/sentence/origin.js';
import type { TaggedDocument } from '../../../core/sentence/tagged-document.js';
import { redact } from '../../../text/redact.js';
import { jsonArrayLines } from '../../lines/json-array-lines.js';
import type { Codec, WriteOptions } from '../codec.js';
import type { OnDropped } from '../plain-cell.js';
import { type LineFormat, readLineRecords } from '../read-line-records.js';
import { giveId, type IdsFrom } from './give-id.js';
import { jsonRecord, moveTags } from './json-record.js';
import { JsonText, jsonText } from './json-text.js';
import { memberSpans } from './member-spans.js';
import { goldMember, ownedMembers } from './owned-members.js';
import { passedLine } from './passed-line.js';
import { readRecord } from './read-record.js';
import {
  defaultKey,
  hasForeignMembers,
  pathOf,
  type RecordFields,
  requireFieldsApart,
  resultsBelow,
  withResults,
} from './record-fields.js';
import { redactedRecord, spansInText } from './redacted-record.js';
import { spliceRecord } from './splice-record.js';

/** What an NDJSON record says of itself: its format without the place of its gold tags. */
const ownFormat = 'ndjson';

/** Options of `ndjsonCodec`, checked. */
export interface NdjsonFormat extends RecordFields {
  readonly tag?: string | undefined;
  readonly ids?: IdsFrom | undefined;
  readonly maxLineBytes: number;
  readonly maxTokens?: number | undefined;
}

/**
 * The codec of `ndjsonCodec` from options that are known to be right.
 *
 * @throws TagstreamError `config` where results would take the place of the text
 * @param isTagged whether records are read to be tagged and nothing else, so that what is beside a text need not be labels
 */
export function ndjsonFormat(options: NdjsonFormat, isTagged = false): Codec {
  const { tag, ids, maxLineBytes, maxTokens, textField, into } = options;
  requireFieldsApart(options);
  const ofTag = tag === undefined ? ownFormat : `${ownFormat} ${tag}`;
  // Other codecs do not know where the text of such a record is.
  const format = textField === undefined ? ofTag : `${ownFormat}:${textField}`;
  const foreign = into !== undefined ? 'any' : isTagged ? 'without-tokens' : undefined;
  const parse = (text: string) => readRecord(text, tag, { textField, foreign, into });
  const isOwn = (document: Document): document is Document & { raw: string } =>
    isNdjson(document) || (document.raw !== undefined && document.format === format);
  const redacted = (tagged: TaggedDocument, pattern: string) => {
    const { document } = tagged;
    if (isOwn(document)) {
      const path =
        textField === undefined ? ['text'] : pathOf(new JsonText(document.raw), textField);
      return redactedRecord(document, tagged, path, pattern);
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
    return jsonRecord(document, tag);
  };
  return {
    name: 'ndjson',
    format,
    forTagging: () => ndjsonFormat(options, true),
    recordsAreLines: true,
    intoLines: jsonArrayLines,
    lenient: true,
    maxRecordBytes: maxLineBytes,
    read: (bytes, context) => readLineRecords(bytes, context, lines),
    write: (tagged, { output = 'record', redact: pattern, onBelow }: WriteOptions = {}) => {
      const { document } = tagged;
      if (pattern !== undefined) return `${redacted(tagged, pattern)}\n`;
      if (output === 'tags') return `${tagsOnly(tagged, isOwn(document))}\n`;
      if (!isOwn(document)) return `${newRecord(tagged, into)}\n`;
      if (into !== undefined) return `${resultsBelow(document, tagged, into)}\n`;
      if (hasForeignMembers(document, tagged, textField !== undefined)) {
        onBelow?.();
        return `${resultsBelow(document, tagged, defaultKey)}\n`;
      }
      if (textField !== undefined) return `${withResults(document.raw, tagged)}\n`;
      return `${spliceRecord(document.raw, tagged, document.format === ownFormat)}\n`;
    },
    writeBad: bad => `${passedLine(bad, into ?? defaultKey)}\n`,
    writeDocument: (document, _, onDropped) => {
      if (!isOwn(document)) return `${jsonText(toRecord(document, onDropped))}\n`;
      const { raw } = document;
      if (document.format === format) return `${raw}\n`;
      return `${moveTags(raw, tagColumnOf(document), tag, onDropped)}\n`;
    },
    toRecord,
    ...(textField === undefined
      ? { unread: (document: Document) => unread(document as Document & { raw: string }) }
      : { originOf: (document: Document) => originAt(document, textField) }),
  };
}

/** The record of another program, kept as a whole. */
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

function tagColumnOf({ format }: Document): string | undefined {
  return format === ownFormat ? undefined : format!.slice(ownFormat.length + 1);
}

/** Members that the document has, whatever is in them. */
const always = new Set([
  'id',
  'document',
  'text',
  'tokens',
  'offsets',
  'sentences',
  'columns',
  'constraints',
]);

/** Members that `readRecord` has not taken, but those that are null where that means that they are absent. */
function unread(document: Document & { raw: string }): readonly string[] {
  const record = new JsonText(document.raw);
  const tagColumn = tagColumnOf(document);
  const taken = new Set(always);
  if (document.links !== undefined) taken.add('links');
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
  const { raw, format } = document;
  return (
    raw !== undefined && (format === ownFormat || format?.startsWith(`${ownFormat} `) === true)
  );
}

/** A record for a document that was not read as one. */
function newRecord(tagged: TaggedDocument, into: string | undefined): string {
  const { id, text, columns } = tagged.document;
  const own = JSON.stringify({ id, text, columns }).slice(1, -1);
  const results = ownedMembers(tagged, () => false);
  const members = into === undefined ? results : [`${JSON.stringify(into)}:{${results.join(',')}}`];
  return `{${[...(own === '' ? [] : [own]), ...members].join(',')}}`;
}

function tagsOnly(tagged: TaggedDocument, hasRaw: boolean): string {
  const id = rawId(tagged.document, hasRaw);
  return `{${id === undefined ? '' : `"id":${id},`}"tags":${JSON.stringify(tagged.tags)}}`;
}

/** The id as it stands in the record, quotes and all. */
function rawId(document: Document, hasRaw = true): string | undefined {
  const { id, raw } = document;
  if (id === undefined) return undefined;
  if (raw === undefined || !hasRaw) return JSON.stringify(id);
  const member = memberSpans(raw).findLast(({ key }) => key === 'id');
  return member && raw.slice(member.valueStart, member.valueEnd);
}
