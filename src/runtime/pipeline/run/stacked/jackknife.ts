import type { FirstModel } from '../../../../engine/models/decoding/first-model.js';
import { threadFile } from '../../../thread-file.js';
import { inThreads } from '../../../workers/in-threads.js';
import { type FirstRequest, firstPipeline, firstSetup } from './first-pipeline.js';
import {
  type FirstTraining,
  firstModel,
  sentencesOf,
  type TrainedFirst,
  trainFirst,
} from './first-training.js';

/** Number of parts of the corpus; each is tagged by a model trained on the others. */
const parts = 5;

/** Cost of all parts, in trainings on the whole corpus. */
export const jackknifeCost = parts;

/** Options of jack-knifing. */
export interface JackknifeOptions {
  /** Maximum number of trainings at the same time, each in a thread; if 1, in this thread. */
  readonly workers: number;
  /** Ends jack-knifing; all results are then lost. */
  readonly signal?: AbortSignal | undefined;
  /** Called before each training with its number, from 1. */
  readonly onTraining?: ((number: number, of: number) => void) | undefined;
}

/**
 * Trains a first model on its whole source, and tags the source as later sentences will be tagged: each of five parts
 * of consecutive records by a model trained on the other four. Costs six trainings, and the memory of `workers`
 * trainings; the result is the same for any number of workers.
 *
 * @returns the model and the tags; undefined if it was stopped
 * @throws (rejects with) the errors of training
 */
export async function jackknifed(
  request: FirstRequest,
  { workers, signal, onTraining }: JackknifeOptions,
): Promise<FirstModel | undefined> {
  const { text, file, second, limit } = request;
  const pipeline = firstPipeline(text, file, second, limit);
  const records = (await sentencesOf(pipeline)).filter(({ part }) => part.index === 0).length;
  const dealt = { of: parts, run: Math.max(1, Math.ceil(records / parts)) };
  const tasks: FirstTraining[] = Array.from({ length: parts }, (_, part) => ({ ...dealt, part }));
  tasks.push(dealt);
  const known = new Map<string, readonly string[]>();
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  const use = (trained: TrainedFirst | undefined) => {
    bytes = trained?.bytes;
    for (const [place, tags] of trained?.known ?? []) known.set(place, tags);
  };
  const begin = (task: FirstTraining) => onTraining?.(tasks.indexOf(task) + 1, tasks.length);
  if (workers > 1) {
    await inThreads(threadFile('runtime/pipeline/run/stacked/first-worker'), {
      ...{ size: workers, setup: firstSetup(request), tasks, signal, begin, use },
    });
  } else {
    for (const task of tasks) {
      if (signal?.aborted === true) break;
      begin(task);
      use(await trainFirst(pipeline, task, signal));
    }
  }
  return bytes && firstModel(pipeline, bytes, known);
}
