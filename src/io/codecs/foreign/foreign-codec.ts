import type * as z from 'zod';
import { TagstreamError } from '../../../core/errors.js';
import { parseOptions } from '../../../core/schema/parse-options.js';
import type { Document } from '../../../core/sentence/document.js';
import type { TaggedDocument } from '../../../core/sentence/tagged-document.js';
import { jsonArrayLines } from '../../lines/json-array-lines.js';
import type { Codec, DocumentDraft } from '../codec.js';
import { type DocumentPart, reportLeftOut } from '../left-out.js';
import { JsonText, jsonText } from '../ndjson/json-text.js';
import type { OnDropped, OnReplaced } from '../plain-cell.js';
import { readLineRecords } from '../read-line-records.js';
import { carryForeign, carryNdjson, unreadOf } from './carry-members.js';
import type { ForeignFormat, ForeignRecord } from './foreign-format.js';
import { foreignFormats } from './foreign-formats.js';
import { foreignOptions } from './foreign-options.js';
import { labelledText } from './labelled-text.js';
import { backToOrigin, originOf } from './origin.js';

/**
 * The records of an annotation tool, a line or an item of a JSON array each.
 *
 * Gold spans become gold tags when a text is tokenized. Tagged records have the spans that were found in the place of gold
 * ones, and other members of their own record as they were. What is written as NDJSON keeps its record as `_origin`, by
 * which it is written again as it was, with the labels that it has by then.
 *
 * @throws TagstreamError `config` on wrong options
 * @example
 * const format = { name: 'mine', toDocument: record => record, fromDocument: labelled => labelled };
 * const codec = foreignCodec(format);
 * const document = { text: 'Go, Ann', spans: [{ start: 4, end: 7, label: 'PER' }] };
 * codec.writeDocument(document) // => '{"text":"Go, Ann","spans":[{"start":4,"end":7,"label":"PER"}]}\n'
 */
export function foreignCodec(
  format: ForeignFormat,
  options: z.input<typeof foreignOptions> = {},
): Codec {
  const { name } = format;
  const { misaligned, maxLineBytes, maxTokens } = parseOptions(foreignOptions, options, name);
  const parse = (line: string): DocumentDraft | undefined => {
    const found = format.toDocument(parsed(line));
    return found === undefined || misaligned === 'reject' ? found : { ...found, misaligned };
  };
  return {
    name,
    format: name,
    recordsAreLines: true,
    intoLines: {
      ...jsonArrayLines,
      ...(format.fileLines === undefined ? {} : { fileLines: format.fileLines }),
    },
    lenient: true,
    holdsSpans: true,
    inArray: format.inArray === true,
    ...(format.recordFiles === undefined ? {} : { recordFiles: format.recordFiles }),
    maxRecordBytes: maxLineBytes,
    read: (bytes, context) =>
      readLineRecords(bytes, context, { format: name, maxLineBytes, maxTokens, parse }),
    write: (tagged, { output = 'record' } = {}) =>
      output === 'tags'
        ? `${JSON.stringify(tagsOnly(tagged))}\n`
        : `${tagRecord(tagged, format).text}\n`,
    writeDocument: (document, onReplaced, onDropped, marksSpans) => {
      const { raw } = document;
      if (document.format === name && raw !== undefined) return `${raw.trim()}\n`;
      return `${convertRecord(document, format, { onReplaced, onDropped, marksSpans })}\n`;
    },
    originOf: ({ raw, text }) =>
      raw === undefined ? undefined : originOf(name, new JsonText(raw.trim()), text),
    unread: document => {
      const record = new JsonText(document.raw!.trim());
      return unreadOf({ record, document, labelled: labelledText(document) }, format);
    },
  };
}

/** The record with the spans that were found, all its other bytes as they were. */
function tagRecord(
  { document, tokens, offsets, tags, spans }: TaggedDocument,
  format: ForeignFormat,
): JsonText {
  const { id, text, raw } = document;
  const found = {
    ...(id === undefined ? {} : { id }),
    ...(text === undefined || offsets === undefined ? {} : { text, offsets }),
    tokens,
    tags,
  };
  // Only models whose tags mark spans find some.
  const labelled = labelledText(found, spans === undefined ? undefined : true);
  const isOwn = raw !== undefined && document.format === format.name;
  const record = isOwn
    ? new JsonText(raw.trim())
    : new JsonText(jsonText(format.fromDocument({ ...labelled, spans: undefined })));
  return format.addPredicted?.(record, labelled) ?? format.revise(record, labelled);
}

const held: ReadonlySet<DocumentPart> = new Set(['text', 'spans', 'tags', 'tokens', 'offsets']);
const heldWithId: ReadonlySet<DocumentPart> = new Set([...held, 'id']);

/** What a conversion reports, and whether the tags of the whole data set mark spans. */
interface Conversion {
  readonly onReplaced: OnReplaced | undefined;
  readonly onDropped: OnDropped | undefined;
  readonly marksSpans: boolean | undefined;
}

/** A document of another format as a record of this one. */
function convertRecord(
  document: Document,
  format: ForeignFormat,
  { onReplaced, onDropped, marksSpans }: Conversion,
): string {
  const labelled = labelledText(document, marksSpans);
  const { raw, format: from } = document;
  const other = foreignFormats.find(({ name }) => name === from);
  const isNdjson = from === 'ndjson' || from?.startsWith('ndjson ') === true;
  if (raw === undefined || (other === undefined && !isNdjson)) {
    const record = format.fromDocument(labelled, onReplaced);
    reportLeftOut(document, record.id === undefined ? held : heldWithId, () => false, onDropped);
    if (document.text !== undefined && document.text !== labelled.text) onDropped?.('text');
    return jsonText(record);
  }
  const record = new JsonText(raw.trim());
  const back = backToOrigin(record, document, labelled, format, { onReplaced, onDropped });
  if (back !== undefined) return back.text;
  const members = format.fromDocument(labelled, onReplaced);
  const carried = { record, document, labelled, members };
  if (other !== undefined) return carryForeign(carried, other, format, onDropped).text;
  return carryNdjson(carried, from?.slice('ndjson '.length) || undefined, format, onDropped).text;
}

function tagsOnly({ document: { id }, tags }: TaggedDocument): ForeignRecord {
  return id === undefined ? { tags } : { id, tags };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new TagstreamError('not-json', `not valid JSON: ${(cause as Error).message}`, {
      fix: 'write one record per line, or a JSON array of records',
      cause,
    });
  }
}
