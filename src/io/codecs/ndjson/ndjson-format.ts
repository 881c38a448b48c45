import type { Document } from '../../../core/sentence/document.js';
import type { TaggedDocument } from '../../../core/sentence/tagged-document.js';
import { jsonArrayLines } from '../../lines/json-array-lines.js';
import type { Codec, WriteOptions } from '../codec.js';
import type { OnDropped } from '../plain-cell.js';
import { type LineFormat, readLineRecords } from '../read-line-records.js';
import { giveId, type IdsFrom } from './give-id.js';
import { jsonRecord, moveTags } from './json-record.js';
import { JsonText, jsonText } from './json-text.js';
import { memberSpans } from './member-spans.js';
import { goldMember, ownedMembers } from './owned-members.js';
import { readRecord } from './read-record.js';
import { spliceRecord } from './splice-record.js';

/** What an NDJSON record says of itself: its format without the place of its gold tags. */
const ownFormat = 'ndjson';

/** Options of `ndjsonCodec`, checked. */
export interface NdjsonFormat {
  readonly tag?: string | undefined;
  readonly ids?: IdsFrom | undefined;
  readonly maxLineBytes: number;
  readonly maxTokens?: number | undefined;
}

/** The codec of `ndjsonCodec` from options that are known to be right. */
export function ndjsonFormat({ tag, ids, maxLineBytes, maxTokens }: NdjsonFormat): Codec {
  const format = tag === undefined ? ownFormat : `${ownFormat} ${tag}`;
  const parse = (text: string) => readRecord(text, tag);
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
    recordsAreLines: true,
    intoLines: jsonArrayLines,
    lenient: true,
    maxRecordBytes: maxLineBytes,
    read: (bytes, context) => readLineRecords(bytes, context, lines),
    write: (tagged, { output = 'record' }: WriteOptions = {}) =>
      output === 'tags' ? `${tagsOnly(tagged)}\n` : `${record(tagged)}\n`,
    writeDocument: (document, _, onDropped) => {
      if (!isNdjson(document)) return `${jsonText(toRecord(document, onDropped))}\n`;
      const { raw } = document;
      if (document.format === format) return `${raw}\n`;
      return `${moveTags(raw, tagColumnOf(document), tag, onDropped)}\n`;
    },
    toRecord,
    unread: document => unread(document as Document & { raw: string }),
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

function record(tagged: TaggedDocument): string {
  const { document } = tagged;
  if (isNdjson(document)) return spliceRecord(document.raw, tagged, document.format === ownFormat);
  const { id, text, columns } = document;
  const own = JSON.stringify({ id, text, columns }).slice(1, -1);
  const members = ownedMembers(tagged, () => false);
  return `{${[...(own === '' ? [] : [own]), ...members].join(',')}}`;
}

function tagsOnly(tagged: TaggedDocument): string {
  const id = rawId(tagged.document);
  return `{${id === undefined ? '' : `"id":${id},`}"tags":${JSON.stringify(tagged.tags)}}`;
}

/** The id as it stands in the record, quotes and all. */
function rawId(document: Document): string | undefined {
  if (document.id === undefined) return undefined;
  if (!isNdjson(document)) return JSON.stringify(document.id);
  const member = memberSpans(document.raw).findLast(({ key }) => key === 'id');
  return member && document.raw.slice(member.valueStart, member.valueEnd);
}
