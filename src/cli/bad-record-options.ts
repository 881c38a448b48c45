import type { Log } from '../core/log.js';
import type { BadRecord } from '../io/bad-record.js';
import { type DeadLetterOptions, DeadLetters } from '../io/dead-letters.js';

/** Bad records that are told one by one; the rest are only counted. */
const toldAtMost = 5;

/** The options of every command that reads a stream. */
export const badRecordOptions = {
  strict: { type: 'boolean', describe: 'end with an error at the first bad record' },
  'dead-letter': {
    type: 'string',
    requiresArg: true,
    describe: 'keep bad records in this file, with place and reason',
  },
} as const;

export interface BadRecordArguments {
  readonly strict?: boolean | undefined;
  readonly deadLetter?: string | undefined;
}

/** Counts bad records and tells the first of them in the log. */
export class ToldDeadLetters extends DeadLetters {
  readonly #strict: boolean;
  readonly #log: Log;

  constructor(options: DeadLetterOptions, strict: boolean, log: Log) {
    super(options);
    this.#strict = strict;
    this.#log = log;
  }

  override add(bad: BadRecord): void {
    super.add(bad);
    if (this.#strict) throw bad.error;
    const { line } = bad.error.place;
    const { source, start, end } = bad.position;
    const error = bad.error.at({ source, line: line ?? bad.position.line });
    if (this.total <= toldAtMost) {
      this.#log.warn(error.message, { code: error.code, ...error.place, start, end });
    }
    if (this.total === toldAtMost) this.#log.warn('further bad records are only counted');
  }

  /** Closes, and says how many there were and where they are. */
  finish(file: string | undefined): void {
    this.close();
    if (this.total === 0 || (this.#strict && file === undefined)) return;
    const where = file === undefined ? '; keep them with --dead-letter FILE' : `, kept in ${file}`;
    this.#log.warn(`${this.summary()}${where}`, { badRecords: this.counts, kept: this.written });
  }
}

/**
 * What to do with bad records.
 *
 * @param lenient whether they are passed over where nothing is said
 * @param log where the first of them are told, and how many there were
 */
export function deadLettersOf(
  given: BadRecordArguments,
  lenient: boolean,
  log: Log,
): ToldDeadLetters {
  return new ToldDeadLetters(policyOf(given, lenient), given.strict === true, log);
}

function policyOf({ strict, deadLetter }: BadRecordArguments, lenient: boolean): DeadLetterOptions {
  if (deadLetter !== undefined) {
    return { policy: 'dead-letter', file: deadLetter, now: () => new Date() };
  }
  if (strict === true) return { policy: 'fail' };
  return { policy: lenient ? 'skip' : 'fail' };
}
