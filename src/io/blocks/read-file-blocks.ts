import type { Readable } from 'node:stream';
import { openInput } from '../reading/open-input.js';
import { type BlockOrBad, type ReadBlocksOptions, readBlocks } from './read-blocks.js';

export interface ReadFileBlocksOptions extends Omit<ReadBlocksOptions, 'source'> {
  /** In place of the standard input of the process. */
  readonly stdin?: Readable | undefined;
}

/** Each chunk is a task for another thread and an answer, however long it is. */
const chunkBytes = 262_144;

/**
 * Files one after the other in blocks of whole records, each block of one file; `-` is the standard input,
 * gzip is recognised by its content.
 *
 * @throws TagstreamError `file` if one cannot be read, after the blocks before it
 */
export async function* readFileBlocks(
  files: readonly string[],
  { stdin, ...options }: ReadFileBlocksOptions,
): AsyncGenerator<BlockOrBad, void, undefined> {
  for (const file of files) {
    if (options.signal.aborted) return;
    const input = await openInput(file, { stdin, chunkBytes });
    try {
      const { source, chunks } = input;
      yield* readBlocks(chunks, { source, ...options });
    } finally {
      input.close();
    }
  }
}
