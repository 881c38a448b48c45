import { standardStreams } from '../../io/files/standard-streams.js';
import type { CodecChoice } from '../catalogue/codec-of.js';
import type { Pipeline } from '../definition/pipeline.js';
import { type RunGiven, RunSetup } from '../definition/run-setup.js';
import { sourceFiles } from '../definition/source-files.js';
import { openSink } from '../open-sink.js';
import type { RunResult, RunWithDeadLetters } from '../setup/run-options.js';
import { onlyTags, PipelineTagger, pipelineFormat } from './pipeline-tagger.js';
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
  const { stdin, stdout, deadLetters, signal = new AbortController().signal } = options;
  const tagger = new PipelineTagger(pipeline, format, given, options);
  if (!tagger.takesPlain) return undefined;
  const output = await openSink(pipeline, new RunSetup({ ...given, restored: undefined }), {
    stdout,
    signal,
  });
  try {
    const { onWritten, ...tagging } = tagger.begin();
    // A stream of the caller's may still hold what it was given when it says that it is written.
    const isOwn = stdout === undefined || stdout === standardStreams().stdout;
    const { records, ended } = await tagBlocks({
      ...{ files: sourceFiles(pipeline), output, deadLetters, signal, stdin },
      codec: pipeline.source.component.codec(pipeline.source.options),
      ...tagging,
      onWritten: isOwn ? onWritten : undefined,
    });
    return { sentencesSeen: 0, records, stopped: signal.aborted && !ended, reproducible: true };
  } finally {
    tagger.end();
  }
}
