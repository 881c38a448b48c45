import type { Position } from '../../../engine/core/delivery/delivery.js';
import type { BadRecord } from '../../../formats/bad-records/bad-record.js';
import type { Codec } from '../../../formats/codecs/codec.js';
import type { InputStream } from '../../../formats/reading/open-input.js';
import type { Block } from '../../io/blocks/block-cutter.js';
import { readFileBlocks } from '../../io/blocks/read-file-blocks.js';
import { inOrder } from '../../workers/in-order.js';
import type { WorkerPool } from '../../workers/worker-pool.js';
import type { BlockTask } from './block-task.js';

/** The source of blocks, and the workers that process them. */
export interface BlocksInWorkers<Setup, Result, Task extends BlockTask = BlockTask> {
  readonly files: readonly string[];
  /** The codec that `setup` describes. */
  readonly codec: Codec;
  /** The pool, not set up yet. */
  readonly pool: WorkerPool<Setup, Task, Result>;
  readonly setup: Setup;
  /** Returns the task for a block that has just been read. Default: the block alone. */
  readonly taskOf?: ((task: BlockTask, block: Block) => Task) | undefined;
  /** Called when one of the workers is set up, before it processes the first block. */
  readonly onReady?: (() => void) | undefined;
  /** Replaces the standard input of the process. */
  readonly stdin?: InputStream | undefined;
  /** Approximate number of bytes per block. */
  readonly blockBytes?: number | undefined;
  /** Position of the last record to skip. */
  readonly resumeAfter?: Position | undefined;
  /** Memory of finished blocks, for reuse by later ones. */
  readonly spare?: ArrayBuffer[] | undefined;
}

/** The result of a block, or of a record that is too long for one. */
export type BlockOutcome<Result> =
  | { readonly kind: 'block'; readonly result: Result }
  | { readonly kind: 'bad'; readonly bad: BadRecord };

/** Number of blocks held per worker: in progress, waiting for the worker, or waiting to be used. */
const blocksPerWorker = 6;

/** Minimum number of bytes for which sending a block to another thread pays off. */
const smallBytes = 16_384;

/**
 * Processes the blocks of files in worker threads, and uses the outcomes in the order of the input.
 *
 * Reading waits while `6 * pool.size` blocks are in flight, including unused ones.
 *
 * @param signal its abort ends the input; blocks already read are still processed and used
 * @returns whether the input was read to its end
 * @throws (rejects with) TagstreamError `file` if reading fails, `worker` if a worker dies, and errors of `use`
 */
export async function blocksInWorkers<Setup, Result, Task extends BlockTask>(
  {
    files,
    codec,
    pool,
    setup,
    taskOf = alone,
    onReady,
    stdin,
    blockBytes,
    spare,
    resumeAfter,
  }: BlocksInWorkers<Setup, Result, Task>,
  signal: AbortSignal,
  use: (outcome: BlockOutcome<Result>) => void | Promise<void>,
): Promise<boolean> {
  const failed = new AbortController();
  const ending = AbortSignal.any([signal, pool.signal, failed.signal]);
  const ready = pool.setUp(setup, onReady);
  // Awaited in the end.
  ready.catch(() => undefined);
  let ended = false;
  const blocks = async function* () {
    yield* readFileBlocks(files, {
      ...{ codec, signal: ending, stdin, blockBytes, spare, resumeAfter },
    });
    ended = !ending.aborted;
  };
  await inOrder(blocks(), {
    atMost: blocksPerWorker * pool.size,
    work: async (item): Promise<BlockOutcome<Result>> => {
      if (item.kind === 'bad') return item;
      const { source, block } = item;
      const task = taskOf({ source, block }, block);
      const memory = [block.bytes.buffer];
      if (task.room !== undefined) memory.push(task.room);
      const isSmall = block.bytes.length < smallBytes;
      return { kind: 'block', result: await pool.run(task, memory, isSmall) };
    },
    use,
    onFailure: () => failed.abort(),
  });
  // The input ends early when the pool does.
  await ready;
  pool.signal.throwIfAborted();
  return ended;
}

function alone<Task extends BlockTask>(block: BlockTask): Task {
  return block as Task;
}
