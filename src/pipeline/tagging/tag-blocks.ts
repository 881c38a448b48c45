import type { ReadBlocksOptions } from '../../io/blocks/read-blocks.js';
import { readFileBlocks } from '../../io/blocks/read-file-blocks.js';
import type { Codec } from '../../io/codecs/codec.js';
import type { InputStream } from '../../io/reading/input-stream.js';
import type { BlockTask } from '../blocks/block-task.js';
import type { TaggedBlock } from './tagging-run.js';
import { type TaggedBlockSink, writeTaggedBlocks } from './write-tagged-blocks.js';

export interface TagBlocksOptions extends TaggedBlockSink {
  readonly files: readonly string[];
  readonly codec: ReadBlocksOptions['codec'] & Pick<Codec, 'writeBad'>;
  /** Tags a block, by the newest model. */
  readonly tag: (task: BlockTask) => Promise<TaggedBlock>;
  /** Receives each block when it is written. */
  readonly onWritten?: ((tagged: TaggedBlock) => void) | undefined;
  /** Its abort ends the input; what has been read is still tagged and written. */
  readonly signal: AbortSignal;
  /** In place of the standard input of the process. */
  readonly stdin?: InputStream | undefined;
  /** About the bytes of a block. */
  readonly blockBytes?: number | undefined;
}

/**
 * Tags files in blocks of whole records, in this thread, one block after the other. Commits the output at the
 * end. A slow reader of the output holds back the input.
 *
 * @returns the number of records written, and whether the input was read to its end
 * @throws (rejects with) TagstreamError `file` if reading or writing fails, a bad record's error where
 * the dead letters throw it; what came before it is written to the standard output, whereas a file is not
 * kept
 */
export async function tagBlocks(
  options: TagBlocksOptions,
): Promise<{ records: number; ended: boolean }> {
  const { files, codec, tag, signal, stdin, blockBytes, progress } = options;
  return writeTaggedBlocks(options, async to => {
    const { spare } = to;
    const resumeAfter = progress?.resumeAfter;
    const reading = { codec, signal, stdin, blockBytes, spare, resumeAfter };
    for await (const item of readFileBlocks(files, reading)) {
      if (item.kind === 'bad') {
        await to.reject(item.bad);
        continue;
      }
      const done = progress?.begin(item.source, item.block);
      const tagged = await tag(item);
      await to.write(tagged, done);
      options.onWritten?.(tagged);
    }
    return !signal.aborted;
  });
}
