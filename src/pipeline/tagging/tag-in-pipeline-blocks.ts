import type { CodecChoice } from '../catalogue/codec-of.js';
import type { Pipeline } from '../definition/pipeline.js';
import { type RunGiven, RunSetup } from '../definition/run-setup.js';
import { sourceFiles } from '../definition/source-files.js';
import { openSink } from '../open-sink.js';
import type { RunResult, RunWithDeadLetters } from '../setup/run-options.js';
import { onlyTags, pipelineFormat, pipelineTagger } from './pipeline-tagger.js';
import { tagBlocks } from './tag-blocks.js';

/**
 * The format of a pipeline that only tags, where its records may go in blocks: nobody selects, counts or watches records
 * one by one.
 */
export function formatInBlocks(
  pipeline: Pipeline,
  options: RunWithDeadLetters,
): CodecChoice | undefined {
  const { source, sink } = pipeline;
  if (source.options.from !== undefined || sink?.to !== undefined) return;
  if (options.status !== undefined || !onlyTags(pipeline, options)) return;
  return pipelineFormat(pipeline);
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
  const taggers = pipelineTagger(pipeline, format, given, options);
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
