import type { Pipeline } from '../../definition/pipeline.js';
import { loadPipeline, parsePipeline } from '../../loading/load-pipeline.js';
import type { FoldSetup } from './fold-task.js';

/**
 * The pipeline whose folds are trained.
 *
 * @throws TagstreamError as `loadPipeline`
 */
export function foldPipeline({ file, text, set }: Omit<FoldSetup, 'kernel'>): Pipeline {
  return text === undefined ? loadPipeline(file, { set }) : parsePipeline(text, file, { set });
}
