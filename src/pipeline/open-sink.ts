import { messageOutput } from '../io/transports/message-output.js';
import { type OpenOutputOptions, type Output, openOutput } from '../io/writing/open-output.js';
import type { MessageTarget } from '../plugins/transport-component.js';
import type { Pipeline } from './definition/pipeline.js';
import type { RunSetup } from './definition/run-setup.js';
import { transportSetting } from './definition/transport-setting.js';
import { chosenOf } from './options/one-of.js';

/**
 * Opens what the sink of a pipeline names: a transport, a file, or the standard output.
 *
 * @throws (rejects with) TagstreamError `file`, `config` for a transport that takes no messages; the reason of the signal
 */
export function openSink(
  pipeline: Pipeline,
  setup: Pick<RunSetup, 'path'>,
  options: OpenOutputOptions,
): Promise<Output> {
  const target = sinkTarget(pipeline, setup);
  if (target === undefined) return openOutput(setup.path(pipeline.sink?.file ?? '-'), options);
  return messageOutput(target);
}

/** The transport that the sink of a pipeline names, if it names one. */
export function sinkTarget(
  { sink, catalogue, trains }: Pipeline,
  setup: Pick<RunSetup, 'path'>,
): MessageTarget | undefined {
  if (sink?.to === undefined) return undefined;
  const { component, options } = chosenOf(catalogue.transports.items, sink.to);
  return component.writing(options, transportSetting(setup, trains));
}
