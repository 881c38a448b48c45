import type { Position } from '../../../engine/core/delivery/delivery.js';
import { type ErrorCode, TagstreamError } from '../../../engine/core/errors.js';
import type { RejectedSample } from '../../../engine/core/run-status.js';
import { requireKnown } from '../../../engine/core/schema/require-argument.js';
import {
  type BadRecord,
  type FaultPolicies,
  keepsSome,
  namedPolicy,
  passingOf,
  policyFor,
  rawLimit,
} from '../../../formats/bad-records/bad-record.js';
import { ErrorRate, type ErrorRateLimit } from '../../../formats/bad-records/error-rate.js';
import { PassedRecords } from '../../../formats/bad-records/passed-records.js';
import { maxRejectedBytes, rejectedAfter, rejectedKey, writeRejected } from './rejected-record.js';
import { RotatingFile } from './rotating-file.js';

/** Policies for bad records, and their destination. */
export interface DeadLetterOptions extends FaultPolicies, ErrorRateLimit {
  /** File to which rejected records are appended, created when first needed. Required by the policy `dead-letter`. */
  readonly file?: string | undefined;
  /** Size in bytes at which the file is renamed to `FILE.1`. Default 64 MiB. */
  readonly maxBytes?: number | undefined;
  /** Number of full files kept. Default 3. */
  readonly keep?: number | undefined;
  /** Returns the `time` added to each rejected record; if absent, no clock is read. */
  readonly now?: (() => Date) | undefined;
}

/** Default size and number of files. */
export const defaultRotation = { maxBytes: 64 * 2 ** 20, keep: 3 } as const;

/** Maximum number of sample records per error code, and of bytes per sample. */
const [samplesOfCode, sampleBytes] = [3, 1000];

/** Destination of rejected records. */
export interface DeadLetterPlace {
  readonly file: string;
  /** Number of full files kept. */
  readonly keep: number;
}

/**
 * Returns the destination of rejected records, if they are kept.
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
 * Counts bad records and, depending on the fault, ends the run (`fail`), skips the record (`skip`), or keeps it in a
 * file as a line `{source, line, start, end, code, error, raw, time}` (`dead-letter`). If there is a file, it also gets
 * the record that ends a run, and records written with their error (`pass`). Also ends the run if too many records are
 * bad, not counting those written with their error.
 *
 * A record is kept with all of its bytes, unless it exceeds its format's limit, the file's size or 64 MiB: it is then
 * kept with its first 64 KiB and its position, from which a replay reads it again if its source is a file. See
 * `writeRejected` for the lines, `RotatingFile` for the file. When `add` returns, a rejected record has been passed to
 * the operating system, except for pipes, which require a call of `open` first, and awaiting `caughtUp` regularly.
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
  /** Policies if some bad records are written with their error, and those records on their way to the output. */
  readonly passing: FaultPolicies | undefined;
  readonly passed: PassedRecords | undefined;
  readonly #counts = new Map<ErrorCode, number>();
  readonly #latest = new Map<ErrorCode, BadRecord[]>();
  #records = 0;
  #kept = 0;
  /** Keys of records that are already kept. */
  #known: ReadonlySet<string> = new Set();
  #truncated = 0;
  #unwritten = 0;
  /** The error that ended the run, and its record's number. */
  #end: { readonly error: TagstreamError; readonly number: number } | undefined;

  /** @throws TagstreamError `config` if records must be kept and no file is named */
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

  /** Number of records so far in this run, good and bad. */
  get records(): number {
    return this.#records;
  }

  /**
   * Counts records that have been read.
   *
   * @returns the number of the last of them, from 1
   */
  pass(count = 1): number {
    this.#records += count;
    return this.#records;
  }

  /**
   * Handles a bad record. After an error, later records are ignored.
   *
   * @param number number of the record if it has been counted; otherwise it is the next one
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

  /** Whether a record with this error code is written with its error. */
  passes(code: ErrorCode): boolean {
    return this.passing !== undefined && policyFor(code, this.passing) === 'pass';
  }

  /** Number of bad records by code, highest first, and by name if equal. */
  get counts(): Readonly<Partial<Record<ErrorCode, number>>> {
    const byCount = ([a, m]: [string, number], [b, n]: [string, number]) =>
      n - m || (a < b ? -1 : 1);
    return Object.fromEntries([...this.#counts].sort(byCount));
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The latest bad records of each code, in the order of `counts`: the problem, and the beginning of the record. */
  get samples(): readonly RejectedSample[] {
    return Object.keys(this.counts).flatMap(code =>
      this.#latest.get(code as ErrorCode)!.map(({ error, position, raw }) => {
        const line = error.place.line ?? position.line;
        const { message, fix } = error.at({ source: position.source, line });
        return { code: error.code, message, fix, raw: new TextDecoder().decode(raw) };
      }),
    );
  }

  /** Number of rejected records written. */
  get kept(): number {
    return this.#kept;
  }

  /** Number of rejected records of which only the beginning was written. */
  get truncated(): number {
    return this.#truncated;
  }

  /** Number of records that could not be kept because writing failed. */
  get unwritten(): number {
    return this.#unwritten;
  }

  /** Number of rejected records that are no longer in any file, including those of earlier runs. */
  get dropped(): number {
    return this.#file?.dropped ?? 0;
  }

  /** Returns one line such as `3 bad records (2 not-json, 1 length-mismatch)`. */
  summary(): string {
    const { total } = this;
    const parts = Object.entries(this.counts).map(([code, count]) => `${count} ${code}`);
    const head = total === 1 ? '1 bad record' : `${total} bad records`;
    return total === 0 ? head : `${head} (${parts.join(', ')})`;
  }

  /**
   * Finds the records after `position` that an earlier run has already rejected, so that a resumed run does not write
   * them twice.
   *
   * @param files the inputs, in order
   */
  async resumeAfter(files: readonly string[], position: Position | undefined): Promise<void> {
    const { file } = this.#options;
    if (file === undefined) return;
    const known = await rejectedAfter(file, files, position);
    this.#known = new Set([...this.#known, ...known]);
  }

  /**
   * Locks the file, so that no other process writes to it until it is closed, and waits until a pipe for
   * rejected records has a reader. Otherwise, the first rejected record locks the file.
   *
   * @param signal aborts the wait
   * @throws (rejects with) the reason of the signal, TagstreamError `file`, also if another process is writing to it
   */
  async open(signal?: AbortSignal): Promise<void> {
    await this.#file?.open(signal);
  }

  /** The destination of rejected records; undefined if there is no file. */
  get place(): DeadLetterPlace | undefined {
    return deadLetterPlace(this.#options);
  }

  /**
   * Resolves when the reader of a pipe has read the rejected records waiting in memory; undefined if few are waiting.
   */
  caughtUp(): Promise<void> | undefined {
    return this.#file?.caughtUp();
  }

  /**
   * Makes the file durable and closes it; a later rejected record opens it again. For a pipe, waits until
   * its reader has read all rejected records.
   *
   * @throws (rejects with) TagstreamError `file` if the reader has closed the pipe
   */
  async close(): Promise<void> {
    await this.#file?.close();
  }

  #keep(bad: BadRecord): void {
    if (this.#file === undefined) return;
    const { line, whole } = fittingRecord(bad, this.#maxBytes, this.#options.now?.());
    const isKnown =
      this.#known.size > 0 && this.#known.has(rejectedKey({ ...bad, truncated: !whole }));
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

/** A rejected record as a line, and whether the line contains all of its bytes. */
export interface FittingRecord {
  readonly line: string;
  readonly whole: boolean;
}

/**
 * Formats a rejected record as a line of at most `maxBytes` and `maxRejectedBytes`: with all available bytes as text
 * or, if that is too long, in base64; otherwise with the first `rawLimit` bytes.
 *
 * @example
 * const position = { source: 'a', line: 1, start: 0, end: 4 };
 * const error = new TagstreamError('not-an-object', 'a null');
 * const raw = new TextEncoder().encode('null');
 * fittingRecord({ position, raw, truncated: false, error }, 1000).whole // => true
 */
export function fittingRecord(bad: BadRecord, maxBytes: number, time?: Date): FittingRecord {
  const most = Math.min(maxBytes, maxRejectedBytes);
  // If every character is escaped, a text takes six times its bytes, which still fits in a string.
  for (const base64 of bad.raw.length <= most ? [false, true] : []) {
    const line = writeRejected(bad, time, base64);
    if (Buffer.byteLength(line) <= most) return { line, whole: !bad.truncated };
  }
  const beginning = { ...bad, raw: bad.raw.subarray(0, rawLimit), truncated: true };
  return { line: writeRejected(beginning, time), whole: false };
}
