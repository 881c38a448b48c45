import type { RunStatus } from '../../core/run-status.js';
import type { DeadLetters } from '../../io/dead-letters/dead-letters.js';
import type { Output } from '../../io/writing/open-output.js';
import { receivedBad } from '../blocks/bad-in-block.js';
import type { BlockProgress } from './progress/block-progress.js';
import type { TaggedBlock } from './tagging-task.js';

/** Where tagged blocks go. */
export interface TaggedBlockSink {
  readonly output: Output;
  readonly deadLetters: DeadLetters;
  /** Called with the number of blank lines of each block. */
  readonly onBlank?: ((lines: number) => void) | undefined;
  /** Receives what was read and written, block by block. */
  readonly status?: RunStatus | undefined;
  /** Notes how far the run is. */
  readonly progress?: BlockProgress | undefined;
}

/**
 * Hands on what came of a block; if a bad record ends it all, what came before that.
 *
 * @returns the number of records written
 * @throws (rejects with) what writing fails with, a bad record's error where the dead letters throw it
 */
export async function writeTaggedBlock(
  { output: bytes, records, read, blank, bad }: TaggedBlock,
  { output, deadLetters, onBlank, status }: TaggedBlockSink,
): Promise<number> {
  onBlank?.(blank);
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
