import type { Log } from '../../core/log.js';
import { counted } from '../../core/wording/counted.js';

/** Formats in which an annotator may put a record aside, which then counts as a blank line. */
const withPutAside: readonly string[] = ['prodigy', 'label-studio'];

/**
 * Says how many blank lines were skipped, if any.
 *
 * @param format name of the format that was read
 */
export function reportBlankLines(count: number, log: Log, format?: string): void {
  if (count === 0) return;
  const isAside = format !== undefined && withPutAside.includes(format);
  const what = isAside
    ? `${counted(count, 'record')} that annotators put aside, or blank,`
    : counted(count, 'blank line');
  log.warn(`${what} ${count === 1 ? 'was' : 'were'} skipped`, { blankLines: count });
}
