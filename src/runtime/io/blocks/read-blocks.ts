import type { Position } from '../../../engine/core/delivery/delivery.js';
import type { BadRecord } from '../../../formats/bad-records/bad-record.js';
import type { Codec } from '../../../formats/codecs/codec.js';
import type { StreamStart } from '../../../formats/lines/line-splitter.js';
import { announceIfLarge } from '../sources/large-record.js';
import { waitFor } from '../sources/wait-for.js';
import { type Block, BlockCutter } from './block-cutter.js';

/** A block of whole records, or an overlong record. */
export type BlockOrBad =
  | { readonly kind: 'block'; readonly source: string; readonly block: Block }
  | { readonly kind: 'bad'; readonly bad: BadRecord };

export interface ReadBlocksOptions {
  /** Name of the stream in positions and errors. */
  readonly source: string;
  readonly codec: Pick<
    Codec,
    'read' | 'recordsAreLines' | 'recordStarts' | 'maxRecordBytes' | 'intoLines'
  >;
  /** Signal that ends the blocks when aborted: the complete records read so far form the last block. */
  readonly signal: AbortSignal;
  /**
   * Approximate size of a block in bytes. Default 32 KiB: text with several result columns then occupies its thread for
   * 160 ms per block.
   */
  readonly blockBytes?: number | undefined;
  /** Position of the stream in its source. Default: its beginning. */
  readonly from?: StreamStart | undefined;
  /** Whether the stream may pause, like a pipe whose writer is idle. Default true. */
  readonly pauses?: boolean | undefined;
  /** Buffers of processed blocks for reuse; removed from the list when taken. */
  readonly spare?: ArrayBuffer[] | undefined;
}

const defaultBlockBytes = 32_768;

/**
 * Splits a byte stream into blocks of whole records. A block is emitted when it is full, or when no more bytes are
 * available: no record waits for a timer, and bytes that arrive while a block is processed form the next one. A codec
 * that reads block by block finds the same records as in the stream.
 *
 * A record longer than the codec's maximum is read here, in pieces, and emitted as a bad record.
 *
 * @throws the error of `chunks`, after the preceding blocks
 * @example
 * const chunks = [new TextEncoder().encode('{"id":1}\n{"id"'), new TextEncoder().encode(':2}\n')];
 * const options = { source: 'a', codec: ndjsonCodec(), signal: new AbortController().signal, blockBytes: 4 };
 * const found = [];
 * for await (const { block } of readBlocks(chunks, options)) found.push([block.line, block.offset, block.bytes.length]);
 * found // => [[1, 0, 9], [2, 9, 9]]
 */
export function readBlocks(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: ReadBlocksOptions,
): AsyncGenerator<BlockOrBad, void, undefined> {
  return new BlockReading(chunks, options).blocks();
}

/** Outcome of requesting a chunk. */
type Pulled = 'more' | 'end' | 'late' | 'stopped';

class BlockReading {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #options: ReadBlocksOptions;
  readonly #cutter: BlockCutter;
  #coming: Promise<IteratorResult<Uint8Array>> | undefined;

  constructor(
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    options: ReadBlocksOptions,
  ) {
    this.#chunks = eachOf(chunks);
    this.#options = options;
    const { codec, blockBytes = defaultBlockBytes, spare, from } = options;
    this.#cutter = new BlockCutter(codec, blockBytes, spare, from);
  }

  async *blocks(): AsyncGenerator<BlockOrBad, void, undefined> {
    const cutter = this.#cutter;
    const { pauses = true } = this.#options;
    for (;;) {
      let pulled: Pulled;
      try {
        pulled = await this.#pull(cutter.hasRecord && pauses);
      } catch (thrown) {
        if (cutter.hasRecord) yield this.#passedOn(cutter.take());
        throw thrown;
      }
      if (pulled === 'end') break;
      const isDue = pulled !== 'more' || cutter.isLong;
      while (cutter.isFull || (isDue && cutter.hasRecord)) yield this.#passedOn(cutter.take());
      if (cutter.isLong) {
        const bad = await this.#readLong();
        if (bad !== undefined) yield { kind: 'bad', bad };
      }
      if (pulled === 'stopped') return;
    }
    const rest = cutter.rest();
    if (rest.bytes.length > 0) yield this.#passedOn(rest);
  }

  #passedOn(block: Block): BlockOrBad {
    announceIfLarge(block.bytes.length);
    return { kind: 'block', source: this.#options.source, block };
  }

  /** Adds the next chunk to the cutter; with `untilTurn`, only if it is already available. */
  async #pull(untilTurn = false): Promise<Pulled> {
    if (this.#coming === undefined) {
      this.#coming = this.#chunks.next();
      // The error surfaces when the chunk is requested, which may be after a pause.
      this.#coming.catch(() => undefined);
    }
    const next = await waitFor(this.#coming, { untilTurn, signal: this.#options.signal });
    if (next === 'late' || next === 'stopped') return next;
    this.#coming = undefined;
    if (next.done === true) return 'end';
    this.#cutter.push(next.value);
    return 'more';
  }

  /** Skips the current overlong record, of which only the error is kept. */
  async #readLong(): Promise<BadRecord | undefined> {
    const { codec, source, signal } = this.#options;
    const { offset, line } = this.#cutter;
    let found: BadRecord | undefined;
    const onBad = (bad: BadRecord) => {
      found = bad;
    };
    const from = { offset, line, atLineStart: true };
    for await (const documents of codec.read(this.#pieces(), { source, from, onBad })) {
      throw new Error(`${documents.length} records where one was too long`);
    }
    return signal.aborted ? undefined : found;
  }

  async *#pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const { piece, ended } = this.#cutter.takeLong();
      yield piece.bytes;
      if (ended) return;
      const pulled = await this.#pull();
      if (pulled === 'more') continue;
      if (pulled === 'end') yield this.#cutter.rest().bytes;
      return;
    }
  }
}

function eachOf(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
  async function* each(): AsyncGenerator<Uint8Array, void, undefined> {
    yield* chunks;
  }
  return each();
}

const LF = 10;

/**
 * Returns the position from which a run resumes when all records of a block have been handled: that of its last line.
 *
 * @example
 * const block = { bytes: new TextEncoder().encode('one\ntwo\n'), offset: 10, line: 4, lineEnds: 2 };
 * blockEnd('a', block) // => ({ source: 'a', line: 5, start: 17, end: 17 })
 */
export function blockEnd(source: string, { bytes, offset, line, lineEnds }: Block): Position {
  const closed = bytes.at(-1) === LF ? 1 : 0;
  const end = offset + bytes.length - closed;
  return { source, line: line + lineEnds - closed, start: end, end };
}
