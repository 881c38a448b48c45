import { TagstreamError } from '../../../engine/core/errors.js';
import { standardStreams } from '../../../formats/files/standard-streams.js';
import { writtenFormat } from '../blocks/plain-format.js';
import type { Pipeline } from '../definition/pipeline.js';
import { sourceFiles, transportSetting } from '../definition/places.js';
import type { RunContext } from '../definition/run-context.js';
import { openSink, sinkCodec, sinkTarget } from '../open-sink.js';
import { storedDivision } from '../options/tokenize-options.js';
import type { TagPlan } from '../plan/plan.js';
import { modulesForThreads } from '../plugins/modules-for-threads.js';
import { noCheckpoints, pipelineSettings } from '../setup/restore-run.js';
import type { RunResult, RunWithDeadLetters } from '../setup/run-options.js';
import { budgetOf } from '../setup/run-source.js';
import { leastLimit, selectionOf, selects, withoutCommon } from '../sources/source-component.js';
import { AddedStages } from '../stages/added.js';
import { batchLimits } from '../stages/batch.js';
import { readDecoding } from '../stages/tag.js';
import { OpenModel } from './reload/open-model.js';
import { runTagging } from './run-tagging.js';
import type { TaggingCheckpoint, TaggingRun } from './tagging-run.js';

/** Runs a pipeline that only tags, with a model whose file may be replaced during the run. */
export async function tagStream(
  pipeline: Pipeline,
  context: RunContext,
  options: RunWithDeadLetters,
): Promise<Omit<RunResult, 'rejected'>> {
  const { records, stopped } = await runTagging(taggingRun(pipeline, context, options));
  return { sentencesSeen: 0, records, stopped, reproducible: true };
}

/**
 * Returns the run of a pipeline that only tags.
 *
 * @throws TagstreamError `file`, `config` and `model-...` for the files that it uses, and `config` for several workers
 *   if records must be processed one by one
 */
export function taggingRun(
  pipeline: Pipeline,
  { events, kernel, lock, paths, ledger }: RunContext,
  options: RunWithDeadLetters,
): TaggingRun {
  const plan = pipeline.plan as TagPlan;
  const { component, options: chosen } = plan.source;
  const { workers = 1, stdin, stdout, reloads, deadLetters, status } = options;
  const { signal = new AbortController().signal } = options;
  if (workers > 1) requireBlocks(pipeline, plan);
  const { scores, modelVersion } = plan.decode.options;
  const { file, format, output = 'record', rotate, only, redact } = plan.sink?.options ?? {};
  const { functions, plugins, sources } = pipeline.catalogue;
  const modules = () => modulesForThreads(plugins);
  const model = new OpenModel(
    {
      ...{ file: plan.model, column: plan.column, further: plan.further },
      ...{ tokenizer: plan.tokenize?.options.model, kernel, functions, modules },
    },
    workers > 1,
  );
  return {
    source: {
      files: sourceFiles(pipeline),
      format: {
        ...{ name: component.name, options: withoutCommon(chosen), replay: component.replays },
        to: format === undefined ? undefined : writtenFormat(format, model.spec.input),
      },
      codec: sinkCodec(pipeline, model.spec.input),
      sources,
      selection: { ...selectionOf(chosen), limit: leastLimit(chosen.limit, options.limit) },
      budget: budgetOf(pipeline),
      stdin: component.generated?.(chosen) ?? stdin,
      isGenerated: component.generated !== undefined,
      openTransport:
        chosen.from === undefined
          ? undefined
          : () => component.transport!(chosen, transportSetting(paths, false))!,
    },
    model,
    options: {
      ...readDecoding(plan.decode, paths),
      ...{ scores, output, redact, passesTextless: redact !== undefined },
    },
    modelVersion,
    tokenize: storedDivision(plan.tokenize?.options),
    added: plan.added.length === 0 ? undefined : new AddedStages(plan),
    batching: batchLimits(plan, { ledger }),
    sink: {
      open: () => openSink(pipeline, { stdout, signal }),
      target: sinkTarget(pipeline),
      file: paths.resolve(file ?? '-'),
      rotation: rotate,
      only,
      holdsWritten: stdout !== undefined && stdout !== standardStreams().stdout,
    },
    checkpoint: checkpointOf(pipeline, options, lock),
    ...{ workers, deadLetters, signal, status, events },
    onBlank: lines => {
      for (let line = 0; line < lines; line += 1) options.onBlank?.();
    },
    onReload:
      reloads &&
      (listener => {
        const requests = reloads.subscribe(listener);
        return () => requests.unsubscribe();
      }),
    place: pipeline.file,
  };
}

/** Returns the checkpoint options of the run, if the pipeline writes checkpoints. */
function checkpointOf(
  pipeline: Pipeline,
  { resume = false }: RunWithDeadLetters,
  lock: RunContext['lock'],
): TaggingCheckpoint | undefined {
  const { checkpoint } = pipeline.plan;
  if (checkpoint === undefined) {
    if (resume) throw noCheckpoints(pipeline);
    return undefined;
  }
  const { seconds, sentences: records, keep } = checkpoint.options;
  const { directory } = checkpoint;
  const { mayChange } = pipelineSettings(pipeline);
  return { directory, lock, seconds, records, keep, resume, identity: pipeline.config, mayChange };
}

/**
 * @throws TagstreamError `config` if threads have no blocks, because the pipeline processes records one by one or sends
 *   them as messages
 */
function requireBlocks({ file }: Pipeline, { source, sink, checkpoint, added }: TagPlan): void {
  const { component, options } = source;
  const [found] = [
    ...(options.from === undefined ? [] : ['records received as messages']),
    ...(sink?.options.to === undefined ? [] : ['records sent as messages']),
    ...(component.generated === undefined ? [] : [`the source ${component.name}`]),
    ...(selects(options) ? ['a source that reads part of its records'] : []),
    ...((sink?.options.only ?? 'all') === 'all' ? [] : ['a sink that writes part of the records']),
    ...added.map(({ component }) => `the plug-in stage ${component.name}`),
    ...(checkpoint?.options.sentences === undefined ? [] : ['checkpoints by sentences']),
  ];
  if (found === undefined) return;
  throw new TagstreamError('config', `several workers cannot be combined with ${found}`, {
    place: { source: file },
    fix: 'tag in one thread (leave workers out); with several threads, checkpoints go by seconds',
  });
}
