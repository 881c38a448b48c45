import { statSync } from 'node:fs';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import { type BadRecord, badRecord } from '../../../formats/bad-records/bad-record.js';
import type { Codec, ReadContext } from '../../../formats/codecs/codec.js';
import { isBlank } from '../../../formats/codecs/read-line-records.js';
import { pastMarks } from '../../../formats/lines/line-bytes.js';
import { type Line, splitLines } from '../../../formats/lines/line-splitter.js';
import { openInput } from '../../../formats/reading/open-input.js';
import { maxRejectedBytes, readRejected } from './rejected-record.js';

/**
 * Returns a codec that reads the records in a dead-letter file: their bytes, in the format of `codec`, with their
 * original positions. Writes like `codec`.
 *
 * A record that is bad again is reported at its original position. A truncated record is read again from its input if
 * that is a file which still contains it and `codec` accepts its length; otherwise it is bad with its original error. A
 * line that is not a rejected record is bad at its position in the dead-letter file.
 *
 * @example
 * const codec = replayCodec(ndjsonCodec());
 * const rejected = '{"source":"a","line":7,"start":60,"end":79,"code":"not-json","error":"x","raw":"{\\"text\\":\\"hi\\"}"}';
 * const deliver = (position, raw) => ({ position });
 * const read = codec.read([new TextEncoder().encode(rejected)], { source: 'bad.ndjson', deliver });
 * const { value } = await read[Symbol.asyncIterator]().next();
 * [value[0].text, value[0].delivery.position.line] // => ['hi', 7]
 */
export function replayCodec(codec: Codec): Codec {
  return {
    ...codec,
    forTagging: redacts => replayCodec(codec.forTagging?.(redacts) ?? codec),
    recordsAreLines: true,
    intoLines: undefined,
    maxRecordBytes: maxRejectedBytes,
    read: (bytes, context) => readRejectedRecords(codec, bytes, context),
  };
}

async function* readRejectedRecords(
  codec: Codec,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  context: ReadContext,
): AsyncGenerator<readonly Document[], void, undefined> {
  const options = { from: context.from, maxLineBytes: maxRejectedBytes };
  for await (const lines of splitLines(bytes, options)) {
    const documents: Document[] = [];
    for (const line of lines) {
      if (line.bad === undefined && isBlank(line.text)) continue;
      if (context.wanted?.(line.start) === false) continue;
      const rejected = rejectedOf(line, context);
      if (rejected === undefined) continue;
      const stream = rejected.truncated ? await wholeOf(rejected, codec) : asStream(rejected);
      if (stream === undefined) {
        context.onBad(rejected);
        continue;
      }
      for await (const found of codec.read([stream], placed(rejected, context))) {
        for (const document of found) documents.push(document);
      }
    }
    if (documents.length > 0) yield documents;
  }
}

/** Returns the rejected record on a line; undefined if the line is malformed, which is reported. */
function rejectedOf(line: Line, context: ReadContext): BadRecord | undefined {
  const { number, start, end, text, bad } = line;
  const position = { source: context.source, line: number, start, end };
  if (bad !== undefined) {
    context.onBad(badRecord(position, bad.raw, bad.error, bad.truncated));
    return undefined;
  }
  try {
    return readRejected(text);
  } catch (thrown) {
    if (!(thrown instanceof TagstreamError)) throw thrown;
    context.onBad(badRecord(position, text, thrown));
    return undefined;
  }
}

/** Returns all bytes of a truncated record, if available and not too many for `codec`. */
async function wholeOf(rejected: BadRecord, codec: Codec): Promise<Uint8Array | undefined> {
  const { start, end } = rejected.position;
  return end - start > codec.maxRecordBytes ? undefined : await readAgain(rejected);
}

/**
 * Prepares the bytes of a rejected record for a stream: a CR at the end of a line belongs to the record, but would be
 * read as part of the line end. Only an overlong line includes the CR of its line end.
 */
function asStream({ raw, error }: BadRecord): Uint8Array {
  if (error.code === 'too-long' || !raw.includes(13)) return raw;
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('latin1');
  return Buffer.from(bytes.replace(/\r(?=\n|$)/g, '\r\r'), 'latin1');
}

/** Returns a context in which the content of a rejected record has its original position. */
function placed({ position }: BadRecord, context: ReadContext): ReadContext {
  const { source, line, start } = position;
  const { onBlank, deliver } = context;
  return {
    source,
    from: { offset: start, line, atLineStart: true },
    onBad: bad => context.onBad({ ...bad, position }),
    ...(onBlank === undefined ? {} : { onBlank: () => onBlank.call(context) }),
    ...(deliver === undefined ? {} : { deliver: (_, raw) => deliver.call(context, position, raw) }),
  };
}

const LF = 10;

/**
 * Reads a truncated record again from its input. Undefined if the input no longer has the record at this position,
 * which must begin with the kept part and be enclosed by line ends.
 *
 * Holds the record in memory, and reads a compressed file from its start.
 *
 * @throws TagstreamError `file` if the input cannot be read
 * @example
 * const position = { source: '<stdin>', line: 1, start: 0, end: 99_999 };
 * const raw = new TextEncoder().encode('{"text":');
 * const error = new TagstreamError('too-long', 'a line of 99999 bytes');
 * await readAgain({ position, raw, truncated: true, error }) // => undefined
 */
export async function readAgain({ position, raw }: BadRecord): Promise<Uint8Array | undefined> {
  const { source, start, end } = position;
  if (statSync(source, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const from = Math.max(0, start - 3);
  // With its surroundings: a line end or byte order mark before, and a line end, possibly with a CR, after.
  const wanted = Buffer.alloc(end + 2 - from);
  let filled = 0;
  const input = await openInput(source, { start: from });
  try {
    let at = input.offset;
    for await (const chunk of input.chunks) {
      const piece = chunk.subarray(Math.max(0, from - at), from + wanted.length - at);
      if (at + chunk.length > from) {
        wanted.set(piece, filled);
        filled += piece.length;
      }
      at += chunk.length;
      if (filled === wanted.length) break;
    }
  } finally {
    input.close();
  }
  const found = wanted.subarray(0, filled);
  const record = found.subarray(start - from, end - from);
  if (record.length < end - start) return undefined;
  const isMarked = start >= 3 && pastMarks(found, 0, 3) === 3;
  const isAfterLine = start === 0 || isMarked || found[start - from - 1] === LF;
  const isBeforeLine = isLineEnd(found.subarray(end - from));
  return isAfterLine && isBeforeLine && beginsWith(record, raw) ? record : undefined;
}

function isLineEnd(rest: Uint8Array): boolean {
  return rest.length === 0 || rest[0] === LF || (rest[0] === 13 && (rest[1] ?? LF) === LF);
}

/**
 * Whether a record begins with the kept bytes; in a rejected record of several lines, there is no CR before line ends.
 */
function beginsWith(record: Buffer, raw: Uint8Array): boolean {
  const most = 2 * raw.length + 1;
  const lines = record.subarray(0, most).toString('latin1').replaceAll('\r\n', '\n');
  const beginning = Buffer.from(raw).toString('latin1').replaceAll('\r\n', '\n');
  return lines.startsWith(beginning.replace(/\r$/, ''));
}
