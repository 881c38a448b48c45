import { messageOutput } from '../io/transports/message-output.js';
import { type OpenOutputOptions, type Output, openOutput } from '../io/writing/open-output.js';
import { type OutputRotation, ResumableFile } from '../io/writing/resumable-file.js';
import type { MessageTarget } from '../plugins/loaded-plugin.js';
import type { Pipeline } from './definition/pipeline.js';
import { transportSetting } from './definition/places.js';
import { PipelinePaths } from './definition/run-context.js';
import { chosenOf } from './options/one-of.js';
import { recordEndOf } from './options/record-end.js';

/**
 * Opens the sink of a pipeline: a transport, a file, or the standard output.
 *
 * @throws (rejects with) TagstreamError `file`, `config` for a transport that accepts no messages; the reason of the
 * signal
 */
export function openSink(pipeline: Pipeline, options: OpenOutputOptions): Promise<Output> {
  const target = sinkTarget(pipeline);
  if (target !== undefined) return messageOutput(target);
  const { file = '-', rotate } = pipeline.sink ?? {};
  const format = pipeline.source.component.name;
  return openRecords(new PipelinePaths(pipeline).resolve(file), {
    ...options,
    format,
    rotation: rotate,
  });
}

/**
 * Opens a file, or the standard output for `-`: a series of files if it is rotated.
 *
 * @param options includes the format of the records
 * @throws (rejects with) TagstreamError `file`, `config` for what cannot be rotated; the reason of the signal
 */
export async function openRecords(
  path: string,
  {
    format,
    rotation,
    ...options
  }: OpenOutputOptions & { format: string; rotation: OutputRotation | undefined },
): Promise<Output> {
  if (rotation === undefined) return openOutput(path, options);
  return new ResumableFile(path, { recordEnd: recordEndOf(format), rotation });
}

/** Returns the transport named by the sink of a pipeline, if any. */
export function sinkTarget(pipeline: Pipeline): MessageTarget | undefined {
  const { sink, catalogue, trains } = pipeline;
  if (sink?.to === undefined) return undefined;
  const { component, options } = chosenOf(catalogue.transports.items, sink.to);
  return component.writing(options, transportSetting(new PipelinePaths(pipeline), trains));
}
