import { TagstreamError } from '../../engine/core/errors.js';
import type { Document } from '../../engine/core/sentence/document.js';
import { defaultMaxTokens, tooLarge } from '../../engine/core/sentence/sentence-limit.js';
import { badRecord } from '../bad-records/bad-record.js';
import { documentMark } from '../lines/line-bytes.js';
import { type Line, splitLines } from '../lines/line-splitter.js';
import type { DocumentDraft, ReadContext } from './codec.js';
import { isBlank } from './read-line-records.js';

/** A format with one token per line and blank lines between sentences. */
export interface BlockFormat {
  readonly format: string;
  readonly maxLineBytes: number;
  /**
   * Maximum number of tokens, if not the default; see `Document.maxTokens`. A block of more lines is bad and not held.
   */
  readonly maxTokens?: number | undefined;
  isComment(text: string): boolean;
  /** Detects the first lines of records, as in `Codec`. */
  recordStarts?(): (line: string) => boolean;
  /** @throws TagstreamError with the number of the invalid line as its place */
  parse(lines: readonly Line[]): DocumentDraft;
}

/**
 * Yields the documents of a format whose records are blocks of lines. A block with a bad line is bad; a block longer
 * than `maxLineBytes`, or of more than `maxTokens` lines, is bad and not held. Blocks of only comments are not records.
 */
export async function* readBlockRecords(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  context: ReadContext,
  format: BlockFormat,
): AsyncGenerator<readonly Document[], void, undefined> {
  const blocks = new BlockReader(context, format);
  const options = { maxLineBytes: format.maxLineBytes, from: context.from };
  for await (const lines of splitLines(bytes, options)) {
    for (const line of lines) blocks.add(line);
    const documents = blocks.take();
    if (documents.length > 0) yield documents;
  }
  blocks.finish();
  const documents = blocks.take();
  if (documents.length > 0) yield documents;
}

class BlockReader {
  readonly #context: ReadContext;
  readonly #format: BlockFormat;
  #documents: Document[] = [];
  #lines: Line[] = [];
  /** Number of lines in the block, including those not held. */
  #count = 0;
  /** Whether the lines not held include a row. */
  #dropsRow = false;
  #end = 0;
  readonly #starts: ((line: string) => boolean) | undefined;
  /** Whether the next record begins a document. */
  #startsDocument = false;

  constructor(context: ReadContext, format: BlockFormat) {
    this.#context = context;
    this.#format = format;
    this.#starts = format.recordStarts?.();
  }

  add(line: Line): void {
    if (line.bad === undefined && isBlank(line.text)) {
      this.finish();
      return;
    }
    if (this.#starts?.(textOf(line)) === true) this.finish();
    this.#end = line.end;
    this.#count += 1;
    // Beyond the limits, lines are only counted; the first ones are kept for the error.
    if (this.#lines.length === 0 || !this.#isPastLimits()) this.#lines.push(line);
    else this.#dropsRow ||= this.#isRow(line);
  }

  take(): readonly Document[] {
    const documents = this.#documents;
    this.#documents = [];
    return documents;
  }

  finish(): void {
    if (this.#lines.length === 0) return;
    const lines = this.#lines;
    const isRecord = this.#dropsRow || lines.some(line => this.#isRow(line));
    // A document mark between sentences belongs to the next sentence.
    if (lines.some(line => line.text.startsWith(documentMark))) this.#startsDocument = true;
    if (isRecord && this.#context.wanted?.(lines[0]!.start) !== false) this.#read(lines);
    this.#lines = [];
    this.#count = 0;
    this.#dropsRow = false;
  }

  #isRow({ bad, text }: Line): boolean {
    return bad !== undefined || !this.#format.isComment(text);
  }

  get #maxTokens(): number {
    return this.#format.maxTokens ?? defaultMaxTokens;
  }

  #isPastLimits(): boolean {
    return this.#isTooLong() || this.#count > this.#maxTokens;
  }

  #isTooLong(): boolean {
    return this.#end - this.#lines[0]!.start > this.#format.maxLineBytes;
  }

  #read(lines: readonly Line[]): void {
    const { number, start } = lines[0]!;
    const position = { source: this.#context.source, line: number, start, end: this.#end };
    const draft = this.#parse(lines);
    if (draft instanceof TagstreamError) {
      const cut = this.#isPastLimits() || lines.some(line => line.bad?.truncated === true);
      this.#context.onBad(badRecord(position, rawBytes(lines), draft, cut));
      return;
    }
    const raw = lines.map(line => line.text).join('\n');
    draft.raw = raw;
    if (this.#startsDocument) draft.startsDocument = true;
    this.#startsDocument = false;
    draft.format = this.#format.format;
    if (this.#format.maxTokens !== undefined) draft.maxTokens = this.#format.maxTokens;
    if (this.#context.deliver !== undefined) draft.delivery = this.#context.deliver(position, raw);
    this.#documents.push(draft);
  }

  #parse(lines: readonly Line[]): DocumentDraft | TagstreamError {
    const wrong = lines.find(line => line.bad !== undefined);
    if (wrong !== undefined) return wrong.bad!.error.at({ line: wrong.number });
    if (this.#isTooLong()) return tooLong(this.#end - lines[0]!.start, this.#format.maxLineBytes);
    if (this.#isPastLimits()) {
      return tooLarge(`a sentence of ${this.#count} lines`, String(this.#maxTokens));
    }
    try {
      return this.#format.parse(lines);
    } catch (thrown) {
      if (thrown instanceof TagstreamError) return thrown;
      throw thrown;
    }
  }
}

/** Returns the text of a line, as far as it could be read. */
function textOf({ bad, text }: Line): string {
  return bad === undefined ? text : Buffer.from(bad.raw).toString();
}

function tooLong(size: number, limit: number): TagstreamError {
  return new TagstreamError('too-long', `a sentence of ${size} bytes`, {
    fix: `the limit is ${limit}; put a blank line after each sentence, or raise maxLineBytes`,
  });
}

/** Returns the bytes of all lines, up to a truncated one. */
function rawBytes(lines: readonly Line[]): Uint8Array {
  const lineEnd = Uint8Array.of(10);
  const cut = lines.findIndex(({ bad }) => bad?.truncated === true);
  const known = cut < 0 ? lines : lines.slice(0, cut + 1);
  return Buffer.concat(
    known.flatMap((line, index) => {
      const bytes = line.bad?.raw ?? Buffer.from(line.text);
      return index === 0 ? [bytes] : [lineEnd, bytes];
    }),
  );
}
