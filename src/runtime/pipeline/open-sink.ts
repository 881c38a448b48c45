import type { MessageTarget } from '../../engine/interfaces/loaded-plugin.js';
import type { ModelSpec } from '../../engine/models/model-spec.js';
import type { Codec } from '../../formats/codecs/codec.js';
import { writtenAs } from '../../formats/codecs/written-as.js';
import { messageOutput } from '../io/transports/message-output.js';
import { type OpenOutputOptions, type Output, openOutput } from '../io/writing/open-output.js';
import { type OutputRotation, ResumableFile } from '../io/writing/resumable-file.js';
import { writtenFormat } from './blocks/plain-format.js';
import { codecOf } from './catalogue/codec-of.js';
import type { Pipeline } from './definition/pipeline.js';
import { transportSetting } from './definition/places.js';
import { PipelinePaths } from './definition/run-context.js';
import { chosenOf } from './options/one-of.js';

/**
 * Opens the sink of a pipeline: a transport, a file, or the standard output.
 *
 * @throws (rejects with) TagstreamError `file`, `config` for a transport that accepts no messages; or the reason of the
 * signal
 */
export function openSink(pipeline: Pipeline, options: OpenOutputOptions): Promise<Output> {
  const target = sinkTarget(pipeline);
  if (target !== undefined) return messageOutput(target);
  const { file = '-', rotate } = pipeline.sink ?? {};
  const { recordEnd } = sinkCodec(pipeline);
  return openRecords(new PipelinePaths(pipeline).resolve(file), {
    ...options,
    recordEnd,
    rotation: rotate,
  });
}

/**
 * Returns the codec that reads a pipeline's records in the format of its source, and writes them in the format of its
 * sink.
 *
 * @param input the training data of the tagging model, if the pipeline does not train it
 */
export function sinkCodec(
  { source, sink, catalogue }: Pipeline,
  input?: ModelSpec['input'],
): Codec {
  const { component, options } = source;
  const read = component.codec(options);
  if (sink?.format === undefined) return read;
  const to = writtenFormat(sink.format, input ?? { codec: component.name, options });
  return writtenAs(read, codecOf(to, catalogue.sources));
}

/**
 * Opens a file, or the standard output for `-`; with rotation, a series of files.
 *
 * @param options with the end of each record
 * @throws (rejects with) TagstreamError `file`, `config` for an output that cannot be rotated; or the reason of the
 *   signal
 */
export async function openRecords(
  path: string,
  {
    recordEnd,
    rotation,
    ...options
  }: OpenOutputOptions & Pick<Codec, 'recordEnd'> & { rotation: OutputRotation | undefined },
): Promise<Output> {
  if (rotation === undefined) return openOutput(path, options);
  return new ResumableFile(path, { recordEnd, rotation });
}

/** Returns the transport that a pipeline's sink names, if any. */
export function sinkTarget(pipeline: Pipeline): MessageTarget | undefined {
  const { sink, catalogue, trains } = pipeline;
  if (sink?.to === undefined) return undefined;
  const { component, options } = chosenOf(catalogue.transports.items, sink.to);
  return component.writing(options, transportSetting(new PipelinePaths(pipeline), trains));
}
