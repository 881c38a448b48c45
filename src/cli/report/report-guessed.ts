import type { Log } from '../../core/log.js';
import { sourceName } from '../../io/reading/open-input.js';

/** Says that an input is taken for plain text, where nobody has named its format. */
export function reportGuessed(input: string, log: Log): void {
  log.info(
    `${sourceName(input)} reads as plain text, one record per line (--format names another format)`,
  );
}
