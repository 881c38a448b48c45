import type { BadRecord } from '../io/bad-record.js';
import { type DeadLetterOptions, DeadLetters, defaultRotation } from '../io/dead-letters.js';
import { requireApart } from '../io/faults/require-apart.js';
import { rotationName, withRotations } from '../io/faults/rotation-name.js';
import type { BadRecordArguments } from './bad-record-options.js';
import { chosenDeadLetters } from './chosen-dead-letters.js';

/** Bad records that are told one by one; the rest are only counted. */
const toldAtMost = 5;

/** Counts bad records and tells the first of them on the standard error. */
export class ToldDeadLetters extends DeadLetters {
  readonly #file: string | undefined;
  /** The error of the record that ended the run, which is told as the error of the command. */
  #isEnd = false;

  constructor(options: DeadLetterOptions) {
    super(options);
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
    const { source } = bad.position;
    const error = bad.error.at({ source, line: line ?? bad.position.line });
    if (this.total <= toldAtMost) process.stderr.write(`tagstream: ${error.message}\n`);
    if (this.total === toldAtMost) {
      process.stderr.write('tagstream: further bad records are only counted\n');
    }
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
    const say = (text: string) => process.stderr.write(`tagstream: ${text}\n`);
    say(`${this.summary()}${where}`);
    if (truncated > 0) {
      say(
        `${truncated} of the letters have only the beginning of their record, and cannot be replayed`,
      );
    }
    if (dropped > 0) {
      say(
        `${dropped} letters were dropped with the oldest file; keep more with --dead-letter-keep`,
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
): ToldDeadLetters {
  const chosen = chosenDeadLetters(given, said);
  const { file, keep = defaultRotation.keep } = chosen;
  if (given.replay !== undefined && file !== undefined) {
    const written = Array.from({ length: keep + 1 }, (_, n) => rotationName(file, n));
    requireApart(withRotations(given.replay), written, 'the dead letters');
  }
  return new ToldDeadLetters(chosen);
}
