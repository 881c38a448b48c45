import { readFileSync } from 'node:fs';
import type { Document } from '../../core/sentence/document.js';
import type { Resources } from '../../features/resources/resources.js';
import { readRecord } from '../../io/codecs/ndjson/read-record.js';
import { train } from '../../pipeline/training/train.js';

/** What a retraining needs. */
export interface RetrainTask {
  /** Files of answers. */
  readonly files: readonly string[];
  readonly preset: string;
  readonly resources?: Resources | undefined;
  readonly seed: number;
}

/** Passes: more hardly change scores at the sizes that people label. */
const epochs = 12;

/**
 * Trains a model from scratch on all accepted answers.
 *
 * @returns its file; undefined where there is no accepted answer
 */
export async function retrain(task: RetrainTask): Promise<Uint8Array | undefined> {
  const corpus = task.files.flatMap(labelledRecords);
  if (corpus.length === 0) return undefined;
  const { bytes } = await train({
    corpus,
    features: {
      preset: task.preset,
      ...(task.resources === undefined ? {} : { resources: task.resources }),
    },
    trainer: { sgd: { eta0: 0.2, l2: 0.5 } },
    epochs,
    seed: task.seed,
    compact: false,
  });
  return bytes;
}

function labelledRecords(file: string): Document[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines
    .filter(line => line.trim() !== '')
    .map(line => readRecord(line))
    .filter(({ tags, partialTags }) => tags !== undefined || partialTags !== undefined);
}
