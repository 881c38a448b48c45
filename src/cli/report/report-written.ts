import { counted } from '../../core/counted.js';
import type { Log } from '../../core/log.js';

/** Logs how many records a run with checkpoints has written: a resumed run writes only those that were left. */
export function reportWritten(records: number, output: string, log: Log): void {
  const written = counted(records, 'record', records.toLocaleString('en'));
  log.info(`${written} written to ${output}`, { records, output });
}
