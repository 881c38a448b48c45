import type { Log } from '../../core/log.js';
import { counted } from '../../core/wording/counted.js';
import { grouped } from '../../core/wording/grouped.js';

/** Logs how many records a run with checkpoints has written: a resumed run writes only those that were left. */
export function reportWritten(records: number, output: string, log: Log): void {
  const written = counted(records, 'record', grouped(records));
  log.info(`${written} written to ${output}`, { records, output });
}
