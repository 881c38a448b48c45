import * as z from 'zod';
import type { Document } from '../../core/document.js';
import type { TaggedDocument } from '../../core/tagged-document.js';
import type { Codec, WriteOptions } from '../codec.js';
import { lineOptions } from '../line-options.js';
import { parseOptions } from '../parse-options.js';
import { type LineFormat, readLineRecords } from '../read-line-records.js';
import { giveId } from './give-id.js';
import { memberSpans } from './member-spans.js';
import { ownedMembers } from './owned-members.js';
import { plainRecord } from './plain-record.js';
import { readRecord } from './read-record.js';
import { spliceRecord } from './splice-record.js';

export const ndjsonOptions = z.strictObject({
  tag: z
    .string()
    .min(1)
    .optional()
    .describe('name of the column whose values are the gold tags, in place of the field tags'),
  ids: z
    .enum(['content', 'position'])
    .optional()
    .describe(
      'ids for records without one, the same whenever they are read: of their bytes, or also of their input and place',
    ),
  ...lineOptions,
});

/** What an NDJSON record says of itself: its format without the place of its gold tags. */
const ownFormat = 'ndjson';

/**
 * One JSON object a line: `{"id", "text"}` or `{"id", "tokens", "columns", "tags"}`.
 *
 * Writing splices results into the record's own text, so that all other fields come out byte for byte;
 * see `spliceRecord` and `readRecord` for what becomes of each field, and `giveId` for `ids`.
 *
 * @throws TagstreamError `config` on wrong options
 * @example
 * const codec = ndjsonCodec();
 * const document = { id: '7', tokens: ['a'], raw: '{"id": 7, "tokens": ["a"]}', format: 'ndjson' };
 * const tagged = { document, tokens: ['a'], tags: ['X'] };
 * codec.write(tagged) // => '{"id": 7, "tokens": ["a"],"tags":["X"]}\n'
 * codec.write(tagged, { output: 'tags' }) // => '{"id":7,"tags":["X"]}\n'
 */
export function ndjsonCodec(options: z.input<typeof ndjsonOptions> = {}): Codec {
  const { tag, ids, maxLineBytes } = parseOptions(ndjsonOptions, options, 'ndjson');
  const format = tag === undefined ? ownFormat : `${ownFormat} ${tag}`;
  const parse = (text: string) => readRecord(text, tag);
  const lines: LineFormat =
    ids === undefined
      ? { format, maxLineBytes, parse }
      : {
          format,
          maxLineBytes,
          parse,
          identify: (draft, position) => giveId(draft, position, ids),
        };
  return {
    name: 'ndjson',
    format,
    recordsAreLines: true,
    maxRecordBytes: maxLineBytes,
    read: (bytes, context) => readLineRecords(bytes, context, lines),
    write: (tagged, { output = 'record' }: WriteOptions = {}) =>
      output === 'tags' ? `${tagsOnly(tagged)}\n` : `${record(tagged)}\n`,
    writeDocument: document =>
      document.format === format && document.raw !== undefined
        ? `${document.raw}\n`
        : `${JSON.stringify(plainRecord(document, tag))}\n`,
    toRecord: document => plainRecord(document, tag),
  };
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
