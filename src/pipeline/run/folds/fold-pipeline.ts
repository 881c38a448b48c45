import type { KernelName } from '../../../models/kernels.js';
import type { Pipeline } from '../../definition/pipeline.js';
import { loadPipeline, parsePipeline } from '../../loading/load-pipeline.js';

/**
 * The pipeline whose folds are trained.
 *
 * @throws TagstreamError as `loadPipeline`
 */
export function foldPipeline({ file, text, set }: Omit<FoldSetup, 'kernel'>): Pipeline {
  return text === undefined ? loadPipeline(file, { set }) : parsePipeline(text, file, { set });
}

/** What a worker needs to load the pipeline whose folds it trains; plain data. */
export interface FoldSetup {
  readonly file: string;
  /** What takes the place of the contents of the file. */
  readonly text: string | undefined;
  /** Overrides. */
  readonly set: readonly string[];
  readonly kernel: KernelName | undefined;
}
