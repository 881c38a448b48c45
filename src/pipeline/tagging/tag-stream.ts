import { type Observable, type OperatorFunction, pipe } from 'rxjs';
import type { Document } from '../../core/sentence/document.js';
import type { TaggedDocument } from '../../core/sentence/tagged-document.js';
import { tokenize } from '../../operators/tokenize.js';
import type { RunEvents } from '../definition/events.js';
import type { Pipeline } from '../definition/pipeline.js';
import type { RunContext } from '../definition/run-context.js';
import { sourceFiles } from '../definition/source-files.js';
import { openSink } from '../open-sink.js';
import type { TagPlan } from '../plan/plan.js';
import { noCheckpoints } from '../setup/restore-run.js';
import type { RunResult, RunWithDeadLetters } from '../setup/run-options.js';
import { runSink } from '../setup/run-sink.js';
import { runSource } from '../setup/run-source.js';
import { buildTagging } from '../stages/build-tagging.js';
import { tagInPipelineMessages } from './messages/tag-in-pipeline-messages.js';
import { requireSpans } from './mixed-tagger.js';
import { ModelDigest } from './progress/model-digest.js';
import { type OpenProgress, openProgress } from './progress/open-progress.js';
import { requireTagger } from './reload/require-tagger.js';
import { runTagging } from './run-tagging.js';
import { formatInBlocks, tagInPipelineBlocks } from './tag-in-pipeline-blocks.js';

/** Runs a pipeline that only tags, with a model whose file may be replaced meanwhile. */
export async function tagStream(
  pipeline: Pipeline,
  context: RunContext,
  options: RunWithDeadLetters,
): Promise<Omit<RunResult, 'rejected'>> {
  const format = formatInBlocks(pipeline, options);
  const inBlocks =
    format === undefined
      ? undefined
      : await tagInPipelineBlocks(pipeline, format, context, options);
  const without = inBlocks ?? (await tagInPipelineMessages(pipeline, context, options));
  if (without !== undefined) return without;
  const plan = pipeline.plan as TagPlan;
  let ended = false;
  const isStopped = () => !ended && options.signal?.aborted === true;
  const stages = () => taggingStages(plan, context);
  const digest = new ModelDigest(plan.model);
  const progress = await progressOf(pipeline, context, options, { digest, isStopped });
  const documents = runSource(pipeline, context, options, {
    signal: options.signal,
    onEnd: () => {
      ended = true;
    },
    ...progress?.reading,
  });
  const write = async (tagged: Observable<TaggedDocument>) => {
    const { stdout, signal } = options;
    const output = progress?.output ?? (await openSink(pipeline, { stdout, signal }));
    options.status?.begin();
    const { deadLetters } = options;
    return runSink(tagged, pipeline, context, output, { deadLetters, ...progress?.hooks });
  };
  const events: RunEvents = {
    ...context.events,
    onReloaded: () => {
      digest.renew();
      context.events.onReloaded?.();
    },
  };
  const { reloads } = options;
  try {
    const records = await runTagging({ documents, makeStages: stages, write, events, reloads });
    return { sentencesSeen: 0, records, stopped: isStopped(), reproducible: true };
  } catch (thrown) {
    // Stages that cannot be made have not come to use it.
    await progress?.output.abort();
    throw thrown;
  } finally {
    await context.scope.dispose();
  }
}

/** Checkpoints of the run, if the pipeline writes any. */
async function progressOf(
  pipeline: Pipeline,
  { lock, paths }: RunContext,
  { resume = false, deadLetters, status, events }: RunWithDeadLetters,
  { digest, isStopped }: { readonly digest: ModelDigest; readonly isStopped: () => boolean },
): Promise<OpenProgress | undefined> {
  const { checkpoint } = pipeline.plan;
  if (checkpoint === undefined) {
    if (resume) throw noCheckpoints(pipeline);
    return undefined;
  }
  const { directory } = checkpoint;
  const { seconds, sentences: records, keep } = checkpoint.options;
  return openProgress({
    ...{ directory, seconds, records, keep, resume, deadLetters, status, isStopped },
    lock: lock!,
    inputs: sourceFiles(pipeline),
    format: pipeline.source.component.name,
    file: paths.resolve(pipeline.sink?.file ?? '-'),
    rotation: pipeline.sink?.rotate,
    config: () => ({ ...pipeline.config, modelDigest: digest.value }),
    events,
  });
}

/** All stages as one, with the model as its file is now. */
function taggingStages(
  plan: TagPlan,
  context: RunContext,
): OperatorFunction<Document, TaggedDocument> {
  const { model, tokenizer, encode, tag } = buildTagging(plan, context);
  requireTagger(model, plan.model);
  if (plan.sink?.options.redact !== undefined) requireSpans(model);
  return pipe(tokenize(tokenizer), encode, tag);
}
