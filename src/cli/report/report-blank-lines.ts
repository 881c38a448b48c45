import type { Log } from '../../core/log.js';

/** Says how many blank lines were skipped, if any. */
export function reportBlankLines(count: number, log: Log): void {
  if (count > 0) log.warn(`${count} blank lines were skipped`, { blankLines: count });
}
