import type { Position } from '../../core/delivery/delivery.js';
import { type ErrorCode, TagstreamError } from '../../core/errors.js';
import type { RejectedSample } from '../../core/run-status.js';
import { requireKnown } from '../../core/schema/require-argument.js';
import {
  type BadRecord,
  type FaultPolicies,
  keepsSome,
  namedPolicy,
  passingOf,
  policyFor,
  rawLimit,
} from '../bad-records/bad-record.js';
import { ErrorRate, type ErrorRateLimit } from '../bad-records/error-rate.js';
import { PassedRecords } from '../bad-records/passed-records.js';
import { maxRejectedBytes, recordKey, rejectedAfter, writeRejected } from './rejected-record.js';
import { RotatingFile } from './rotating-file.js';

/** The policies for bad records. */
export interface DeadLetterOptions extends FaultPolicies, ErrorRateLimit {
  /** Rejected records are appended to it; the first one creates it. Needed by the policy `dead-letter`. */
  readonly file?: string | undefined;
  /** Bytes of the file at most; then it becomes `FILE.1`. Default 64 MiB. */
  readonly maxBytes?: number | undefined;
  /** Full files that are kept. Default 3. */
  readonly keep?: number | undefined;
  /** Gives each rejected record a `time`; without it, no clock is read. */
  readonly now?: (() => Date) | undefined;
}

/** Default size and number of files. */
export const defaultRotation = { maxBytes: 64 * 2 ** 20, keep: 3 } as const;

/** Bad records of a code that are held to be shown, and bytes of each. */
const [samplesOfCode, sampleBytes] = [3, 1000];

/** Where rejected records go. */
export interface DeadLetterPlace {
  readonly file: string;
  /** Number of full files to keep. */
  readonly keep: number;
}

/**
 * Where rejected records go, if they are kept.
 *
 * @example
 * deadLetterPlace({ policy: 'dead-letter', file: 'bad.ndjson' }) // => ({ file: 'bad.ndjson', keep: 3 })
 */
export function deadLetterPlace({
  file,
  keep = defaultRotation.keep,
}: DeadLetterOptions): DeadLetterPlace | undefined {
  return file === undefined ? undefined : { file, keep };
}

/**
 * Counts bad records, and for each, by its fault, ends the run (`fail`), passes over it (`skip`), or
 * keeps it as a line `{source, line, start, end, code, error, raw, time}` of a file (`dead-letter`); with
 * a file, the record that ends a run is kept too. One that is written with its error (`pass`) is kept if there is a file.
 * Ends the run as well if too many records are bad, those aside that are written.
 *
 * A record is kept with all of its bytes, unless it is longer than its format takes, or than fits in the file or
 * in 64 MiB: then with its first 64 KiB and its place, where a replay reads it again if that is a file.
 *
 * See `writeRejected` for the lines, `RotatingFile` for the file. A rejected record is with the operating
 * system when `add` returns, except of a pipe: call `open` first, and await `caughtUp` now and then.
 *
 * @example
 * const deadLetters = new DeadLetters({ policy: 'fail', policies: { 'not-an-object': 'skip' } });
 * const position = { source: 'a', line: 1, start: 0, end: 4 };
 * const error = new TagstreamError('not-an-object', 'a null');
 * deadLetters.add({ position, raw: new TextEncoder().encode('null'), truncated: false, error });
 * deadLetters.counts // => ({ 'not-an-object': 1 })
 * deadLetters.summary() // => '1 bad record (1 not-an-object)'
 */
export class DeadLetters {
  readonly #options: DeadLetterOptions;
  readonly #file: RotatingFile | undefined;
  readonly #maxBytes: number;
  readonly #rate: ErrorRate;
  /** Policies where some bad records are written with their error, and those on their way. */
  readonly passing: FaultPolicies | undefined;
  readonly passed: PassedRecords | undefined;
  readonly #counts = new Map<ErrorCode, number>();
  readonly #latest = new Map<ErrorCode, BadRecord[]>();
  #records = 0;
  #kept = 0;
  /** Records that are kept already. */
  #known: ReadonlySet<string> = new Set();
  #truncated = 0;
  #unwritten = 0;
  /** What has ended the run, and at which record. */
  #end: { readonly error: TagstreamError; readonly number: number } | undefined;

  /** @throws TagstreamError `config` if records are to be kept and no file is named */
  constructor(options: DeadLetterOptions) {
    requireKnown('DeadLetters', options, [
      ...['policy', 'policies', 'file', 'maxBytes', 'keep', 'now'],
      ...['maxErrorRate', 'after', 'maxBadInRow', 'optionNames'],
    ]);
    const { file, maxBytes = defaultRotation.maxBytes, keep = defaultRotation.keep } = options;
    if (keepsSome(options) && file === undefined) {
      throw new TagstreamError('config', 'the policy keeps bad records, but no file is named', {
        fix: 'name one with --dead-letter FILE, or deadLetters.file in the pipeline',
      });
    }
    this.#options = options;
    this.#maxBytes = maxBytes;
    this.#file = file === undefined ? undefined : new RotatingFile(file, { maxBytes, keep });
    this.#rate = new ErrorRate(options);
    this.passing = passingOf(options);
    this.passed = this.passing === undefined ? undefined : new PassedRecords();
  }

  /** Records of the run so far, good and bad. */
  get records(): number {
    return this.#records;
  }

  /**
   * Counts records that were read.
   *
   * @returns the number of the last of them, from 1
   */
  pass(count = 1): number {
    this.#records += count;
    return this.#records;
  }

  /**
   * Takes a bad record. After an error no record that comes after the one that it is about is taken.
   *
   * @param number of the record, if it has been counted; else it is the next
   * @throws the record's error under `fail`; TagstreamError `too-many-bad`; `file` if the file cannot be
   * written
   */
  add(bad: BadRecord, number: number = this.pass()): void {
    if (this.#end !== undefined && number > this.#end.number) throw this.#end.error;
    const { code } = bad.error;
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1);
    const latest = this.#latest.get(code) ?? [];
    this.#latest.set(code, latest);
    if (latest.push({ ...bad, raw: bad.raw.slice(0, sampleBytes) }) > samplesOfCode) latest.shift();
    const policy = policyFor(code, this.#options);
    if (policy !== 'skip') this.#keep(bad);
    if (policy === 'fail') throw this.#ended(bad.error, number);
    if (policy === 'pass' && this.#options.maxErrorRate === undefined) return;
    const tooMany = this.#rate.add(
      bad,
      number,
      policy === 'pass' || namedPolicy(code, this.#options) === 'skip',
    );
    if (tooMany !== undefined) throw this.#ended(tooMany, number);
  }

  /** Whether a record with an error of this code is written with it. */
  passes(code: ErrorCode): boolean {
    return this.passing !== undefined && policyFor(code, this.passing) === 'pass';
  }

  /** Bad records by code, most first, then by name. */
  get counts(): Readonly<Partial<Record<ErrorCode, number>>> {
    const byCount = ([a, m]: [string, number], [b, n]: [string, number]) =>
      n - m || (a < b ? -1 : 1);
    return Object.fromEntries([...this.#counts].sort(byCount));
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The latest bad records of each code, in the order of `counts`: what is wrong, and the beginning of the record. */
  get samples(): readonly RejectedSample[] {
    return Object.keys(this.counts).flatMap(code =>
      this.#latest.get(code as ErrorCode)!.map(({ error, position, raw }) => {
        const line = error.place.line ?? position.line;
        const { message, fix } = error.at({ source: position.source, line });
        return { code: error.code, message, fix, raw: new TextDecoder().decode(raw) };
      }),
    );
  }

  /** Rejected records that were written. */
  get kept(): number {
    return this.#kept;
  }

  /** Rejected records among them with the beginning of their record only. */
  get truncated(): number {
    return this.#truncated;
  }

  /** Records that could not be kept, as the file could not be written. */
  get unwritten(): number {
    return this.#unwritten;
  }

  /** Rejected records that are in no file any more, those of earlier runs among them. */
  get dropped(): number {
    return this.#file?.dropped ?? 0;
  }

  /** One line: `3 bad records (2 not-json, 1 length-mismatch)`. */
  summary(): string {
    const { total } = this;
    const parts = Object.entries(this.counts).map(([code, count]) => `${count} ${code}`);
    const head = total === 1 ? '1 bad record' : `${total} bad records`;
    return total === 0 ? head : `${head} (${parts.join(', ')})`;
  }

  /**
   * Finds the rejected records that an earlier run has written of records after `position`, so that a resumed
   * run there writes none of them twice.
   *
   * @param files the inputs, in their order
   */
  async resumeAfter(files: readonly string[], position: Position | undefined): Promise<void> {
    const { file } = this.#options;
    if (file === undefined) return;
    const known = await rejectedAfter(file, files, position);
    this.#known = new Set([...this.#known, ...known]);
  }

  /**
   * Locks the file, so that no other process writes to it until it is closed, and waits until a pipe that is to
   * take the rejected records has a reader. Without it, the first rejected record locks the file.
   *
   * @param signal its abort ends the wait
   * @throws (rejects with) the reason of the signal, TagstreamError `file`, also if another process writes to it
   */
  async open(signal?: AbortSignal): Promise<void> {
    await this.#file?.open(signal);
  }

  /** The file that rejected records are added to, if there is one, with how many full ones are kept. */
  get place(): DeadLetterPlace | undefined {
    return deadLetterPlace(this.#options);
  }

  /**
   * Settles when the reader of a pipe has taken the rejected records that wait in memory; undefined where few
   * wait.
   */
  caughtUp(): Promise<void> | undefined {
    return this.#file?.caughtUp();
  }

  /**
   * Makes the file durable and closes it; a later rejected record opens it again. Of a pipe, waits until its
   * reader has taken all rejected records.
   *
   * @throws (rejects with) TagstreamError `file` if the reader has gone before
   */
  async close(): Promise<void> {
    await this.#file?.close();
  }

  #keep(bad: BadRecord): void {
    if (this.#file === undefined) return;
    const isKnown = this.#known.size > 0 && this.#known.has(recordKey(bad.position));
    const { line, whole } = fittingRecord(bad, this.#maxBytes, this.#options.now?.());
    this.#unwritten += 1;
    if (!isKnown) this.#file.add(line);
    this.#unwritten -= 1;
    this.#kept += 1;
    if (!whole) this.#truncated += 1;
  }

  #ended(error: TagstreamError, number: number): TagstreamError {
    this.#end = { error, number };
    return error;
  }
}

/** A rejected record as a line, and whether all of its bytes are in it. */
export interface FittingRecord {
  readonly line: string;
  readonly whole: boolean;
}

/**
 * A rejected record as a line of at most `maxBytes`, and never more than `maxRejectedBytes`: with all bytes
 * that are at hand as text or, where that is too long, in base64; else with the first `rawLimit` of them.
 *
 * @example
 * const position = { source: 'a', line: 1, start: 0, end: 4 };
 * const error = new TagstreamError('not-an-object', 'a null');
 * const raw = new TextEncoder().encode('null');
 * fittingRecord({ position, raw, truncated: false, error }, 1000).whole // => true
 */
export function fittingRecord(bad: BadRecord, maxBytes: number, time?: Date): FittingRecord {
  const most = Math.min(maxBytes, maxRejectedBytes);
  // A text whose every character is escaped would take six times its bytes: that many fit in a string.
  for (const base64 of bad.raw.length <= most ? [false, true] : []) {
    const line = writeRejected(bad, time, base64);
    if (Buffer.byteLength(line) <= most) return { line, whole: !bad.truncated };
  }
  const beginning = { ...bad, raw: bad.raw.subarray(0, rawLimit), truncated: true };
  return { line: writeRejected(beginning, time), whole: false };
}
