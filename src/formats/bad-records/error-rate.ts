import { type ErrorCode, TagstreamError } from '../../engine/core/errors.js';
import { type BadRecord, faultsOf } from './bad-record.js';

/** Maximum number of runs remembered, those with the highest numbers: a minibatch may lag this far behind. */
const most = 64;

interface Row {
  first: number;
  last: number;
}

/**
 * Runs of consecutive bad records, by record number. Records may be added out of order.
 *
 * @example
 * const rows = new BadRows();
 * [rows.add(1), rows.add(2), rows.add(4), rows.add(3)] // => [1, 2, 1, 4]
 */
export class BadRows {
  /** Runs in ascending order, with a gap between any two. */
  readonly #rows: Row[] = [];

  /**
   * Adds the number of a record; a number may be added only once.
   *
   * @returns the length of its run
   */
  add(number: number): number {
    const rows = this.#rows;
    let at = rows.length;
    while (at > 0 && rows[at - 1]!.first > number) at -= 1;
    const before = rows[at - 1];
    const after = rows[at];
    const joinsAfter = after?.first === number + 1;
    if (before?.last === number - 1) {
      before.last = joinsAfter ? after.last : number;
      if (joinsAfter) rows.splice(at, 1);
      return before.last - before.first + 1;
    }
    if (joinsAfter) {
      after.first = number;
      return after.last - after.first + 1;
    }
    rows.splice(at, 0, { first: number, last: number });
    if (rows.length > most) rows.shift();
    return 1;
  }
}

/** The limit at which a run ends because so many bad records mean that its input must be wrong. */
export interface ErrorRateLimit {
  /** Maximum share of bad records, from 0 to 1; 1 allows all. Default 0.99. */
  readonly maxErrorRate?: number | undefined;
  /** Number of records, good and bad, before the share is checked. Default 1000. */
  readonly after?: number | undefined;
  /**
   * Maximum number of consecutive bad records: one more ends the run; 0 allows any number. Default 1000, or any number
   * if `maxErrorRate` is 1.
   */
  readonly maxBadInRow?: number | undefined;
  /** Names under which the user sets these options, for errors. Default: the names here. */
  readonly optionNames?: Readonly<Record<'maxErrorRate' | 'maxBadInRow', string>> | undefined;
}

/**
 * The default limit: ends a run if all of the first 1000 records are bad, nearly all from then on, or more than 1000 in
 * a row.
 */
export const defaultErrorRate = { maxErrorRate: 0.99, after: 1000, maxBadInRow: 1000 } as const;

const ownNames = { maxErrorRate: 'maxErrorRate', maxBadInRow: 'maxBadInRow' };

/** Fixes for the most likely cause if most records have a fault. */
const fixes: Readonly<Record<string, string>> = {
  'not-json':
    'is it NDJSON? if not, name its format with --format or in the source of the pipeline',
  'not-an-object': 'is it NDJSON? each line must be an object',
  'too-long': 'does it have line breaks? if so, raise maxLineBytes',
  'invalid-utf8': 'is it text? convert it to UTF-8',
  'wrong-shape': 'is it the right file? check its columns or fields against the format',
  'too-large':
    'are the records too large, or has the model reached its size limit? see the error above',
  stage: 'is it the right model for this input? check the error above',
};

function likelyFix(code: ErrorCode): string | undefined {
  return fixes[code] ?? fixes[faultsOf(code).at(-1)!];
}

/**
 * Checks the share of bad records, and the length of runs of them, at each bad record.
 *
 * Only bad records cost anything, because good ones are merely counted. Bad records may arrive out of order, because
 * some are found while earlier records wait for their minibatch.
 *
 * @example
 * const rate = new ErrorRate({ maxErrorRate: 0.5, after: 3 });
 * const error = new TagstreamError('not-json', 'no brace');
 * const bad = line => ({ position: { source: 'a', line, start: 0, end: 1 }, error });
 * [rate.add(bad(1), 1), rate.add(bad(2), 2)] // => [undefined, undefined]
 * rate.add(bad(4), 4).problem // => '3 of 4 records are bad (75 %), 3 of them not-json, first at a:1: no brace'
 */
export class ErrorRate {
  readonly #maxErrorRate: number;
  readonly #after: number;
  readonly #kinds = new Map<ErrorCode, { count: number; readonly first: TagstreamError }>();
  #bad = 0;
  readonly #maxBadInRow: number;
  readonly #names: NonNullable<ErrorRateLimit['optionNames']>;
  readonly #rows = new BadRows();

  constructor(limit: ErrorRateLimit = {}) {
    this.#maxErrorRate = limit.maxErrorRate ?? defaultErrorRate.maxErrorRate;
    this.#after = limit.after ?? defaultErrorRate.after;
    const inRow = this.#maxErrorRate < 1 ? defaultErrorRate.maxBadInRow : 0;
    this.#maxBadInRow = limit.maxBadInRow ?? inRow;
    this.#names = limit.optionNames ?? ownNames;
  }

  /**
   * Counts a bad record.
   *
   * @param number number of the record among all, good and bad, from 1
   * @param isExpected whether its fault is skipped by name: if so, it ends a run of bad records
   * @returns a TagstreamError `too-many-bad` if this one exceeds the limit
   */
  add(bad: BadRecord, number: number, isExpected = false): TagstreamError | undefined {
    const { position, error } = bad;
    this.#bad += 1;
    const kind = this.#kinds.get(error.code);
    if (kind === undefined) {
      const { source, line } = position;
      this.#kinds.set(error.code, { count: 1, first: error.at({ source, line }) });
    } else kind.count += 1;
    if (number >= this.#after && this.#bad > this.#maxErrorRate * number) {
      return this.#tooMany(number, position.source);
    }
    if (this.#maxBadInRow === 0 || isExpected) return undefined;
    const inRow = this.#rows.add(number);
    if (inRow <= this.#maxBadInRow) return undefined;
    return inARow(inRow, bad, this.#names.maxBadInRow);
  }

  #tooMany(number: number, source: string): TagstreamError {
    const [code, { count, first }] = [...this.#kinds].reduce((most, kind) =>
      kind[1].count > most[1].count ? kind : most,
    );
    const { source: firstSource, line } = first.place;
    const percent = Math.floor((1000 * this.#bad) / number) / 10;
    const likely = likelyFix(code);
    return new TagstreamError(
      'too-many-bad',
      `${this.#bad} of ${number} records are bad (${percent} %), ${count} of them ${code}, first at ${firstSource}:${line}: ${first.problem}`,
      {
        place: { source },
        fix: `${likely}; if the input is right, raise ${this.#names.maxErrorRate}`,
      },
    );
  }
}

function inARow(count: number, { position, error }: BadRecord, option: string): TagstreamError {
  const { source, line } = position;
  const likely = likelyFix(error.code);
  return new TagstreamError(
    'too-many-bad',
    `${count} records in a row are bad, the last with ${error.code} at ${source}:${line}: ${error.problem}`,
    {
      place: { source },
      fix: `${likely === undefined ? '' : `${likely}; `}if the input is right, raise ${option}, or skip this fault by name`,
    },
  );
}
