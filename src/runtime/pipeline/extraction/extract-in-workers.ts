import type { Observable } from 'rxjs';
import type { EncodedSentence } from '../../../engine/core/minibatch/encoded-sentence.js';
import type { Model } from '../../../engine/models/model.js';
import type { WorkerPool } from '../../workers/worker-pool.js';
import { type BlockTask, receivedBad } from '../blocks/block-task.js';
import { type BlocksInWorkers, blocksInWorkers } from '../blocks/blocks-in-workers.js';
import { BlockJoiner, type ExtractedBlock, type ExtractionSettings } from './block-joiner.js';
import { encodedBy, type ReadingReport, reportBad, reportBlock } from './reading.js';

/** A pool whose module is `extract-worker.js`. */
export type ExtractionPool = WorkerPool<ExtractionSettings, BlockTask, ExtractedBlock>;

export interface ExtractInWorkersOptions
  extends BlocksInWorkers<ExtractionSettings, ExtractedBlock>,
    ReadingReport {
  /** The model described by `setup.spec`, to which labels and features are added; not frozen, without a cutoff. */
  readonly model: Model;
}

/**
 * Returns the labelled sentences of files, read and encoded in worker threads, in input order: label numbers and
 * feature rows are the same as with one thread, for any number of workers.
 *
 * The sentences have no text and no delivery. Allows only one subscription, which closes the pool at its end.
 *
 * Errors with TagstreamError `file` if reading fails, a bad record's error if the dead letters throw it,
 * `worker` if a worker dies.
 */
export function extractInWorkers(options: ExtractInWorkersOptions): Observable<EncodedSentence> {
  const { pool, model, deadLetters, status } = options;
  return encodedBy(async (next, signal) => {
    if (status !== undefined) status.badRecords = deadLetters;
    const joiner = new BlockJoiner(model);
    try {
      await blocksInWorkers(options, signal, async outcome => {
        if (signal.aborted) return;
        if (outcome.kind === 'bad') {
          reportBad(outcome.bad, options);
          return;
        }
        const { result } = outcome;
        const bad = result.bad.map(each => ({ number: each.number, bad: receivedBad(each) }));
        reportBlock({ ...result, bad }, options);
        for (const sentence of joiner.join(result)) next(sentence);
        await deadLetters.caughtUp();
      });
    } finally {
      await pool.close();
    }
  });
}
