import type { Document } from '../../engine/core/sentence/document.js';
import type { Resources } from '../../engine/features/resources/resources.js';
import { readRecord } from '../../formats/codecs/ndjson/read-record.js';
import { recipeFor, type Task } from '../../runtime/pipeline/training/recipe.js';
import { sizeOf, trainingOf } from '../../runtime/pipeline/training/task-request.js';
import { train } from '../../runtime/pipeline/training/train.js';

/** Input of a retraining. */
export interface RetrainTask {
  /** Answer lines. */
  readonly lines: readonly string[];
  /** Purpose of the labels, which together with the number of answers determines the recipe. */
  readonly preset: Task;
  /** See `ModelStart`. */
  readonly columns?: readonly string[] | undefined;
  readonly resources?: Resources | undefined;
  readonly seed: number;
}

/**
 * Trains a model from scratch on all accepted answers.
 *
 * @returns the model file; undefined if there is no accepted answer
 */
export async function retrain(task: RetrainTask): Promise<Uint8Array | undefined> {
  const corpus: Document[] = task.lines
    .map(line => readRecord(line))
    .filter(({ tags, partialTags }) => tags !== undefined || partialTags !== undefined);
  if (corpus.length === 0) return undefined;
  const recipe = recipeFor(task.preset, { ...sizeOf(corpus), stream: true });
  const { bytes } = await train({
    corpus,
    features: {
      preset: recipe.preset!,
      ...(task.columns === undefined ? {} : { columns: [...task.columns] }),
      ...(task.resources === undefined ? {} : { resources: task.resources }),
    },
    ...trainingOf(recipe),
    seed: task.seed,
    compact: false,
  });
  return bytes;
}
