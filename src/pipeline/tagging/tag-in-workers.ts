import type { Readable } from 'node:stream';
import type { TagstreamError } from '../../core/errors.js';
import type { BlockOrBad } from '../../io/blocks/read-blocks.js';
import { readFileBlocks } from '../../io/blocks/read-file-blocks.js';
import type { Codec } from '../../io/codec.js';
import type { DeadLetters } from '../../io/dead-letters.js';
import { endOutput } from '../../io/end-output.js';
import type { Output } from '../../io/open-output.js';
import { inOrder } from '../../workers/in-order.js';
import { portableError, receivedError } from '../../workers/portable-error.js';
import type { WorkerPool } from '../../workers/worker-pool.js';
import type { BlockTask, TaggedBlock, TaggingSetup } from './block-task.js';

/** A pool whose module is `tag-worker.js`. */
export type TaggingPool = WorkerPool<TaggingSetup, BlockTask, TaggedBlock>;

export interface TagInWorkersOptions {
  readonly files: readonly string[];
  /** The codec of `setup`. */
  readonly codec: Codec;
  /** Not set up yet. */
  readonly pool: TaggingPool;
  readonly setup: TaggingSetup;
  readonly output: Output;
  readonly deadLetters: DeadLetters;
  /** Its abort ends the input; what has been read is still tagged and written. */
  readonly signal: AbortSignal;
  /** Called with the number of blank lines of each block. */
  readonly onBlank?: ((lines: number) => void) | undefined;
  /** In place of the standard input of the process. */
  readonly stdin?: Readable | undefined;
  /** About the bytes of a block. */
  readonly blockBytes?: number | undefined;
}

/** Blocks for each worker that are held at a time: at work, waiting for it, waiting to be written. */
const blocksPerWorker = 3;

/**
 * Tags files in worker threads, and writes the results in the order of the input: the bytes are those
 * that one thread would write. Commits the output at the end.
 *
 * Reading waits while `3 * pool.size` blocks are under way, the unwritten ones among them.
 *
 * @returns the number of records written
 * @throws (rejects with) TagstreamError `file` if reading or writing fails, a bad record's error where
 * the dead letters throw it, `worker` if a worker dies, `model-...` for the model; what came before it is
 * written to the standard output, whereas a file is not kept
 */
export async function tagInWorkers(options: TagInWorkersOptions): Promise<{ records: number }> {
  const { files, codec, pool, output, stdin, blockBytes } = options;
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, pool.signal, failed.signal]);
  let records = 0;
  let failure: unknown;
  try {
    const ready = pool.setUp(options.setup);
    ready.catch(() => undefined);
    await inOrder(readFileBlocks(files, { codec, signal, stdin, blockBytes }), {
      atMost: blocksPerWorker * pool.size,
      work: item => tagged(item, pool),
      use: async result => {
        records += await write(result, options);
      },
      onFailure: () => failed.abort(),
    });
    // The input ends early when the pool does.
    await ready;
    pool.signal.throwIfAborted();
  } catch (thrown) {
    failure = thrown;
  }
  await endOutput(output, failure);
  return { records };
}

async function tagged(item: BlockOrBad, pool: TaggingPool): Promise<TaggedBlock> {
  if (item.kind === 'block') {
    const { source, block } = item;
    return pool.run({ source, block }, [block.bytes.buffer]);
  }
  const { error, ...place } = item.bad;
  const bad = { ...place, error: portableError(error), outputBefore: 0 };
  return { output: new Uint8Array(0), records: 0, blank: 0, bad: [bad] };
}

/** Hands on what came of a block; if a bad record ends it all, what came before that. */
async function write(
  { output: bytes, records, blank, bad }: TaggedBlock,
  { output, deadLetters, onBlank }: TagInWorkersOptions,
): Promise<number> {
  onBlank?.(blank);
  for (const { outputBefore, error, ...place } of bad) {
    try {
      deadLetters.add({ ...place, error: receivedError(error) as TagstreamError });
    } catch (thrown) {
      await written(output, bytes.subarray(0, outputBefore));
      throw thrown;
    }
  }
  await written(output, bytes);
  return records;
}

function written(output: Output, bytes: Uint8Array): Promise<void> {
  if (bytes.length === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    output.write(bytes, error => (error === undefined ? resolve() : reject(error)));
  });
}
