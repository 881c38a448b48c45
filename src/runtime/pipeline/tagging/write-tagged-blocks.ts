import type { RunStatus } from '../../../engine/core/run-status.js';
import type { BadRecord } from '../../../formats/bad-records/bad-record.js';
import type { Codec } from '../../../formats/codecs/codec.js';
import type { InputStream } from '../../../formats/reading/open-input.js';
import type { ReadBlocksOptions } from '../../io/blocks/read-blocks.js';
import { readFileBlocks } from '../../io/blocks/read-file-blocks.js';
import type { DeadLetters } from '../../io/dead-letters/dead-letters.js';
import { endOutput, type Output } from '../../io/writing/open-output.js';
import { type BlockTask, receivedBad } from '../blocks/block-task.js';
import type { BlockProgress } from './progress/block-progress.js';
import type { TaggedBlock } from './tagging-run.js';

/** The destination of tagged blocks. */
export interface TaggedBlockSink {
  readonly output: Output;
  readonly deadLetters: DeadLetters;
  /** Called with the number of blank lines of each block. */
  readonly onBlank?: ((lines: number) => void) | undefined;
  /** Called for each block in which some results went under a separate key. */
  readonly onBelow?: (() => void) | undefined;
  /** Called with the number of records without a text that were redacted. */
  readonly onTextless?: ((records: number) => void) | undefined;
  /** Writes bad records with their error. */
  readonly codec?: Pick<Codec, 'writeBad'> | undefined;
  /** Receives the counts of records read and written, block by block. */
  readonly status?: RunStatus | undefined;
  /** Records the progress of the run. */
  readonly progress?: BlockProgress | undefined;
  /** Called when the input has been read to its end, before the output is committed. */
  readonly onEnd?: (() => void) | undefined;
}

/** Receives the results of blocks, in input order. */
export interface TaggedBlocks {
  /** Memory of finished blocks, for reuse by later ones. */
  readonly spare: ArrayBuffer[];
  /** @param done called with the number of written records */
  write(tagged: TaggedBlock, done?: (records: number) => void): Promise<void>;
  /** Rejects a record that is too long to be part of a block. */
  reject(bad: BadRecord): Promise<void>;
}

/**
 * Writes the blocks that `tag` passes on, and commits the output at the end.
 *
 * @param tag resolves to whether the input was read to its end
 * @returns the number of records written, and whether the input was read to its end
 * @throws (rejects with) TagstreamError `file` if writing fails, a bad record's error if the dead letters throw it, or
 *   errors of `tag`; the standard output then contains everything before it, whereas a file is not kept
 */
export async function writeTaggedBlocks(
  sink: TaggedBlockSink,
  tag: (to: TaggedBlocks) => Promise<boolean>,
): Promise<{ records: number; ended: boolean }> {
  const { output, deadLetters, status, progress } = sink;
  if (status !== undefined) status.badRecords = deadLetters;
  let records = 0;
  let ended = false;
  let failure: unknown;
  const spare: ArrayBuffer[] = [];
  try {
    ended = await tag({
      spare,
      write: async (tagged, done) => {
        if (tagged.spent !== undefined) spare.push(tagged.spent);
        const written = await writeTaggedBlock(tagged, sink);
        records += written;
        done?.(written);
      },
      reject: async bad => {
        if (status !== undefined) status.recordsIn += 1;
        deadLetters.add(bad);
        const line = deadLetters.passes(bad.error.code) ? sink.codec?.writeBad?.(bad) : undefined;
        if (line !== undefined) {
          await written(output, Buffer.from(line));
          if (status !== undefined) status.recordsOut += 1;
          records += 1;
        }
        progress?.rejected(bad.position);
      },
    });
    if (ended) sink.onEnd?.();
  } catch (thrown) {
    failure = thrown;
  }
  await endOutput(output, failure);
  return { records, ended };
}

/**
 * Emits the results of a block or, if a bad record ends the run, the results before it.
 *
 * @returns the number of records written
 * @throws (rejects with) errors of writing, or a bad record's error if the dead letters throw it
 */
async function writeTaggedBlock(
  { output: bytes, records, read, blank, bad, below, textless }: TaggedBlock,
  { output, deadLetters, onBlank, onBelow, onTextless, status }: TaggedBlockSink,
): Promise<number> {
  onBlank?.(blank);
  if (below !== undefined) onBelow?.();
  if (textless !== undefined) onTextless?.(textless);
  if (status !== undefined) status.recordsIn += read;
  const before = deadLetters.pass(read) - read;
  for (const record of bad) {
    try {
      deadLetters.add(receivedBad(record), before + record.number);
    } catch (thrown) {
      await written(output, bytes.subarray(0, record.outputBefore));
      throw thrown;
    }
  }
  await written(output, bytes);
  await deadLetters.caughtUp();
  if (status !== undefined) status.recordsOut += records;
  return records;
}

function written(output: Output, bytes: Uint8Array): Promise<void> {
  if (bytes.length === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    output.write(bytes, error => (error === undefined ? resolve() : reject(error)));
  });
}

interface TagBlocksOptions extends TaggedBlockSink {
  readonly files: readonly string[];
  readonly codec: ReadBlocksOptions['codec'] & Pick<Codec, 'writeBad'>;
  /** Tags a block with the newest model. */
  readonly tag: (task: BlockTask) => Promise<TaggedBlock>;
  /** Receives each block when it is written. */
  readonly onWritten?: ((tagged: TaggedBlock) => void) | undefined;
  /** Its abort ends the input; blocks already read are still tagged and written. */
  readonly signal: AbortSignal;
  /** Replaces the standard input of the process. */
  readonly stdin?: InputStream | undefined;
  /** Approximate number of bytes per block. */
  readonly blockBytes?: number | undefined;
}

/**
 * Tags files in blocks of whole records, in this thread, one block after the other. Commits the output at the
 * end. A slow reader of the output holds back the input.
 *
 * @returns the number of records written, and whether the input was read to its end
 * @throws (rejects with) TagstreamError `file` if reading or writing fails, or a bad record's error if the dead letters
 * throw it; the standard output then contains everything before it, whereas a file is not kept
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
