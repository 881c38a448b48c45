import { resolve } from 'node:path';
import { TagstreamError } from '../../core/errors.js';
import { checkpointDirectory } from '../definition/checkpoint-directory.js';
import { heldSentences } from '../definition/held-sentences.js';
import type { Pipeline } from '../definition/pipeline.js';
import type { RunGiven } from '../definition/run-setup.js';
import { sourceFiles } from '../definition/source-files.js';
import { transportSetting } from '../definition/transport-setting.js';
import { openSink, sinkTarget } from '../open-sink.js';
import { readRules } from '../options/rule-options.js';
import { type TokenizeStageOptions, tokenizeOptions } from '../options/tokenize-options.js';
import { modulesForThreads } from '../plugins/modules-for-threads.js';
import { noCheckpoints } from '../setup/restore-run.js';
import type { RunResult, RunWithDeadLetters } from '../setup/run-options.js';
import {
  type BudgetOptions,
  leastLimit,
  selectionOf,
  selects,
  withoutCommon,
} from '../sources/common-options.js';
import type { TagStageOptions } from '../stages/tag.js';
import { OpenModel } from './reload/open-model.js';
import { runTagging } from './run-tagging.js';
import { taggingModel } from './tagging-model.js';
import { readDictionary } from './tagging-options.js';
import type { TaggingCheckpoint, TaggingRun } from './tagging-run.js';

/** What a run of a pipeline brings along beside its options. */
type Given = Pick<RunGiven, 'events' | 'kernel' | 'lock'>;

/** Runs a pipeline that only tags, with a model whose file may be replaced meanwhile. */
export async function tagStream(
  pipeline: Pipeline,
  given: Given,
  options: RunWithDeadLetters,
): Promise<Omit<RunResult, 'rejected'>> {
  const { records, stopped } = await runTagging(taggingRun(pipeline, given, options));
  return { sentencesSeen: 0, records, stopped, reproducible: true };
}

/**
 * What a pipeline that only tags comes to.
 *
 * @throws TagstreamError `file`, `config` and `model-...` for the files that it tags with, `config` for several workers where
 *   records have to be looked at one by one
 */
export function taggingRun(
  pipeline: Pipeline,
  { events, kernel, lock }: Given,
  options: RunWithDeadLetters,
): TaggingRun {
  const { source, sink, catalogue, file, baseDirectory } = pipeline;
  const { component, options: chosen } = source;
  const { workers = 1, stdin, stdout, reloads, deadLetters, status } = options;
  const { signal = new AbortController().signal } = options;
  if (workers > 1) requireBlocks(pipeline);
  const stage = <Options>(name: string) =>
    pipeline.stages.find(({ component }) => component.name === name)?.options as
      | Options
      | undefined;
  const path = (named: string) => (named === '-' ? named : resolve(baseDirectory, named));
  const { dictionary, rules, modelVersion, ...decoding } = stage<TagStageOptions>('tag')!;
  const words = typeof dictionary === 'string' ? path(dictionary) : dictionary;
  const { functions, plugins, sources } = catalogue;
  const modules = () => modulesForThreads(plugins);
  return {
    source: {
      files: sourceFiles(pipeline),
      format: { name: component.name, options: withoutCommon(chosen), replay: component.replays },
      codec: component.codec(chosen),
      sources,
      selection: { ...selectionOf(chosen), limit: leastLimit(chosen.limit, options.limit) },
      budget: budgetOf(chosen, heldSentences(pipeline)),
      stdin: component.generated?.(chosen) ?? stdin,
      isGenerated: component.generated !== undefined,
      openTransport:
        chosen.from === undefined
          ? undefined
          : () => component.transport!(chosen, transportSetting({ path }, false))!,
    },
    model: new OpenModel(
      { file: taggingModel(pipeline) ?? file, kernel, functions, modules },
      workers > 1,
    ),
    options: {
      ...decoding,
      ...(words === undefined ? {} : { dictionary: readDictionary(words) }),
      rules: readRules(rules, { path }),
      output: sink?.output ?? 'record',
      redact: sink?.redact,
    },
    modelVersion,
    tokenize: stage<TokenizeStageOptions>('tokenize') ?? tokenizeOptions.parse({}),
    batching: { milliseconds: 0, ...given(stage<object>('batch')!) },
    sink: {
      open: () => openSink(pipeline, { path }, { stdout, signal }),
      target: sinkTarget(pipeline, { path }),
      file: path(sink?.file ?? '-'),
      rotation: sink?.rotate,
      only: sink?.only,
      holdsWritten: stdout !== undefined && stdout !== process.stdout,
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
    place: file,
  };
}

/** Checkpoints of the run, if the pipeline writes any. */
function checkpointOf(
  pipeline: Pipeline,
  { resume = false }: RunWithDeadLetters,
  lock: Given['lock'],
): TaggingCheckpoint | undefined {
  const directory = checkpointDirectory(pipeline);
  if (directory === undefined) {
    if (resume) throw noCheckpoints(pipeline);
    return undefined;
  }
  const { seconds, sentences, keep } = pipeline.stages.at(-1)!.options as Readonly<
    Record<string, number | undefined>
  >;
  const { config: identity } = pipeline;
  return { directory, lock, seconds, records: sentences, keep, resume, identity };
}

/** Records in flight: those that wait for their batch, and more. */
function budgetOf(
  { budget, budgetBytes }: BudgetOptions,
  held: number,
): TaggingRun['source']['budget'] {
  const items = budget ?? Math.max(10_000, 2 * held);
  return budgetBytes === undefined ? { items } : { items, bytes: budgetBytes };
}

/** The options that are there. */
function given<Options extends object>(options: Options): Partial<Options> {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<Options>;
}

/**
 * @throws TagstreamError `config` where a pipeline has its records looked at one by one, or sent as messages, so that threads
 *   have no blocks of them
 */
function requireBlocks({ source, sink, stages, file }: Pipeline): void {
  const { component, options } = source;
  const checkpoint = stages.find(each => each.component.name === 'checkpoint');
  const [found] = [
    ...(options.from === undefined ? [] : ['records that come as messages']),
    ...(sink?.to === undefined ? [] : ['records that are sent as messages']),
    ...(component.generated === undefined ? [] : [`the source ${component.name}`]),
    ...(selects(options) ? ['a source that reads a part of its records'] : []),
    ...((sink?.only ?? 'all') === 'all' ? [] : ['a sink that writes a part of the records']),
    ...(checkpoint?.options.sentences === undefined ? [] : ['checkpoints every so many sentences']),
  ];
  if (found === undefined) return;
  throw new TagstreamError('config', `several workers do not go with ${found}`, {
    place: { source: file },
    fix: 'tag in one thread (leave workers out); checkpoints go by seconds where several tag',
  });
}
