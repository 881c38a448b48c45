import type { Block } from '../../io/blocks/block-cutter.js';
import { endOutput } from '../../io/writing/end-output.js';
import type { WorkerPool } from '../../workers/worker-pool.js';
import type { BlockTask } from '../blocks/block-task.js';
import { type BlocksInWorkers, blocksInWorkers } from '../blocks/blocks-in-workers.js';
import type { NewModel, TaggedBlock, TaggingSetup, TaggingTask } from './tagging-task.js';
import { type TaggedBlockSink, writeTaggedBlock } from './write-tagged-block.js';

/** A pool whose module is `tag-worker.js`. */
export type TaggingPool = WorkerPool<TaggingSetup, TaggingTask, TaggedBlock>;

export interface TagInWorkersOptions
  extends Omit<BlocksInWorkers<TaggingSetup, TaggedBlock, TaggingTask>, 'taskOf'>,
    TaggedBlockSink {
  /** Its abort ends the input; what has been read is still tagged and written. */
  readonly signal: AbortSignal;
  /** The model for blocks that are read from now on, where it is no longer that of the setup. */
  readonly newModel?: (() => NewModel | undefined) | undefined;
  /** Called when the input was read to its end, before the output is committed. */
  readonly onEnd?: (() => void) | undefined;
}

/**
 * Tags files in worker threads, and writes the results in the order of the input: the bytes are those
 * that one thread would write. Commits the output at the end.
 *
 * @returns the number of records written, and whether the input was read to its end
 * @throws (rejects with) TagstreamError `file` if reading or writing fails, a bad record's error where
 * the dead letters throw it, `worker` if a worker dies, `model-...` for the model; what came before it is
 * written to the standard output, whereas a file is not kept
 */
export async function tagInWorkers(
  options: TagInWorkersOptions,
): Promise<{ records: number; ended: boolean }> {
  const { output, deadLetters, signal, newModel, status, progress } = options;
  const begun: ((records: number) => void)[] = [];
  if (status !== undefined) status.badRecords = deadLetters;
  const taskOf = (task: BlockTask, block: Block): TaggingTask => {
    if (progress !== undefined) begun.push(progress.begin(task.source, block));
    return { ...task, model: newModel?.() };
  };
  let records = 0;
  let ended = false;
  let failure: unknown;
  const spare: ArrayBuffer[] = [];
  try {
    const resumeAfter = progress?.resumeAfter;
    ended = await blocksInWorkers(
      { ...options, taskOf, spare, resumeAfter },
      signal,
      async outcome => {
        if (outcome.kind === 'block') {
          if (outcome.result.spent !== undefined) spare.push(outcome.result.spent);
          const written = await writeTaggedBlock(outcome.result, options);
          records += written;
          begun.shift()?.(written);
          return;
        }
        if (status !== undefined) status.recordsIn += 1;
        deadLetters.add(outcome.bad);
        progress?.rejected(outcome.bad.position);
      },
    );
    if (ended) options.onEnd?.();
  } catch (thrown) {
    failure = thrown;
  }
  await endOutput(output, failure);
  return { records, ended };
}
