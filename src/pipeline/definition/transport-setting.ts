import type { TransportSetting } from '../../plugins/messages.js';
import type { RunSetup } from './run-setup.js';

/** What a transport is given of a run that trains, or does not. */
export function transportSetting(setup: Pick<RunSetup, 'path'>, trains: boolean): TransportSetting {
  return { trains, path: file => setup.path(file) };
}
