import type { Position } from '../../../engine/core/delivery/delivery.js';
import type { Codec } from '../../../formats/codecs/codec.js';
import type { InputStream } from '../../../formats/reading/open-input.js';
import { fileTransport } from '../transports/file-transport.js';
import type { Block } from './block-cutter.js';
import { type BlockOrBad, type ReadBlocksOptions, readBlocks } from './read-blocks.js';

export interface ReadFileBlocksOptions
  extends Omit<ReadBlocksOptions, 'source' | 'from' | 'pauses'> {
  /** Stream that replaces the standard input of the process. */
  readonly stdin?: InputStream | undefined;
  /** Position of the last record to skip; everything before it is skipped too. */
  readonly resumeAfter?: Position | undefined;
}

/** Bytes per chunk: each chunk costs a round trip to another thread, whatever its length. */
const chunkBytes = 262_144;

/**
 * Reads files in sequence as blocks of whole records, each block from one file; `-` is the standard input, gzip is
 * detected by content.
 *
 * @throws TagstreamError `file` if a file cannot be read, after the preceding blocks; `checkpoint` if `resumeAfter`
 *   is in none of the files
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
      // All bytes of a file count as available, even if the disk is slow.
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
 * Yields the blocks of a stream without the records handled by an earlier run.
 *
 * @param handled end offset of the last handled record, before its line end
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
    // The handled part may end within a truncated line.
    const at = handled - block.offset;
    const from = at < 0 ? 0 : recordsAreLines ? block.bytes.indexOf(LF, at) + 1 : at;
    const rest = at >= 0 && from === 0 ? undefined : restOf(block, from);
    if (rest !== undefined) yield { ...item, block: rest };
  }
}

/** Returns the part of a block from an offset on; undefined if it is empty. */
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
