import { isBlankByte, pastMarks } from '../lines/line-bytes.js';
import type { StreamStart } from '../lines/line-splitter.js';

const LF = 10;

/** How records follow each other, as a codec says it. */
export interface RecordBounds {
  /** A record ends with its line; else with the next blank line. */
  readonly recordsAreLines: boolean;
  readonly maxRecordBytes: number;
  /** As in `Codec`. */
  readonly recordStarts?: () => (line: string) => boolean;
}

/** Bytes of whole lines, and where in their source they begin. */
export interface PlacedBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly offset: number;
  /** Number of the first line, from 1. */
  readonly line: number;
}

/** Whole records. */
export interface Block extends PlacedBytes {
  /** Ends of lines in it. */
  readonly lineEnds: number;
}

/** By how much an unfinished record is longer than allowed before it is treated apart. */
const slack = 65_536;

/**
 * Cuts a byte stream between records, without reading them: what comes out is to be read by itself.
 *
 * Time is linear in the bytes. What is held is bounded by `blockBytes`, `maxRecordBytes` and the chunk,
 * as long as blocks are taken while `isFull`, and pieces while `isLong`.
 *
 * @example
 * const bytes = text => new TextEncoder().encode(text);
 * const cutter = new BlockCutter({ recordsAreLines: true, maxRecordBytes: 100 }, 4);
 * cutter.push(bytes('one\ntwo\nth'));
 * const { bytes: first, offset, line } = cutter.take();
 * [first.length, offset, line] // => [4, 0, 1]
 * cutter.push(bytes('ree'));
 * cutter.take().offset // => 4
 * cutter.rest() // => ({ bytes: bytes('three'), offset: 8, line: 3, lineEnds: 0 })
 */
export class BlockCutter {
  readonly #bounds: RecordBounds;
  readonly #blockBytes: number;
  readonly #spare: ArrayBuffer[];
  #buffer: Buffer = Buffer.allocUnsafe(0);
  #length = 0;
  /** Where the bytes that are held begin in the source. */
  #offset: number;
  #line: number;
  /** Places in the bytes that are held: how far they were looked at, and the line that lies there. */
  #seen = 0;
  #lineStart = 0;
  /** Line ends up to `#seen`, and up to `#recordEnd`: the last end of a record, or 0. */
  #lineEnds = 0;
  #recordEnd = 0;
  #lineEndsOfRecord = 0;
  readonly #starts: ((line: string) => boolean) | undefined;
  /** In the middle of a record that is too long: only its end is looked for. */
  #inLong = false;

  /**
   * @param blockBytes size of the blocks; they end with the first record that reaches it
   * @param spare memory that blocks may lie in, taken from its end; blocks have memory of their own otherwise
   * @param from where the stream begins in its source
   */
  constructor(
    bounds: RecordBounds,
    blockBytes: number,
    spare: ArrayBuffer[] = [],
    from: StreamStart = { offset: 0, line: 1 },
  ) {
    this.#offset = from.offset;
    this.#line = from.line;
    this.#bounds = bounds;
    this.#starts = bounds.recordStarts?.();
    this.#blockBytes = blockBytes;
    this.#spare = spare;
  }

  /** Where the bytes that come next begin. */
  get offset(): number {
    return this.#offset;
  }

  /** The line that comes next, from 1. */
  get line(): number {
    return this.#line;
  }

  /** Whether there is a whole record. */
  get hasRecord(): boolean {
    return this.#recordEnd > 0;
  }

  /** Whether there is a block of the wanted size. */
  get isFull(): boolean {
    return this.#recordEnd >= this.#blockBytes;
  }

  /** Whether the record that has begun is too long for certain, though its end is not there yet. */
  get isLong(): boolean {
    // The line that is open may be blank, and no part of the record.
    const limit = this.#bounds.maxRecordBytes + slack;
    return this.#lineStart - this.#recordEnd > limit || this.#length - this.#lineStart > limit;
  }

  /** Adds bytes. The chunk is not kept. */
  push(chunk: Uint8Array): void {
    const length = this.#length + chunk.length;
    if (length > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(length, 2 * this.#buffer.length));
      this.#buffer.copy(grown, 0, 0, this.#length);
      this.#buffer = grown;
    }
    this.#buffer.set(chunk, this.#length);
    this.#length = length;
    this.#look();
  }

  /** The whole records that there are, up to a block. */
  take(): Block {
    const block = this.#cut(this.#recordEnd, this.#lineEndsOfRecord);
    this.#look();
    return block;
  }

  /** All that there is, at the end of the stream. */
  rest(): Block {
    return this.#cut(this.#length, this.#lineEnds);
  }

  /**
   * The bytes of a record that is too long: to its end if that is there, else all that surely belongs
   * to it. To be called when no whole record comes before it.
   */
  takeLong(): { readonly piece: Block; readonly ended: boolean } {
    this.#inLong = !this.hasRecord;
    if (this.hasRecord) return { piece: this.take(), ended: true };
    // A line that may still turn out to be blank stays; one that is too long is not blank.
    const open = this.#length - this.#lineStart;
    const end = open > this.#bounds.maxRecordBytes ? this.#length : this.#lineStart;
    return { piece: this.#cut(end, this.#lineEnds), ended: false };
  }

  #cut(end: number, lineEnds: number): Block {
    const spare = this.#spare.pop();
    const isEnough = spare !== undefined && spare.byteLength >= end;
    const bytes = isEnough ? new Uint8Array(spare, 0, end) : new Uint8Array(end);
    bytes.set(this.#buffer.subarray(0, end));
    const block = { bytes, offset: this.#offset, line: this.#line, lineEnds };
    this.#buffer.copyWithin(0, end, this.#length);
    this.#length -= end;
    this.#offset += end;
    this.#line += lineEnds;
    this.#seen = Math.max(0, this.#seen - end);
    this.#lineStart -= end;
    this.#lineEnds -= lineEnds;
    this.#recordEnd = 0;
    this.#lineEndsOfRecord = 0;
    return block;
  }

  /** Looks for ends of records until there is a block. */
  #look(): void {
    const target = this.#inLong ? 1 : this.#blockBytes;
    const { recordsAreLines } = this.#bounds;
    const held = this.#buffer.subarray(0, this.#length);
    while (this.#recordEnd < target) {
      const lineEnd = held.indexOf(LF, this.#seen);
      if (lineEnd < 0) {
        this.#seen = this.#length;
        return;
      }
      this.#seen = lineEnd + 1;
      if (this.#startsRecord(lineEnd)) {
        this.#recordEnd = this.#lineStart;
        this.#lineEndsOfRecord = this.#lineEnds;
      }
      this.#lineEnds += 1;
      if (recordsAreLines || this.#isBlank(lineEnd)) {
        this.#recordEnd = this.#seen;
        this.#lineEndsOfRecord = this.#lineEnds;
      }
      this.#lineStart = this.#seen;
    }
  }

  /** Whether a record begins with the line that ends here, and there is one before it. */
  #startsRecord(lineEnd: number): boolean {
    if (this.#starts === undefined || this.#lineStart < 0) return false;
    return (
      this.#starts(this.#buffer.toString('utf8', this.#lineStart, lineEnd)) && this.#lineStart > 0
    );
  }

  /** Whether the line that ends here is blank, as `isBlank` has it, and not too long to be read. */
  #isBlank(lineEnd: number): boolean {
    const start = this.#lineStart;
    if (start < 0 || lineEnd - start > this.#bounds.maxRecordBytes) return false;
    for (let at = pastMarks(this.#buffer, start, lineEnd); at < lineEnd; at += 1) {
      if (!isBlankByte(this.#buffer[at]!)) return false;
    }
    return true;
  }
}

/** Bytes of a block that are read at a time. */
const sliceBytes = 65_536;

/**
 * The bytes of a block in small pieces, so that few records are in memory at a time.
 *
 * @example
 * [...slices(new Uint8Array(70_000))].map(slice => slice.length) // => [65536, 4464]
 */
export function* slices(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (let start = 0; start < bytes.length; start += sliceBytes) {
    yield bytes.subarray(start, start + sliceBytes);
  }
}
