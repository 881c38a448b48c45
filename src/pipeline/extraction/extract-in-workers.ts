import type { Readable } from 'node:stream';
import { Observable, type Subscriber } from 'rxjs';
import type { EncodedSentence } from '../../core/encoded-sentence.js';
import type { TagstreamError } from '../../core/errors.js';
import type { BadRecord } from '../../io/bad-record.js';
import type { BlockOrBad } from '../../io/blocks/read-blocks.js';
import { readFileBlocks } from '../../io/blocks/read-file-blocks.js';
import type { Codec } from '../../io/codec.js';
import type { DeadLetters } from '../../io/dead-letters.js';
import type { Model } from '../../models/model.js';
import { inOrder } from '../../workers/in-order.js';
import { receivedError } from '../../workers/portable-error.js';
import type { WorkerPool } from '../../workers/worker-pool.js';
import type { BlockTask } from '../tagging/block-task.js';
import { BlockJoiner } from './block-joiner.js';
import type { ExtractedBlock, ExtractionSetup } from './extraction-task.js';

/** A pool whose module is `extract-worker.js`. */
export type ExtractionPool = WorkerPool<ExtractionSetup, BlockTask, ExtractedBlock>;

export interface ExtractInWorkersOptions {
  readonly files: readonly string[];
  /** The codec of `setup`. */
  readonly codec: Codec;
  /** Not set up yet; it is closed at the end. */
  readonly pool: ExtractionPool;
  readonly setup: ExtractionSetup;
  /** That of `setup.spec`, not frozen, without a cutoff; gets the labels and features. */
  readonly model: Model;
  readonly deadLetters: DeadLetters;
  /** Called for each blank line that was passed over. */
  readonly onBlank?: (() => void) | undefined;
  /** In place of the standard input of the process. */
  readonly stdin?: Readable | undefined;
  /** About the bytes of a block. */
  readonly blockBytes?: number | undefined;
}

/** Blocks for each worker that are held at a time: at work, waiting for it, waiting to be joined. */
const blocksPerWorker = 3;

/**
 * The labelled sentences of files, read and encoded in worker threads, in the order of the input: numbers
 * of labels and rows of features are those that one thread would give, for any number of workers.
 *
 * The sentences have no text and no delivery. One subscription, as the pool is closed with it.
 *
 * Errors with TagstreamError `file` if reading fails, a bad record's error where the dead letters throw
 * it, `worker` if a worker dies.
 */
export function extractInWorkers(options: ExtractInWorkersOptions): Observable<EncodedSentence> {
  return new Observable(subscriber => {
    const ended = new AbortController();
    void run(options, subscriber, ended);
    return () => ended.abort();
  });
}

async function run(
  options: ExtractInWorkersOptions,
  subscriber: Subscriber<EncodedSentence>,
  ended: AbortController,
): Promise<void> {
  const { pool } = options;
  try {
    await extract(options, subscriber, ended);
    await pool.close();
    subscriber.complete();
  } catch (thrown) {
    await pool.close();
    subscriber.error(thrown);
  }
}

async function extract(
  options: ExtractInWorkersOptions,
  subscriber: Subscriber<EncodedSentence>,
  ended: AbortController,
): Promise<void> {
  const { files, codec, pool, model, deadLetters, onBlank, stdin, blockBytes } = options;
  const signal = AbortSignal.any([pool.signal, ended.signal]);
  const joiner = new BlockJoiner(model);
  const ready = pool.setUp(options.setup);
  ready.catch(() => undefined);
  await inOrder(readFileBlocks(files, { codec, signal, stdin, blockBytes }), {
    atMost: blocksPerWorker * pool.size,
    work: item => extracted(item, pool),
    use: ({ bad, block }) => {
      if (subscriber.closed) return;
      for (const record of bad) deadLetters.add(record);
      if (block === undefined) return;
      for (let line = 0; line < block.blank; line += 1) onBlank?.();
      for (const sentence of joiner.join(block)) subscriber.next(sentence);
    },
    onFailure: () => ended.abort(),
  });
  // The input ends early when the pool does.
  await ready;
  pool.signal.throwIfAborted();
}

/** What came of a block, or of a record that is too long to be one of a block. */
interface Extracted {
  readonly bad: readonly BadRecord[];
  readonly block?: ExtractedBlock;
}

async function extracted(item: BlockOrBad, pool: ExtractionPool): Promise<Extracted> {
  if (item.kind === 'bad') return { bad: [item.bad] };
  const { source, block: task } = item;
  const block = await pool.run({ source, block: task }, [task.bytes.buffer]);
  const bad = block.bad.map(({ error, ...place }) => ({
    ...place,
    error: receivedError(error) as TagstreamError,
  }));
  return { bad, block };
}
