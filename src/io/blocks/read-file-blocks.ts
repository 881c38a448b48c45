import type { Position } from '../../core/delivery/delivery.js';
import type { Codec } from '../codecs/codec.js';
import type { InputStream } from '../reading/open-input.js';
import { fileTransport } from '../transports/file-transport.js';
import type { Block } from './block-cutter.js';
import { type BlockOrBad, type ReadBlocksOptions, readBlocks } from './read-blocks.js';

export interface ReadFileBlocksOptions
  extends Omit<ReadBlocksOptions, 'source' | 'from' | 'pauses'> {
  /** Replaces the standard input of the process. */
  readonly stdin?: InputStream | undefined;
  /** Passes over all up to this record, itself included. */
  readonly resumeAfter?: Position | undefined;
}

/** Each chunk is a task for another thread and an answer, however long it is. */
const chunkBytes = 262_144;

/**
 * Files one after the other in blocks of whole records, each block of one file; `-` is the standard input,
 * gzip is recognised by its content.
 *
 * @throws TagstreamError `file` if one cannot be read, after the blocks before it; `checkpoint` if `resumeAfter` lies
 *   in none of them
 */
export async function* readFileBlocks(
  files: readonly string[],
  { stdin, resumeAfter, ...options }: ReadFileBlocksOptions,
): AsyncGenerator<BlockOrBad, void, undefined> {
  const { signal, codec } = options;
  if (signal.aborted) return;
  const request = { after: resumeAfter, seeks: codec.recordsAreLines, signal };
  const reading = { stdin, chunkBytes, intoLines: codec.intoLines };
  for await (const stream of fileTransport(files, reading).open(request)) {
    const { source, chunks, handled } = stream;
    try {
      // Of a file all bytes are there, though the disk may take a while.
      const pauses = stream.left() === undefined;
      const blocks = readBlocks(chunks, { source, from: stream, pauses, ...options });
      yield* handled === 0 ? blocks : afterHandled(blocks, handled, codec);
    } finally {
      stream.close();
    }
    if (signal.aborted) return;
  }
}

const LF = 10;

/**
 * The blocks of a stream without the records that an earlier run has handled.
 *
 * @param handled offset of the end of the last of these records, before its line end
 */
async function* afterHandled(
  blocks: AsyncIterable<BlockOrBad>,
  handled: number,
  { recordsAreLines }: Pick<Codec, 'recordsAreLines'>,
): AsyncGenerator<BlockOrBad, void, undefined> {
  for await (const item of blocks) {
    if (item.kind === 'bad') {
      if (item.bad.position.start >= handled) yield item;
      continue;
    }
    const { block } = item;
    // A line that is cut off belongs to what was handled.
    const at = handled - block.offset;
    const from = at < 0 ? 0 : recordsAreLines ? block.bytes.indexOf(LF, at) + 1 : at;
    const rest = at >= 0 && from === 0 ? undefined : restOf(block, from);
    if (rest !== undefined) yield { ...item, block: rest };
  }
}

/** What comes at and after a place in a block; undefined if there is nothing. */
function restOf(block: Block, from: number): Block | undefined {
  const { bytes, offset, line, lineEnds } = block;
  if (from === 0) return block;
  if (from >= bytes.length) return undefined;
  const passed = bytes.subarray(0, from).reduce((sum, byte) => sum + (byte === LF ? 1 : 0), 0);
  return {
    bytes: bytes.slice(from),
    ...{ offset: offset + from, line: line + passed, lineEnds: lineEnds - passed },
  };
}
