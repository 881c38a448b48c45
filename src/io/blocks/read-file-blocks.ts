import type { Position } from '../../core/delivery/delivery.js';
import type { InputStream } from '../reading/input-stream.js';
import { fileTransport } from '../transports/file-transport.js';
import { afterHandled } from './after-handled.js';
import { type BlockOrBad, type ReadBlocksOptions, readBlocks } from './read-blocks.js';

export interface ReadFileBlocksOptions
  extends Omit<ReadBlocksOptions, 'source' | 'from' | 'pauses'> {
  /** In place of the standard input of the process. */
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
