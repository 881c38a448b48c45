import type { Position } from '../../engine/core/delivery/delivery.js';
import type { Log } from '../../engine/core/log.js';
import type { BadRecord, Policy } from '../../formats/bad-records/bad-record.js';
import { standardStreams } from '../../formats/files/standard-streams.js';
import { type DeadLetterOptions, DeadLetters } from '../../runtime/io/dead-letters/dead-letters.js';
import { chosenDeadLetters } from '../files/chosen-dead-letters.js';
import { refusePassing, type WrittenRecords } from '../options/field-options.js';
import type { BadRecordArguments } from '../options/record-options.js';

/** Maximum number of bad records that are reported individually; the rest are only counted. */
const reportedAtMost = 5;

/** Counts bad records, and logs the first few. */
export class ReportedDeadLetters extends DeadLetters {
  readonly #file: string | undefined;
  readonly #log: Log;
  readonly #hint: string | undefined;
  /** Whether the last bad record ended the run; its error is reported as that of the command. */
  #isEnd = false;
  /** Whether this run reads the rest of a partly processed input. */
  #isRest = false;

  /** @param hint hint for a bad record that ends the run */
  constructor(options: DeadLetterOptions, log: Log, hint?: string) {
    super(options);
    this.#hint = hint;
    this.#log = log;
    this.#file = options.file;
  }

  override add(bad: BadRecord, number?: number): void {
    try {
      super.add(bad, number);
    } catch (thrown) {
      this.#isEnd = thrown === bad.error;
      throw thrown;
    }
    const { line } = bad.error.place;
    const { source, start, end } = bad.position;
    const error = bad.error.at({ source, line: line ?? bad.position.line });
    if (this.total <= reportedAtMost) {
      this.#log.warn(error.message, { code: error.code, ...error.place, start, end });
    }
    if (this.total === reportedAtMost)
      this.#log.warn('further bad records are counted but not shown');
  }

  override resumeAfter(files: readonly string[], position: Position | undefined): Promise<void> {
    this.#isRest ||= position !== undefined;
    return super.resumeAfter(files, position);
  }

  /**
   * Closes, and reports the number and the location of bad records; a command that rejected every
   * record has failed.
   */
  async finish(): Promise<void> {
    await this.close();
    if (this.#isEnd && this.#hint !== undefined) this.#log.warn(this.#hint);
    const { total, records, kept, truncated, dropped } = this;
    // The record that ended the run is reported anyway.
    if (total === 0 || (this.#isEnd && total === 1 && kept === 0)) return;
    const since = this.#isRest ? ' since the resume' : '';
    this.#log.warn(`${this.summary()}${since}${this.#where()}`, { badRecords: this.counts, kept });
    if (truncated > 0) {
      this.#log.warn(
        `${truncated} of them kept with their first bytes only: --replay reads the rest from the input if it is a file`,
        { truncated },
      );
    }
    if (dropped > 0) {
      this.#log.warn(
        `${dropped} rejected records were dropped with the oldest file; keep more with --dead-letter-keep`,
        { dropped },
      );
    }
    if (total < records || this.#isRest) return;
    this.#log.error('every record was rejected', { records });
    standardStreams().exitCode = 1;
  }

  #where(): string {
    const { total, kept, unwritten } = this;
    const file = this.#file;
    if (file === undefined) {
      return this.passing === undefined
        ? '; keep them with --dead-letter FILE'
        : '; passed records are written with their error';
    }
    const part = (count: number) => (count === total ? '' : `${count} of them `);
    return [
      ...(kept > 0 ? [`, ${part(kept)}kept in ${file}`] : []),
      ...(unwritten > 0
        ? [`, ${part(unwritten)}not kept, because ${file} could not be written`]
        : []),
    ].join('');
  }
}

/**
 * Returns the dead letters of a command, set up by its arguments, otherwise by `said`. Waits for
 * the reader of a pipe.
 *
 * @param signal its abort ends the wait
 * @param writing form of tagged records, if bad records may be passed on with their error
 * @throws (rejects with) the reason of the signal, TagstreamError `usage` for wrong arguments, `file` if another
 *   process writes to the file
 */
export async function reportedDeadLetters(
  given: BadRecordArguments,
  said: DeadLetterOptions,
  log: Log,
  signal?: AbortSignal,
  writing?: WrittenRecords,
): Promise<ReportedDeadLetters> {
  const hint = badRecordHint(given, undefined);
  const chosen = chosenDeadLetters(given, said, writing !== undefined);
  if (writing !== undefined) refusePassing(chosen, writing);
  const deadLetters = new ReportedDeadLetters(chosen, log, hint);
  await deadLetters.open(signal);
  return deadLetters;
}

/**
 * Returns the possible remedies for a bad record that ends a run, if neither arguments nor a
 * pipeline have set a policy.
 */
export function badRecordHint(
  { strict, onBad, deadLetter }: BadRecordArguments,
  policy: Policy | undefined,
): string | undefined {
  if (strict === true || [onBad, deadLetter, policy].some(said => said !== undefined)) return;
  return 'a bad record ends this run; use --on-bad skip to skip such records, or --dead-letter FILE to keep them';
}
