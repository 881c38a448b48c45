import { messageOutput } from '../io/transports/message-output.js';
import { type OpenOutputOptions, type Output, openOutput } from '../io/writing/open-output.js';
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
  { sink, catalogue, trains }: Pipeline,
  setup: Pick<RunSetup, 'path'>,
  options: OpenOutputOptions,
): Promise<Output> {
  if (sink?.to === undefined) return openOutput(setup.path(sink?.file ?? '-'), options);
  const { component, options: chosen } = chosenOf(catalogue.transports.items, sink.to);
  return messageOutput(component.writing(chosen, transportSetting(setup, trains)));
}
