import type { Log } from '../../core/log.js';
import { sourceName } from '../../io/reading/open-input.js';
import type { TagInput } from '../tag/tag-input.js';

/** Says that an input is taken for plain text, where nobody has named its format. */
export function reportGuessed({ files, guessed }: TagInput, log: Log): void {
  if (guessed !== true) return;
  log.info(
    `${sourceName(files[0] ?? '-')} reads as plain text, one record per line (--format names another format)`,
  );
}
