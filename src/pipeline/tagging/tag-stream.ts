import type { Observable, OperatorFunction } from 'rxjs';
import type { Document } from '../../core/sentence/document.js';
import type { TaggedSentence } from '../../core/sentence/sentence.js';
import type { TaggedDocument } from '../../core/sentence/tagged-document.js';
import type { RunEvents } from '../definition/events.js';
import type { Pipeline } from '../definition/pipeline.js';
import { type RunGiven, RunSetup } from '../definition/run-setup.js';
import { sourceFiles } from '../definition/source-files.js';
import { openSink } from '../open-sink.js';
import { noCheckpoints } from '../setup/restore-run.js';
import { runOperators } from '../setup/run-operators.js';
import type { RunResult, RunWithDeadLetters } from '../setup/run-options.js';
import { assembled, runSink } from '../setup/run-sink.js';
import { runSource } from '../setup/run-source.js';
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
  given: Omit<RunGiven, 'restored'>,
  options: RunWithDeadLetters,
): Promise<Omit<RunResult, 'rejected'>> {
  const format = formatInBlocks(pipeline, options);
  const inBlocks =
    format === undefined ? undefined : await tagInPipelineBlocks(pipeline, format, given, options);
  const without = inBlocks ?? (await tagInPipelineMessages(pipeline, given, options));
  if (without !== undefined) return without;
  const setup = new RunSetup({ ...given, restored: undefined });
  let ended = false;
  const isStopped = () => !ended && options.signal?.aborted === true;
  const stages = () =>
    stagesOf(
      pipeline,
      new RunSetup({ ...given, restored: undefined, ledger: setup.ledger }),
      options,
    );
  const digest = new ModelDigest(pipeline.plan.model!);
  const progress = await progressOf(pipeline, setup, options, { digest, isStopped });
  const documents = runSource(pipeline, setup, options, {
    signal: options.signal,
    onEnd: () => {
      ended = true;
    },
    ...progress?.reading,
  });
  const write = async (tagged: Observable<TaggedDocument>) => {
    const { stdout, signal } = options;
    const output = progress?.output ?? (await openSink(pipeline, setup, { stdout, signal }));
    options.status?.begin();
    const { deadLetters } = options;
    return runSink(tagged, pipeline, setup, output, { deadLetters, ...progress?.hooks });
  };
  const events: RunEvents = {
    ...given.events,
    onReloaded: () => {
      digest.renew();
      given.events.onReloaded?.();
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
    await setup.end();
  }
}

/** Checkpoints of the run, if the pipeline writes any. */
async function progressOf(
  pipeline: Pipeline,
  setup: RunSetup,
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
    lock: setup.lock!,
    inputs: sourceFiles(pipeline),
    format: pipeline.source.component.name,
    file: setup.path(pipeline.sink?.file ?? '-'),
    rotation: pipeline.sink?.rotate,
    config: () => ({ ...pipeline.config, modelDigest: digest.value }),
    events,
  });
}

/** All stages as one, with the model as its file is now. */
function stagesOf(
  pipeline: Pipeline,
  setup: RunSetup,
  options: RunWithDeadLetters,
): OperatorFunction<Document, TaggedDocument> {
  const { reading, learning } = runOperators(pipeline, setup, options);
  requireTagger(setup.model, pipeline.plan.model ?? pipeline.file);
  if (pipeline.sink?.redact !== undefined) requireSpans(setup.model);
  return source => {
    let stream: Observable<unknown> = source;
    for (const operator of [...reading, ...learning]) stream = stream.pipe(operator);
    return assembled(stream as Observable<TaggedSentence>, setup);
  };
}
