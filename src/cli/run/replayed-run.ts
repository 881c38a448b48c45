import { TagstreamError } from '../../core/errors.js';
import type { Pipeline } from '../../pipeline/definition/pipeline.js';
import { replayed } from '../../pipeline/definition/replayed.js';

/**
 * The pipeline of a `run --replay`.
 *
 * @param file of the letters
 * @param model where a trained model goes, if that is said
 * @throws TagstreamError `usage` if the model of the pipeline would become one of the letters alone, and
 * what `replayed` throws
 */
export function replayedRun(pipeline: Pipeline, file: string, model?: string): Pipeline {
  if (pipeline.trains && pipeline.model !== undefined && model === undefined) {
    throw new TagstreamError('usage', 'a replay would make a model of the letters alone', {
      place: { source: pipeline.file },
      fix: 'name another model with --model, or train on the source again with its records mended',
    });
  }
  return replayed(pipeline, file);
}
