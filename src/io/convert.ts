import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { map, type Observable, tap } from 'rxjs';
import type { Position } from '../core/delivery/delivery.js';
import { TagstreamError } from '../core/errors.js';
import { kinds, requireArgument, requireKnown } from '../core/schema/require-argument.js';
import type { Document } from '../core/sentence/document.js';
import { attempt } from '../operators/attempt.js';
import type { TokenizeOptions } from '../operators/tokenize.js';
import type { Codec } from './codecs/codec.js';
import { JsonText } from './codecs/ndjson/json-text.js';
import { ownFormat, standardText } from './codecs/ndjson/label-fields.js';
import { writeDocuments } from './document-sink.js';
import { type DocumentSourceOptions, documentSource } from './sources/document-source.js';
import { sourceOptionNames } from './sources/source-reading.js';
import { tokenizedDocument } from './tokenized-document.js';
import { endOutput, framedOutput, type Output } from './writing/open-output.js';

/** Options of `convert`: input, output and callbacks. */
export interface ConvertOptions extends Omit<DocumentSourceOptions, 'codec'> {
  readonly from: Codec;
  readonly to: Codec;
  readonly output: Output;
  /** Called for each value that the other format cannot hold, which is written in another way. */
  readonly onReplaced?: ((replaced: Replaced) => void) | undefined;
  /** Called with each field, column or comment of a record that the output does not have. */
  readonly onDropped?: ((dropped: Dropped) => void) | undefined;
  /** How texts are divided whose tokens a format cannot do without. */
  readonly tokenize?: TokenizeOptions | undefined;
  /** Reject records with such values. */
  readonly exact?: boolean | undefined;
  /** Whether the tags mark spans, for formats of spans; judged record by record if absent. */
  readonly marksSpans?: boolean | undefined;
  /** Receives each record that was read. */
  readonly onDocument?: ((document: Document) => void) | undefined;
}

/** What a record holds and its conversion does not. */
export interface Dropped {
  /** Of its record. */
  readonly position: Position | undefined;
  /** As `meta`, `columns.pos` or `annotations[].id`. */
  readonly name: string;
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
 * records are copied as they are. Between formats of JSON the members that are of neither stay byte for byte, and records of
 * an annotation tool are kept where they hold more than text and labels (`_origin`), by which they go back. What a format
 * does not hold goes to `onDropped`, once for each record. A record that the other format cannot hold is rejected.
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
  requireKnown('convert', options, [
    ...[
      'from',
      'to',
      'output',
      'onReplaced',
      'onDropped',
      'tokenize',
      'exact',
      'marksSpans',
      'onDocument',
    ],
    ...sourceOptionNames,
  ]);
  requireArgument('convert.from', options.from, kinds.codec);
  requireArgument('convert.to', options.to, kinds.codec);
  requireArgument('convert.output', options.output, kinds.output);
  const { from, to, output: target, onReplaced, onDropped, exact, tokenize, ...rest } = options;
  const { marksSpans, onDocument, ...source } = rest;
  const output = to.inArray === true ? arrayOutput(target) : target;
  const all = documentSource({ ...source, codec: from });
  const read = onDocument === undefined ? all : all.pipe(tap(onDocument));
  const isCopied = from.format === to.format && tokenize === undefined;
  const converted = read.pipe(
    attempt((document): Converted => {
      if (isCopied) return { document, converted: document };
      const found = fitting(document, to, tokenize);
      return { document, converted: withOrigin(found, document, { from, to }) };
    }),
  );
  const report = (document: Document, names: Iterable<string>) => {
    const { delivery } = document;
    for (const name of new Set(names)) onDropped?.({ position: delivery?.position, name });
  };
  if (to.toRecord !== undefined && from.format !== to.format && !isJson(from)) {
    const toRecord = ({ document, converted }: Converted) => {
      const names = [...(from.unread?.(document) ?? [])];
      const record = to.toRecord!(converted, name => names.push(name));
      report(document, names);
      return record;
    };
    return writeRecords(converted, toRecord, output);
  }
  let between = '';
  const separator = to.inArray === true ? ',' : '';
  const untagged = converted.pipe(
    map(({ document: source, converted: document }) => ({
      source,
      document,
      tokens: [],
      tags: [],
    })),
  );
  return writeDocuments(untagged, output, {
    ...to,
    write: tagged => {
      const { document, source } = tagged as typeof tagged & { readonly source: Document };
      const names: string[] = [];
      const text = to.writeDocument(
        document,
        (value, written) => {
          if (exact === true) throw notHeld(value, to);
          onReplaced?.({ position: document.delivery?.position, value, written });
        },
        name => names.push(name),
        marksSpans,
      );
      if (!isCopied && !carries(from, to, source)) names.push(...(from.unread?.(source) ?? []));
      report(
        source,
        names.filter(name => source.tokens !== undefined || !fromText.has(name)),
      );
      const item = between + text;
      between = separator;
      return item;
    },
  });
}

interface Converted {
  /** As it was read. */
  readonly document: Document;
  /** As it is to be written. */
  readonly converted: Document;
}

/** What the tokens of a text say. */
const fromText: ReadonlySet<string> = new Set(['text', 'offsets', 'sentences']);

/** Whether what a record has besides goes along into another format of JSON, in its place or as its origin. */
function carries(from: Codec, to: Codec, source: Document): boolean {
  if (!isJson(from) || !isJson(to)) return false;
  return (
    to.toRecord === undefined ||
    from.toRecord !== undefined ||
    from.originOf?.(source) !== undefined
  );
}

/** Whether members of a record can go along into another format of JSON. */
function isJson({ toRecord, originOf }: Codec): boolean {
  return toRecord !== undefined || originOf !== undefined;
}

/** Records without tokens get them where the format cannot do without, and so do texts with gold spans that it does not hold. */
function fitting(document: Document, to: Codec, options: TokenizeOptions | undefined): Document {
  if (to.holdsSpans === true) return document;
  const lacksTokens = document.tokens === undefined;
  const needsTokens = lacksTokens && (to.toRecord === undefined || options !== undefined);
  if (!needsTokens && document.spans === undefined) return document;
  const found = tokenizedDocument(document, options);
  const own = lacksTokens ? standardText(document) : undefined;
  if (own === undefined || own.tagColumn !== undefined) return found;
  const { tokens, offsets, sentences } = found;
  const raw = new JsonText(own.raw).with({ tokens, offsets, sentences }).text;
  return { ...found, raw, format: ownFormat };
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
    `${to.name} cannot represent the value ${JSON.stringify(value.slice(0, 40))} unchanged`,
    { fix: 'write NDJSON, or allow replacement' },
  );
}

async function writeRecords(
  documents: Observable<Converted>,
  toRecord: (converted: Converted) => Readonly<Record<string, unknown>>,
  output: Output,
): Promise<{ records: number }> {
  let records = 0;
  // A package in the older form, with a dozen others below it.
  const { stringify } = await import('ndjson');
  const lines = stringify();
  const subscription = documents.subscribe({
    next: converted => {
      const { delivery } = converted.document;
      lines.write(toRecord(converted), error => {
        if (error) return;
        records += 1;
        delivery?.release();
        delivery?.ack();
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
