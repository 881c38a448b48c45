import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { map, type Observable } from 'rxjs';
import type { Position } from '../core/delivery/delivery.js';
import { TagstreamError } from '../core/errors.js';
import type { Document } from '../core/sentence/document.js';
import { attempt } from '../operators/attempt.js';
import type { TokenizeOptions } from '../operators/tokenize.js';
import type { Codec } from './codecs/codec.js';
import { withTokens } from './codecs/ndjson/with-tokens.js';
import { writeDocuments } from './document-sink.js';
import { type DocumentSourceOptions, documentSource } from './sources/document-source.js';
import { tokenizedDocument } from './tokenized-document.js';
import { endOutput } from './writing/end-output.js';
import { framedOutput } from './writing/framed-output.js';
import type { Output } from './writing/open-output.js';

export interface ConvertOptions extends Omit<DocumentSourceOptions, 'codec'> {
  readonly from: Codec;
  readonly to: Codec;
  readonly output: Output;
  /** Called for each value that the other format cannot hold, which is written in another way. */
  readonly onReplaced?: ((replaced: Replaced) => void) | undefined;
  /** How texts are divided whose tokens a format cannot do without. */
  readonly tokenize?: TokenizeOptions | undefined;
  /** Reject records with such values. */
  readonly exact?: boolean | undefined;
}

/** A value that could not be written as it is. */
export interface Replaced {
  /** Of its record. */
  readonly position: Position | undefined;
  readonly value: string;
  readonly written: string;
}

/**
 * Reads records of one format and writes them in another, as a stream; gold tags stay gold tags.
 *
 * Texts get tokens where the other format cannot do without, and gold spans become gold tags. Between equal formats
 * records are copied as they are, and those of an annotation tool are kept in NDJSON (`_origin`), by which they go back. A record that the other format cannot hold is rejected.
 * Single values are written in another way: tabs and line ends in columns as `_`, in comments as a space, and half
 * of a surrogate pair, which only JSON can hold, as U+FFFD.
 *
 * @returns the number of records written
 * @throws (rejects with) what `documentSource` and `writeDocuments` do
 * @example
 * const [from, to] = [conllCodec(), ndjsonCodec()];
 * const output = await openOutput('/dev/null');
 * const deadLetters = new DeadLetters({ policy: 'fail' });
 * await convert({ files: ['/dev/null'], from, to, output, deadLetters }) // => ({ records: 0 })
 */
export function convert(options: ConvertOptions): Promise<{ records: number }> {
  const { from, to, onReplaced, exact, tokenize, ...source } = options;
  const output = to.inArray === true ? arrayOutput(options.output) : options.output;
  const read = documentSource({ ...source, codec: from });
  const isCopied = from.format === to.format && tokenize === undefined;
  const documents = isCopied
    ? read
    : read.pipe(
        attempt(document => withOrigin(fitting(document, to, tokenize), document, { from, to })),
      );
  if (to.toRecord !== undefined && from.format !== to.format) {
    return writeRecords(documents, document => to.toRecord!(document), output);
  }
  let between = '';
  const separator = to.inArray === true ? ',' : '';
  const untagged = documents.pipe(map(document => ({ document, tokens: [], tags: [] })));
  return writeDocuments(untagged, output, {
    ...to,
    write: ({ document }) => {
      const text = to.writeDocument(document, (value, written) => {
        if (exact === true) throw notHeld(value, to);
        onReplaced?.({ position: document.delivery?.position, value, written });
      });
      const item = between + text;
      between = separator;
      return item;
    },
  });
}

/** Records without tokens get them where the format cannot do without, and so do texts with gold spans that it does not hold. */
function fitting(document: Document, to: Codec, options: TokenizeOptions | undefined): Document {
  if (to.holdsSpans === true) return document;
  const lacksTokens = document.tokens === undefined;
  const needsTokens = lacksTokens && (to.toRecord === undefined || options !== undefined);
  if (!needsTokens && document.spans === undefined) return document;
  const found = tokenizedDocument(document, options);
  const { raw, format } = document;
  if (!lacksTokens || raw === undefined || format !== 'ndjson') return found;
  return { ...found, raw: withTokens(raw, found), format };
}

/** What is written as JSON keeps the record of the annotation tool that it comes from. */
function withOrigin(
  found: Document,
  document: Document,
  { from, to }: Pick<ConvertOptions, 'from' | 'to'>,
): Document {
  const origin = to.toRecord === undefined ? undefined : from.originOf?.(document);
  return origin === undefined ? found : { ...found, origin };
}

function arrayOutput(output: Output): Output {
  return framedOutput(output, { head: '[\n', tail: ']\n' });
}

function notHeld(value: string, to: Codec): TagstreamError {
  return new TagstreamError(
    'wrong-shape',
    `${to.name} cannot hold the value ${JSON.stringify(value.slice(0, 40))} as it is`,
    { fix: 'write NDJSON, or allow replacement' },
  );
}

async function writeRecords(
  documents: Observable<Document>,
  toRecord: (document: Document) => Readonly<Record<string, unknown>>,
  output: Output,
): Promise<{ records: number }> {
  let records = 0;
  // A package in the older form, with a dozen others below it.
  const { stringify } = await import('ndjson');
  const lines = stringify();
  const subscription = documents.subscribe({
    next: document => {
      lines.write(toRecord(document), error => {
        if (error) return;
        records += 1;
        document.delivery?.release();
        document.delivery?.ack();
      });
    },
    error: (error: Error) => lines.destroy(error),
    complete: () => lines.end(),
  });
  let failure: unknown;
  try {
    await pipeline(lines, writableOf(output));
  } catch (thrown) {
    failure = thrown;
  } finally {
    subscription.unsubscribe();
  }
  await endOutput(output, failure);
  return { records };
}

/** A stream into an output, which writes what has collected meanwhile as one piece. */
function writableOf(output: Output): Writable {
  const write = (text: string, callback: (error?: Error | null) => void) =>
    output.write(text, error => callback(error as Error | undefined));
  return new Writable({
    decodeStrings: false,
    highWaterMark: 65_536,
    write: (text: string, _encoding, callback) => write(text, callback),
    writev: (chunks, callback) => write(chunks.map(({ chunk }) => chunk).join(''), callback),
  });
}
