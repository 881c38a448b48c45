import type * as z from 'zod';
import { TagstreamError } from '../../../core/errors.js';
import { parseOptions } from '../../../core/schema/parse-options.js';
import type { TaggedDocument } from '../../../core/sentence/tagged-document.js';
import { jsonArrayLines } from '../../lines/json-array-lines.js';
import type { Codec, DocumentDraft } from '../codec.js';
import { readLineRecords } from '../read-line-records.js';
import type { ForeignFormat, ForeignRecord } from './foreign-format.js';
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
        : `${JSON.stringify(written(tagged, format))}\n`,
    writeDocument: (document, onReplaced) => {
      if (document.format === name && document.raw !== undefined) return `${document.raw.trim()}\n`;
      const labelled = labelledText(document);
      const record =
        backToOrigin(document, labelled, format, onReplaced) ??
        format.fromDocument(labelled, onReplaced);
      return `${JSON.stringify(record)}\n`;
    },
    originOf: ({ raw, text }) =>
      raw === undefined ? undefined : originOf(name, parsed(raw), text),
  };
}

function written(tagged: TaggedDocument, format: ForeignFormat): ForeignRecord {
  const { document, tokens, offsets, tags } = tagged;
  const { id, text, raw } = document;
  const labelled = labelledText({
    ...(id === undefined ? {} : { id }),
    ...(text === undefined || offsets === undefined ? {} : { text, offsets }),
    tokens,
    tags,
  });
  const found = raw !== undefined && document.format === format.name ? parsed(raw) : undefined;
  const own = isObject(found) ? found : undefined;
  if (format.fromPredicted !== undefined) return format.fromPredicted(labelled, own);
  return {
    ...own,
    ...format.fromDocument(labelled),
    ...(own?.id === undefined ? {} : { id: own.id }),
  };
}

function tagsOnly({ document: { id }, tags }: TaggedDocument): ForeignRecord {
  return id === undefined ? { tags } : { id, tags };
}

function isObject(value: unknown): value is ForeignRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
