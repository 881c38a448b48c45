import { counted } from '../../core/counted.js';
import type { Log } from '../../core/log.js';

/** Says how many blank lines were skipped, if any. */
export function reportBlankLines(count: number, log: Log): void {
  if (count > 0)
    log.warn(`${counted(count, 'blank line')} ${count === 1 ? 'was' : 'were'} skipped`, {
      blankLines: count,
    });
}
