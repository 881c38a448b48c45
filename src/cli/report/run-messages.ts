import { thrownMessage } from '../../engine/core/errors.js';
import type { Log } from '../../engine/core/log.js';
import { counted, many } from '../../engine/core/wording/numbers.js';
import { sourceName } from '../../formats/reading/open-input.js';
import type { CodecChoice } from '../../runtime/pipeline/catalogue/codec-of.js';

/**
 * Logs the number of records that a run with checkpoints has written: a resumed run writes only the
 * remaining ones.
 */
export function reportWritten(records: number, output: string, log: Log): void {
  const written = many(records, 'record');
  log.info(`${written} written to ${output}`, { records, output });
}

/** Reports the output of a run that was ended early by a signal. */
export function reportStopped(records: number, output: string, log: Log): void {
  const written = `${many(records, 'record')} ${records === 1 ? 'is' : 'are'} written`;
  const kept = output === '-' ? '' : `, and ${output} holds ${records === 1 ? 'it' : 'them'}`;
  log.warn(`stopped: ${written}${kept}; the input was not read to the end`, { records, output });
}

/** Formats in which an annotator may skip a record, which is then counted as a blank line. */
const withPutAside: readonly string[] = ['prodigy', 'label-studio'];

/**
 * Reports the number of skipped blank lines, if any.
 *
 * @param format name of the input format
 */
export function reportBlankLines(count: number, log: Log, format?: string): void {
  if (count === 0) return;
  const isAside = format !== undefined && withPutAside.includes(format);
  const what = isAside
    ? `${counted(count, 'record')} that annotators put aside, or blank,`
    : counted(count, 'blank line');
  log.warn(`${what} ${count === 1 ? 'was' : 'were'} skipped`, { blankLines: count });
}

/** Reports the format in which an input is read, if its content told it. */
export function reportGuessed(input: string, { name, options }: CodecChoice, log: Log): void {
  const record = options.records === 'paragraph' ? 'paragraph' : 'line';
  const read = name === 'text' ? `plain text, one record per ${record}` : name;
  log.info(`${sourceName(input)} reads as ${read} (--format names another format)`);
}

/** Reports that a new model has replaced the old one. */
export function reportReloaded(file: string, log: Log): void {
  log.warn(`reloaded ${file}; it tags all further records`, { model: file });
}

/** Reports that a model was rejected, and the reason. */
export function reportKept(error: unknown, log: Log): void {
  const reason = thrownMessage(error);
  log.warn(`keeping the old model, because the new one is bad: ${reason}`, { reason });
}

/** Reports that a training run does not reload a model. */
export function reportNoReload(log: Log): void {
  log.warn('SIGHUP is ignored: a training run does not reload a model');
}

/** Reports that the system cannot watch a file, which is polled instead. */
export function reportUnwatched(file: string, cause: unknown, log: Log): void {
  const reason = thrownMessage(cause);
  log.warn(
    `cannot watch ${file}, checking it every second instead: ${reason} (raise the limit of open files, fs.inotify.max_user_instances or fs.inotify.max_user_watches)`,
    { model: file, reason },
  );
}
