import { Observable, type Subscriber } from 'rxjs';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { RunStatus } from '../../core/run-status.js';
import type { DeadLetters } from '../../io/dead-letters/dead-letters.js';
import type { Model } from '../../models/model.js';
import type { WorkerPool } from '../../workers/worker-pool.js';
import { receivedBad } from '../blocks/bad-in-block.js';
import type { BlockTask } from '../blocks/block-task.js';
import { type BlocksInWorkers, blocksInWorkers } from '../blocks/blocks-in-workers.js';
import { BlockJoiner } from './block-joiner.js';
import type { ExtractedBlock, ExtractionSetup } from './extraction-task.js';

/** A pool whose module is `extract-worker.js`. */
export type ExtractionPool = WorkerPool<ExtractionSetup, BlockTask, ExtractedBlock>;

export interface ExtractInWorkersOptions extends BlocksInWorkers<ExtractionSetup, ExtractedBlock> {
  /** That of `setup.spec`, not frozen, without a cutoff; gets the labels and features. */
  readonly model: Model;
  readonly deadLetters: DeadLetters;
  /** Called for each blank line that was skipped. */
  readonly onBlank?: (() => void) | undefined;
  /** Receives what was read, block by block. */
  readonly status?: RunStatus | undefined;
}

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
    void run(options, subscriber, ended.signal);
    return () => ended.abort();
  });
}

async function run(
  options: ExtractInWorkersOptions,
  subscriber: Subscriber<EncodedSentence>,
  ended: AbortSignal,
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

function extract(
  options: ExtractInWorkersOptions,
  subscriber: Subscriber<EncodedSentence>,
  ended: AbortSignal,
): Promise<boolean> {
  const { model, deadLetters, onBlank, status } = options;
  if (status !== undefined) status.badRecords = deadLetters;
  const joiner = new BlockJoiner(model);
  return blocksInWorkers(options, ended, async outcome => {
    if (subscriber.closed) return;
    if (outcome.kind === 'bad') {
      if (status !== undefined) status.recordsIn += 1;
      deadLetters.add(outcome.bad);
      return;
    }
    const block = outcome.result;
    if (status !== undefined) status.recordsIn += block.read;
    const before = deadLetters.pass(block.read) - block.read;
    for (const bad of block.bad) deadLetters.add(receivedBad(bad), before + bad.number);
    for (let line = 0; line < block.blank; line += 1) onBlank?.();
    for (const sentence of joiner.join(block)) subscriber.next(sentence);
    await deadLetters.caughtUp();
  });
}
