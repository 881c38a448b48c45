import { requireApart } from '../../../formats/files/require-apart.js';
import { readPipesAhead } from '../../../formats/reading/read-bytes.js';
import { DeadLetters, deadLetterPlace } from '../../io/dead-letters/dead-letters.js';
import { deadLetterOptionsOf } from '../definition/dead-letters.js';
import { learns, type Pipeline } from '../definition/pipeline.js';
import { pipelineFiles, readNamedPipes, requireFiles } from '../definition/pipeline-files.js';
import { runContext } from '../definition/run-context.js';
import { buildTraining } from '../stages/build-training.js';
import { requireAble } from '../tagging/run-tagging.js';
import { taggingRun } from '../tagging/tag-stream.js';
import { type LoadOptions, loadPipeline } from './load-pipeline.js';

/**
 * Checks a pipeline file as far as possible without reading a record: its form, the order of its stages, its templates,
 * the existence of the files that it names, and that none is both read and written.
 *
 * @throws TagstreamError `config`, `template`, `file`
 */
export async function validatePipeline(file: string, options: LoadOptions = {}): Promise<Pipeline> {
  await readPipesAhead([file]);
  const pipeline = loadPipeline(file, options);
  requireApart(
    pipelineFiles(pipeline, { deadLetters: deadLetterPlace(deadLetterOptionsOf(pipeline)) }),
  );
  await readNamedPipes(pipeline);
  const context = runContext(pipeline);
  if (learns(pipeline)) buildTraining(pipeline.plan, context);
  else {
    const run = taggingRun(pipeline, context, { deadLetters: new DeadLetters({ policy: 'fail' }) });
    requireAble(run, run.model.model);
  }
  await context.scope.dispose();
  const checked = (pipeline.checks ?? []).flatMap(({ on }) => (on === undefined ? [] : [on]));
  await requireFiles(pipeline, checked);
  return pipeline;
}
