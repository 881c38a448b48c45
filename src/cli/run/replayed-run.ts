import { TagstreamError } from '../../core/errors.js';
import type { Pipeline } from '../../pipeline/definition/pipeline.js';
import { replayed } from '../../pipeline/definition/replayed.js';

/**
 * The pipeline of a `run --replay`.
 *
 * @param file of the rejected records
 * @param model where a trained model goes, if that is said
 * @throws TagstreamError `usage` if the model of the pipeline would become one of the rejected records alone, and
 * what `replayed` throws
 */
export function replayedRun(pipeline: Pipeline, file: string, model?: string): Pipeline {
  if (pipeline.trains && pipeline.model !== undefined && model === undefined) {
    throw new TagstreamError(
      'usage',
      'a replay would train a model on the rejected records alone',
      {
        place: { source: pipeline.file },
        fix: 'name another model with --model, or correct the records of the source and train on it again',
      },
    );
  }
  return replayed(pipeline, file);
}
