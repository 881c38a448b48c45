import { loadPipeline } from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../src/runtime/pipeline/run/run-pipeline.js';

/** Trains a pipeline file in this process, which saves the start of a command where it is not looked at. */
export async function trainHere(file: string): Promise<void> {
  await runPipeline(loadPipeline(file), {});
}
