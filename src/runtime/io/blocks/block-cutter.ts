import { isBlankByte, pastMarks } from '../../../formats/lines/line-bytes.js';
import type { StreamStart } from '../../../formats/lines/line-splitter.js';

const LF = 10;

/** How records are separated, as defined by a codec. */
export interface RecordBounds {
  /** Whether a record ends with its line; otherwise, it ends with the next blank line. */
  readonly recordsAreLines: boolean;
  readonly maxRecordBytes: number;
  /** Detects the first lines of records, as in `Codec`. */
  readonly recordStarts?: () => (line: string) => boolean;
}

/** Bytes of whole lines, and their position in the source. */
export interface PlacedBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly offset: number;
  /** Number of the first line, from 1. */
  readonly line: number;
}

/** Whole records. */
export interface Block extends PlacedBytes {
  /** Number of line ends in the block. */
  readonly lineEnds: number;
}

/** Bytes by which an unfinished record may exceed the maximum before it is treated separately. */
const slack = 65_536;

/**
 * Cuts a byte stream between records without parsing them, into blocks that can be read independently.
 *
 * Time is linear in the bytes. Memory is bounded by `blockBytes`, `maxRecordBytes` and the chunk, as
 * long as blocks are taken while `isFull`, and pieces while `isLong`.
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
  /** Offset of the held bytes in their source. */
  #offset: number;
  #line: number;
  /** Positions in the held bytes: the end of the scanned part, and the start of the current line. */
  #seen = 0;
  #lineStart = 0;
  /** Numbers of line ends up to `#seen` and up to `#recordEnd`, which is the end of the last complete record, or 0. */
  #lineEnds = 0;
  #recordEnd = 0;
  #lineEndsOfRecord = 0;
  readonly #starts: ((line: string) => boolean) | undefined;
  /** Whether the current record is too long: only its end is searched for. */
  #inLong = false;

  /**
   * @param blockBytes size of the blocks; each ends with the record that reaches it
   * @param spare reusable memory for blocks, taken from the end; without it, each block allocates its own
   * @param from position of the stream in its source
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

  /** Offset of the next bytes. */
  get offset(): number {
    return this.#offset;
  }

  /** Number of the next line, from 1. */
  get line(): number {
    return this.#line;
  }

  /** Whether a complete record is available. */
  get hasRecord(): boolean {
    return this.#recordEnd > 0;
  }

  /** Whether a full block is available. */
  get isFull(): boolean {
    return this.#recordEnd >= this.#blockBytes;
  }

  /** Whether the current record is certainly too long, even before its end has been read. */
  get isLong(): boolean {
    // The unfinished line may be blank, and not part of the record.
    const limit = this.#bounds.maxRecordBytes + slack;
    return this.#lineStart - this.#recordEnd > limit || this.#length - this.#lineStart > limit;
  }

  /** Adds bytes. Does not keep the chunk. */
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

  /** Returns the complete records, up to one block. */
  take(): Block {
    const block = this.#cut(this.#recordEnd, this.#lineEndsOfRecord);
    this.#look();
    return block;
  }

  /** Returns everything left at the end of the stream. */
  rest(): Block {
    return this.#cut(this.#length, this.#lineEnds);
  }

  /**
   * Returns bytes of an overlong record: up to its end if that has been read, otherwise everything that certainly
   * belongs to it. Requires that no complete record precedes it.
   */
  takeLong(): { readonly piece: Block; readonly ended: boolean } {
    this.#inLong = !this.hasRecord;
    if (this.hasRecord) return { piece: this.take(), ended: true };
    // A line that may still turn out to be blank is held back; an overlong one is not blank.
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

  /** Searches for record ends until a block is full. */
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

  /** Whether the line that ends here begins a record, and another record precedes it. */
  #startsRecord(lineEnd: number): boolean {
    if (this.#starts === undefined || this.#lineStart < 0) return false;
    return (
      this.#starts(this.#buffer.toString('utf8', this.#lineStart, lineEnd)) && this.#lineStart > 0
    );
  }

  /** Whether the line that ends here is blank according to `isBlank`; long lines are not checked. */
  #isBlank(lineEnd: number): boolean {
    const start = this.#lineStart;
    if (start < 0 || lineEnd - start > this.#bounds.maxRecordBytes) return false;
    for (let at = pastMarks(this.#buffer, start, lineEnd); at < lineEnd; at += 1) {
      if (!isBlankByte(this.#buffer[at]!)) return false;
    }
    return true;
  }
}

/** Number of a block's bytes read at a time. */
const sliceBytes = 65_536;

/**
 * Yields a block's bytes in small slices, so that few records are in memory at a time.
 *
 * @example
 * [...slices(new Uint8Array(70_000))].map(slice => slice.length) // => [65536, 4464]
 */
export function* slices(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (let start = 0; start < bytes.length; start += sliceBytes) {
    yield bytes.subarray(start, start + sliceBytes);
  }
}
