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

/** Counts bad records and tells the first of them on the standard error. */
export class ToldDeadLetters extends DeadLetters {
  readonly #strict: boolean;

  constructor(options: DeadLetterOptions, strict: boolean) {
    super(options);
    this.#strict = strict;
  }

  override add(bad: BadRecord): void {
    super.add(bad);
    if (this.#strict) throw bad.error;
    const { line } = bad.error.place;
    const { source } = bad.position;
    const error = bad.error.at({ source, line: line ?? bad.position.line });
    if (this.total <= toldAtMost) process.stderr.write(`tagstream: ${error.message}\n`);
    if (this.total === toldAtMost) {
      process.stderr.write('tagstream: further bad records are only counted\n');
    }
  }

  /** Closes, and says how many there were and where they are. */
  finish(file: string | undefined): void {
    this.close();
    if (this.total === 0 || (this.#strict && file === undefined)) return;
    const where = file === undefined ? '; keep them with --dead-letter FILE' : `, kept in ${file}`;
    process.stderr.write(`tagstream: ${this.summary()}${where}\n`);
  }
}

/**
 * What to do with bad records.
 *
 * @param lenient whether they are passed over where nothing is said
 */
export function deadLettersOf(given: BadRecordArguments, lenient: boolean): ToldDeadLetters {
  return new ToldDeadLetters(policyOf(given, lenient), given.strict === true);
}

function policyOf({ strict, deadLetter }: BadRecordArguments, lenient: boolean): DeadLetterOptions {
  if (deadLetter !== undefined) {
    return { policy: 'dead-letter', file: deadLetter, now: () => new Date() };
  }
  if (strict === true) return { policy: 'fail' };
  return { policy: lenient ? 'skip' : 'fail' };
}
