import type { Log } from '../../core/log.js';
import { many } from '../../core/wording/many.js';

/** Says what a run that was ended by a signal has written, where more was to come. */
export function reportStopped(records: number, output: string, log: Log): void {
  const written = `${many(records, 'record')} ${records === 1 ? 'is' : 'are'} written`;
  const kept = output === '-' ? '' : `, and ${output} holds ${records === 1 ? 'it' : 'them'}`;
  log.warn(`stopped: ${written}${kept}; the input was not read to its end`, { records, output });
}
