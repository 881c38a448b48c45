import type { Document } from '../../core/document.js';
import { TagstreamError } from '../../core/errors.js';
import { type BadRecord, badRecord } from '../bad-record.js';
import type { Codec, ReadContext } from '../codec.js';
import type { Line } from '../line-splitter.js';
import { defaultMaxLineBytes, splitLines } from '../lines.js';
import { isBlank } from '../read-line-records.js';
import { readLetter } from './letter.js';

/**
 * Reads a file of dead letters as what is in them: the bytes of each, in the format of `codec`, with the
 * position that the record had. Writes as `codec` does.
 *
 * A record that is bad again is so at its old place. A letter that has only the beginning of its record
 * is bad with its old error; a line that is no letter is bad at its place in the file of letters.
 *
 * @example
 * const codec = replayCodec(ndjsonCodec());
 * const letter = '{"source":"a","line":7,"start":60,"end":79,"code":"not-json","error":"x","raw":"{\\"text\\":\\"hi\\"}"}';
 * const deliver = (position, raw) => ({ position });
 * const read = codec.read([new TextEncoder().encode(letter)], { source: 'bad.ndjson', deliver });
 * const { value } = await read[Symbol.asyncIterator]().next();
 * [value[0].text, value[0].delivery.position.line] // => ['hi', 7]
 */
export function replayCodec(codec: Codec): Codec {
  return {
    ...codec,
    recordsAreLines: true,
    maxRecordBytes: defaultMaxLineBytes,
    read: (bytes, context) => readLetters(codec, bytes, context),
  };
}

async function* readLetters(
  codec: Codec,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  context: ReadContext,
): AsyncGenerator<readonly Document[], void, undefined> {
  for await (const lines of splitLines(bytes, { from: context.from })) {
    const documents: Document[] = [];
    for (const line of lines) {
      if (line.bad === undefined && isBlank(line.text)) continue;
      if (context.wanted?.(line.start) === false) continue;
      const letter = letterOf(line, context);
      if (letter === undefined) continue;
      for await (const found of codec.read([asStream(letter)], placed(letter, context))) {
        documents.push(...found);
      }
    }
    if (documents.length > 0) yield documents;
  }
}

/** The letter that a line is, if it can be replayed; else it has been told. */
function letterOf(line: Line, context: ReadContext): BadRecord | undefined {
  const { number, start, end, text, bad } = line;
  const position = { source: context.source, line: number, start, end };
  if (bad !== undefined) {
    context.onBad(badRecord(position, bad.raw, bad.error, bad.truncated));
    return undefined;
  }
  let letter: BadRecord;
  try {
    letter = readLetter(text);
  } catch (thrown) {
    if (!(thrown instanceof TagstreamError)) throw thrown;
    context.onBad(badRecord(position, text, thrown));
    return undefined;
  }
  if (!letter.truncated) return letter;
  context.onBad(letter);
  return undefined;
}

/**
 * The bytes of a letter, as they have to stand in a stream: a CR at the end of a line belongs to what is in
 * the letter, and would be taken for a part of the line end. Only a line that is too long has its line end's.
 */
function asStream({ raw, error }: BadRecord): Uint8Array {
  if (error.code === 'too-long' || !raw.includes(13)) return raw;
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('latin1');
  return Buffer.from(bytes.replace(/\r(?=\n|$)/g, '\r\r'), 'latin1');
}

/** Reads what a letter holds as if it stood where it was. */
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
