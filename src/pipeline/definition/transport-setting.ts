import type { TransportSetting } from '../../plugins/messages.js';
import type { PipelinePaths } from './run-context.js';

/** What a transport is given of a run that trains, or does not. */
export function transportSetting(
  paths: Pick<PipelinePaths, 'resolve'>,
  trains: boolean,
): TransportSetting {
  return { trains, path: file => paths.resolve(file) };
}
