import type { Document } from '../../core/sentence/document.js';
import type { Resources } from '../../features/resources/resources.js';
import { readRecord } from '../../io/codecs/ndjson/read-record.js';
import { train } from '../../pipeline/training/train.js';
import { retrainSettings } from './retrain-settings.js';

/** What a retraining needs. */
export interface RetrainTask {
  /** Lines of answers. */
  readonly lines: readonly string[];
  readonly preset: string;
  /** See `ModelStart`. */
  readonly columns?: readonly string[] | undefined;
  readonly resources?: Resources | undefined;
  readonly seed: number;
}

/**
 * Trains a model from scratch on all accepted answers.
 *
 * @returns its file; undefined where there is no accepted answer
 */
export async function retrain(task: RetrainTask): Promise<Uint8Array | undefined> {
  const corpus: Document[] = task.lines
    .map(line => readRecord(line))
    .filter(({ tags, partialTags }) => tags !== undefined || partialTags !== undefined);
  if (corpus.length === 0) return undefined;
  const { epochs, adagrad } = retrainSettings;
  const { bytes } = await train({
    corpus,
    features: {
      preset: task.preset,
      ...(task.columns === undefined ? {} : { columns: [...task.columns] }),
      ...(task.resources === undefined ? {} : { resources: task.resources }),
    },
    trainer: { adagrad },
    epochs,
    seed: task.seed,
    compact: false,
  });
  return bytes;
}
