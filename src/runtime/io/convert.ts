import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { map, type Observable, tap } from 'rxjs';
import type { Position } from '../../engine/core/delivery/delivery.js';
import { TagstreamError } from '../../engine/core/errors.js';
import { kinds, requireArgument, requireKnown } from '../../engine/core/schema/require-argument.js';
import type { Document } from '../../engine/core/sentence/document.js';
import { attempt } from '../../engine/operators/attempt.js';
import type { TokenizeOptions } from '../../engine/operators/tokenize.js';
import type { Codec } from '../../formats/codecs/codec.js';
import { JsonText } from '../../formats/codecs/ndjson/json-text.js';
import { ownFormat, standardText } from '../../formats/codecs/ndjson/label-fields.js';
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
  /** Called for each value that the target format cannot represent unchanged. */
  readonly onReplaced?: ((replaced: Replaced) => void) | undefined;
  /** Called for each field, column or comment of a record that the output omits. */
  readonly onDropped?: ((dropped: Dropped) => void) | undefined;
  /** Tokenization of texts for formats that require tokens. */
  readonly tokenize?: TokenizeOptions | undefined;
  /** Whether records with replaced values are rejected. */
  readonly exact?: boolean | undefined;
  /** Whether the tags mark spans, for span formats; if absent, each record's own tags decide. */
  readonly marksSpans?: boolean | undefined;
  /** Called with each record that was read. */
  readonly onDocument?: ((document: Document) => void) | undefined;
}

/** Content of a record that its conversion omits. */
export interface Dropped {
  /** Position of the record. */
  readonly position: Position | undefined;
  /** Name of the content, such as `meta`, `columns.pos` or `annotations[].id`. */
  readonly name: string;
}

/** A value that could not be written unchanged. */
export interface Replaced {
  /** Position of the record. */
  readonly position: Position | undefined;
  readonly value: string;
  readonly written: string;
}

/**
 * Reads records of one format and writes them in another, as a stream; gold tags stay gold tags.
 *
 * Texts are tokenized if the target format requires tokens, and gold spans become gold tags. Between equal formats
 * records are copied unchanged. Between JSON formats, members of neither format stay byte for byte, and annotation
 * tools' records that contain more than text and labels are kept for the return conversion (`_origin`). Content that
 * the target format cannot represent is reported to `onDropped`, once per record. A record that it cannot represent is
 * rejected. Single values are replaced: tabs and line ends in columns by `_`, in comments by a space, and lone
 * surrogates, which only JSON can represent, by U+FFFD.
 *
 * @returns the number of records written
 * @throws (rejects with) the errors of `documentSource` and `writeDocuments`
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
      const unread = isCopied || carries(from, to, source) ? undefined : from.unread?.(source);
      for (const name of unread ?? []) names.push(name);
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
  /** The document as read. */
  readonly document: Document;
  /** The document as it will be written. */
  readonly converted: Document;
}

/** Parts of a document that are derived when a text is tokenized. */
const fromText: ReadonlySet<string> = new Set(['text', 'offsets', 'sentences']);

/** Whether another JSON format keeps the additional content of a record, in place or as its origin. */
function carries(from: Codec, to: Codec, source: Document): boolean {
  if (!isJson(from) || !isJson(to)) return false;
  return (
    to.toRecord === undefined ||
    from.toRecord !== undefined ||
    from.originOf?.(source) !== undefined
  );
}

/** Whether another JSON format can keep members of a record. */
function isJson({ toRecord, originOf }: Codec): boolean {
  return toRecord !== undefined || originOf !== undefined;
}

/** Tokenizes records if the format requires tokens, or cannot represent their gold spans. */
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

/** Adds the original annotation tool record to JSON output. */
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
  // An old package with a dozen dependencies.
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

/** Returns a stream that writes to an output, with accumulated chunks as one piece. */
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
