import * as z from 'zod';
import { TagstreamError } from '../../../engine/core/errors.js';
import { maybeOneOf, oneOf } from '../../../engine/core/schema/option-kinds.js';
import { parseOptions } from '../../../engine/core/schema/parse-options.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import type { TaggedDocument } from '../../../engine/core/sentence/tagged-document.js';
import { withoutOverlaps } from '../../../engine/text/tags/tags-of-spans.js';
import { jsonArrayLines } from '../../lines/json-array-lines.js';
import { lineOptions } from '../../lines/line-options.js';
import type { Codec, DocumentDraft } from '../codec.js';
import { JsonText, jsonText } from '../ndjson/json-text.js';
import { standardText } from '../ndjson/label-fields.js';
import { writtenTags } from '../ndjson/owned-members.js';
import { readLineRecords } from '../read-line-records.js';
import { type DocumentPart, reportLeftOut } from '../writing.js';
import { annotationChoices } from './annotations.js';
import { offsetUnits } from './counting.js';
import { foreignFormats } from './foreign-formats.js';
import {
  backToOrigin,
  carryForeign,
  carryNdjson,
  type GoingBack,
  originOf,
  unreadOf,
} from './origin.js';
import { type LeftOutSpans, leftOutSpans } from './placed-spans.js';
import {
  type ForeignFormat,
  type ForeignReading,
  type ForeignRecord,
  labelledText,
} from './read-spans.js';

/**
 * Returns the codec of an annotation tool's records, one per line or as items of a JSON array.
 *
 * Gold spans become gold tags when a text is tokenized. Tagged records have predicted spans instead of gold ones; their
 * other members are unchanged. NDJSON output keeps the record as `_origin`, from which it can be restored with its
 * current labels.
 *
 * @throws TagstreamError `config` for invalid options
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
  const checked = parseOptions(foreignOptions, options, name);
  const { misaligned, overlaps, maxLineBytes, maxTokens, offsets, annotations } = checked;
  const reading: ForeignReading = { offsets, annotations, overlaps };
  const divides = annotations === 'each' && format.eachDocument !== undefined;
  // Codecs with other options read different spans from the same record, so they must not reuse its bytes.
  const ownFormat = formatName(name, {
    ...{ offsets, annotations: divides ? annotations : undefined },
    overlaps: overlaps === 'reject' ? undefined : overlaps,
  });
  const parse = (line: string): readonly DocumentDraft[] => {
    const record = parsed(line);
    const found = divides
      ? format.eachDocument!(record, reading)
      : [format.toDocument(record, reading)].filter(document => document !== undefined);
    return found.map(one => ({
      ...(overlaps === 'reject' ? one : apart(one, overlaps)),
      ...(misaligned === 'reject' ? {} : { misaligned }),
    }));
  };
  return {
    name,
    format: ownFormat,
    recordsAreLines: true,
    recordEnd: '\n',
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
      readLineRecords(bytes, context, { format: ownFormat, maxLineBytes, maxTokens, parse }),
    write: (tagged, { output = 'record' } = {}) =>
      output === 'tags'
        ? `${JSON.stringify(tagsOnly(tagged))}\n`
        : `${tagRecord(tagged, format, reading, ownFormat).text}\n`,
    writeDocument: (document, onReplaced, onDropped, marksSpans) => {
      const { raw } = document;
      if (document.format === ownFormat && !divides && raw !== undefined) return `${raw.trim()}\n`;
      return `${convertRecord(document, format, { reading, onReplaced, onDropped, marksSpans })}\n`;
    },
    // A record of several documents cannot be the origin of any single one.
    originOf: ({ raw, text }) =>
      raw === undefined || divides ? undefined : originOf(name, new JsonText(raw.trim()), text),
    unread: document => {
      const record = new JsonText(document.raw!.trim());
      return unreadOf({ record, document, labelled: labelledText(document) }, format, reading);
    },
  };
}

/** Replaces the spans of a record by the predicted ones, if it is tagged; all other bytes are unchanged. */
function tagRecord(
  { document, tokens, offsets, tags, untagged, spans }: TaggedDocument,
  format: ForeignFormat,
  reading: ForeignReading,
  ownFormat: string,
): JsonText {
  const { id, text, raw } = document;
  const found = {
    ...(id === undefined ? {} : { id }),
    ...(text === undefined || offsets === undefined ? {} : { text, offsets }),
    tokens,
    ...(untagged === true ? {} : { tags }),
  };
  // Only models whose tags mark spans predict some.
  const labelled = labelledText(found, spans === undefined ? undefined : true);
  const isOwn = raw !== undefined && document.format === ownFormat;
  const record = isOwn
    ? new JsonText(raw.trim())
    : new JsonText(jsonText(format.fromDocument({ ...labelled, spans: undefined }, reading)));
  // Without spans, because an empty list of them says that there are none.
  if (untagged === true) return record;
  return (
    format.addPredicted?.(record, labelled, reading) ?? format.revise(record, labelled, reading)
  );
}

const held: ReadonlySet<DocumentPart> = new Set(['text', 'spans', 'tags', 'tokens', 'offsets']);
const heldWithId: ReadonlySet<DocumentPart> = new Set([...held, 'id']);

/** How a conversion writes and what it reports, and whether the tags of the whole data set mark spans. */
interface Conversion extends GoingBack {
  readonly marksSpans: boolean | undefined;
}

/** Converts another format's document to a record of this format. */
function convertRecord(document: Document, format: ForeignFormat, conversion: Conversion): string {
  const { reading, onReplaced, onDropped, marksSpans } = conversion;
  const labelled = labelledText(document, marksSpans);
  const { raw, format: from } = document;
  const other = foreignFormats.find(({ name }) => name === from?.split(' ')[0]);
  const own = standardText(document, onDropped);
  if (raw === undefined || (other === undefined && own === undefined)) {
    const record = format.fromDocument(labelled, reading, onReplaced);
    reportLeftOut(document, record.id === undefined ? held : heldWithId, () => false, onDropped);
    if (document.text !== undefined && document.text !== labelled.text) onDropped?.('text');
    return jsonText(record);
  }
  const record = new JsonText((own?.raw ?? raw).trim());
  const back = backToOrigin(record, document, labelled, format, conversion);
  if (back !== undefined) return back.text;
  const members = format.fromDocument(labelled, reading, onReplaced);
  const carried = { record, document, labelled, members };
  if (other !== undefined) {
    return carryForeign(carried, other, readingOf(from!), format, onDropped).text;
  }
  return carryNdjson(carried, own!.tagColumn, format, onDropped).text;
}

/** Returns the name of a format with the options that affect reading its records; see `readingOf`. */
function formatName(name: string, { offsets, annotations, overlaps }: ForeignReading): string {
  return [name, offsets, annotations, overlaps].filter(part => part !== undefined).join(' ');
}

/** Parses the options in a name created by `formatName`. */
function readingOf(format: string): ForeignReading {
  const [, ...parts] = format.split(' ');
  const offsets = offsetUnits.find(unit => parts.includes(unit));
  const overlaps = (['longest', 'first'] as const).find(choice => parts.includes(choice));
  return { offsets, overlaps, annotations: parts.includes('each') ? 'each' : undefined };
}

/**
 * Returns a document without overlapping spans, which are counted; shared tokens are detected once there are tokens.
 */
function apart(document: Document, overlaps: 'longest' | 'first'): Document {
  const { spans } = document;
  if (spans === undefined) return document;
  const kept = withoutOverlaps(spans, [], overlaps);
  const count = spans.length - kept.length;
  if (count > 0) leftOutSpans.publish({ count, why: 'overlap' } satisfies LeftOutSpans);
  return { ...document, spans: kept, overlaps };
}

function tagsOnly(tagged: TaggedDocument): ForeignRecord {
  const { id } = tagged.document;
  const tags = writtenTags(tagged);
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

export const foreignOptions = z.strictObject({
  misaligned: oneOf(
    ['reject', 'widen', 'unknown'],
    'reject',
    'spans that start or end inside a token: reject the record, widen them to whole tokens, or treat the tags of the tokens they touch as unknown',
  ),
  overlaps: oneOf(
    ['reject', 'longest', 'first'],
    'reject',
    'spans that overlap or share a token: reject the record, or keep the longest, or the one that starts first; the same for the pieces of a span with words between them; dropped spans are counted',
  ),
  offsets: maybeOneOf(
    offsetUnits,
    'unit of offsets: code points, UTF-16 units or UTF-8 bytes; default: the unit of the tool, unless only another unit fits the texts and words of a record',
  ),
  annotations: oneOf(
    annotationChoices,
    'agree',
    'for a record with annotations by several people: reject it unless they agree, take the first, make each a record, or take the spans that more than half of them marked',
  ),
  ...lineOptions,
});
