import type { Log } from '../core/log.js';
import type { BadRecord } from '../io/bad-record.js';
import { type DeadLetterOptions, DeadLetters, defaultRotation } from '../io/dead-letters.js';
import { requireApart } from '../io/faults/require-apart.js';
import { rotationName, withRotations } from '../io/faults/rotation-name.js';
import type { BadRecordArguments } from './bad-record-options.js';
import { chosenDeadLetters } from './chosen-dead-letters.js';

/** Bad records that are told one by one; the rest are only counted. */
const toldAtMost = 5;

/** Counts bad records and tells the first of them in the log. */
export class ToldDeadLetters extends DeadLetters {
  readonly #file: string | undefined;
  readonly #log: Log;
  /** The error of the record that ended the run, which is told as the error of the command. */
  #isEnd = false;

  constructor(options: DeadLetterOptions, log: Log) {
    super(options);
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
    if (this.total <= toldAtMost) {
      this.#log.warn(error.message, { code: error.code, ...error.place, start, end });
    }
    if (this.total === toldAtMost) this.#log.warn('further bad records are only counted');
  }

  /** Closes, and says how many there were and where they are. */
  finish(): void {
    this.close();
    const { total, kept, truncated, dropped } = this;
    // The one that ended the run is told anyway.
    if (total === 0 || (this.#isEnd && total === 1 && kept === 0)) return;
    const file = this.#file;
    const where =
      kept > 0
        ? `, ${kept === total ? '' : `${kept} of them `}kept in ${file}`
        : file === undefined
          ? '; keep them with --dead-letter FILE'
          : '';
    this.#log.warn(`${this.summary()}${where}`, { badRecords: this.counts, kept });
    if (truncated > 0) {
      this.#log.warn(
        `${truncated} of the letters have only the beginning of their record, and cannot be replayed`,
        { truncated },
      );
    }
    if (dropped > 0) {
      this.#log.warn(
        `${dropped} letters were dropped with the oldest file; keep more with --dead-letter-keep`,
        { dropped },
      );
    }
  }
}

/**
 * The dead letters of a command: as its arguments say, and else as `said`.
 *
 * @throws TagstreamError `usage` for wrong arguments, also for letters into the file that is replayed
 */
export function toldDeadLetters(
  given: BadRecordArguments & { readonly replay?: string | undefined },
  said: DeadLetterOptions,
  log: Log,
): ToldDeadLetters {
  const chosen = chosenDeadLetters(given, said);
  const { file, keep = defaultRotation.keep } = chosen;
  if (given.replay !== undefined && file !== undefined) {
    const written = Array.from({ length: keep + 1 }, (_, n) => rotationName(file, n));
    requireApart(withRotations(given.replay), written, 'the dead letters');
  }
  return new ToldDeadLetters(chosen, log);
}
