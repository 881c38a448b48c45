import type { CodecChoice } from '../catalogue/codec-of.js';
import type { Pipeline } from '../definition/pipeline.js';
import { type RunGiven, RunSetup } from '../definition/run-setup.js';
import { sourceFiles } from '../definition/source-files.js';
import { openSink } from '../open-sink.js';
import { runOperators } from '../setup/run-operators.js';
import type { RunResult, RunWithDeadLetters } from '../setup/run-options.js';
import { withoutCommon } from '../sources/common-options.js';
import { batchStage } from '../stages/batch.js';
import { featurizeStage } from '../stages/featurize.js';
import { dictionaryOf, type TagStageOptions, tagStage } from '../stages/tag.js';
import { tokenizeStage } from '../stages/tokenize.js';
import { MixedTagger } from './mixed-tagger.js';
import { Reloadable } from './reload/reloadable.js';
import { requireTagger } from './reload/require-tagger.js';
import { tagBlocks } from './tag-blocks.js';
import { taggingModel } from './tagging-model.js';
import type { TaggingOptions } from './tagging-options.js';

/** Stages that the tagger of blocks stands for. */
const stages: ReadonlySet<unknown> = new Set([tokenizeStage, featurizeStage, batchStage, tagStage]);

/**
 * The format of a pipeline that only tags, where its records may go in blocks: nobody selects, counts or watches records
 * one by one.
 */
export function formatInBlocks(
  { source, stages: chosen, sink }: Pipeline,
  { limit, resume, status }: RunWithDeadLetters,
): CodecChoice | undefined {
  const { component, options } = source;
  if (options.from !== undefined || component.generated !== undefined) return;
  if (component.replays === true || options.split !== undefined || options.limit !== undefined) {
    return;
  }
  if (limit !== undefined || resume === true || status !== undefined) return;
  if (sink?.to !== undefined || (sink?.only ?? 'all') !== 'all') return;
  if (!chosen.every(stage => stages.has(stage.component))) return;
  return { name: component.name, options: withoutCommon(options) };
}

/**
 * Runs a pipeline that has a `formatInBlocks`: what is written is the same as record by record. Undefined, with nothing
 * done, where its model has no plain records in the format.
 */
export async function tagInPipelineBlocks(
  pipeline: Pipeline,
  format: CodecChoice,
  given: Omit<RunGiven, 'restored'>,
  options: RunWithDeadLetters,
): Promise<Omit<RunResult, 'rejected'> | undefined> {
  const { stdin, stdout, deadLetters, onBlank, signal = new AbortController().signal } = options;
  const { onReloaded, onReloadRefused } = given.events;
  const make = () => taggerOf(pipeline, format, given, options);
  const taggers = new Reloadable(make(), make, { onReloaded, onKept: onReloadRefused });
  if (!taggers.current.takesPlain) return undefined;
  const output = await openSink(pipeline, new RunSetup({ ...given, restored: undefined }), {
    stdout,
    signal,
  });
  const reloading = options.reloads?.subscribe(() => taggers.reload());
  let tagger = taggers.current;
  try {
    const { records, ended } = await tagBlocks({
      ...{ files: sourceFiles(pipeline), output, deadLetters, signal, stdin },
      codec: pipeline.source.component.codec(pipeline.source.options),
      tag: task => {
        tagger = taggers.current;
        return tagger.tag(task);
      },
      onWritten: tagged => tagger.reuse(tagged),
      onBlank: lines => {
        for (let line = 0; line < lines; line += 1) onBlank?.();
      },
    });
    return { sentencesSeen: 0, records, stopped: signal.aborted && !ended, reproducible: true };
  } finally {
    reloading?.unsubscribe();
  }
}

/** What stands for all stages, with the model as its file is now. */
function taggerOf(
  pipeline: Pipeline,
  format: CodecChoice,
  given: Omit<RunGiven, 'restored'>,
  options: RunWithDeadLetters,
): MixedTagger {
  const setup = new RunSetup({ ...given, restored: undefined });
  runOperators(pipeline, setup, options);
  const { model, modelId, tokenizer } = setup;
  requireTagger(model, taggingModel(pipeline) ?? pipeline.file);
  const tag = pipeline.stages.find(({ component }) => component === tagStage)!;
  const { dictionary, modelVersion, ...decoding } = tag.options as unknown as TagStageOptions;
  const entries = dictionaryOf(dictionary, setup);
  const tagging: TaggingOptions = {
    ...decoding,
    ...(entries === undefined ? {} : { dictionary: entries }),
    output: pipeline.sink?.output ?? 'record',
    modelId: modelVersion ? modelId : undefined,
  };
  const { sources } = pipeline.catalogue;
  return new MixedTagger(model, format, tagging, { tokenization: tokenizer, sources });
}
