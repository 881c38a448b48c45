import type { Log } from '../../core/log.js';
import { many } from '../../core/wording/many.js';

/** Logs how many records a run with checkpoints has written: a resumed run writes only those that were left. */
export function reportWritten(records: number, output: string, log: Log): void {
  const written = many(records, 'record');
  log.info(`${written} written to ${output}`, { records, output });
}
