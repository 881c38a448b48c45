import type { Log } from '../../core/log.js';

/** Says what a run that was ended by a signal has written, where more was to come. */
export function reportStopped(records: number, output: string, log: Log): void {
  const written = `${records.toLocaleString('en')} records are written`;
  const kept = output === '-' ? '' : `, and ${output} holds them`;
  log.warn(`stopped: ${written}${kept}; the input was not read to its end`, { records, output });
}
