import { isUtf8 } from 'node:buffer';
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import type { ErrorCode } from '../core/errors.js';
import type { BadRecord } from './bad-record.js';
import { fileError } from './file-error.js';

/** What to do with bad records. */
export type DeadLetterOptions =
  | { readonly policy: 'fail' }
  | { readonly policy: 'skip' }
  | {
      readonly policy: 'dead-letter';
      /** Letters are added to it; it is made when the first one comes. */
      readonly file: string;
      /** Gives each letter a `time`; without it no clock is read. */
      readonly now?: (() => Date) | undefined;
    };

/**
 * Counts bad records, and ends the run (`fail`), passes over them (`skip`), or keeps each as a line
 * `{source, line, start, end, code, error, raw}` of a file (`dead-letter`).
 *
 * `raw` is the record's text; bytes that are not UTF-8 stand in `rawBase64`, and `truncated` is true
 * where only the beginning was kept. A letter is with the operating system when `add` returns.
 *
 * @example
 * const letters = new DeadLetters({ policy: 'skip' });
 * const position = { source: 'a', line: 1, start: 0, end: 4 };
 * const error = new TagstreamError('not-an-object', 'a null');
 * letters.add({ position, raw: new TextEncoder().encode('null'), truncated: false, error });
 * letters.counts // => ({ 'not-an-object': 1 })
 * letters.summary() // => '1 bad record (1 not-an-object)'
 */
export class DeadLetters {
  readonly #options: DeadLetterOptions;
  readonly #counts = new Map<ErrorCode, number>();
  #written = 0;
  #file: number | undefined;

  constructor(options: DeadLetterOptions) {
    this.#options = options;
  }

  /** @throws the record's error under `fail`; TagstreamError `file` if the file cannot be written */
  add(bad: BadRecord): void {
    const { code } = bad.error;
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1);
    if (this.#options.policy === 'fail') throw bad.error;
    if (this.#options.policy === 'skip') return;
    const { file, now } = this.#options;
    const time = now === undefined ? {} : { time: now().toISOString() };
    const line = Buffer.from(`${JSON.stringify({ ...letter(bad), ...time })}\n`);
    let done = 0;
    try {
      this.#file ??= openSync(file, 'a');
      while (done < line.length) done += writeSync(this.#file, line, done);
      this.#written += 1;
    } catch (cause) {
      if (this.#file !== undefined && done > 0) takeBack(this.#file, done);
      throw fileError('write the dead letters to', file, cause);
    }
  }

  /** Bad records by code, most first, then by name. */
  get counts(): Readonly<Partial<Record<ErrorCode, number>>> {
    const byCount = ([a, m]: [string, number], [b, n]: [string, number]) =>
      n - m || (a < b ? -1 : 1);
    return Object.fromEntries([...this.#counts].sort(byCount));
  }

  /** Letters that were kept. */
  get written(): number {
    return this.#written;
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** One line: `3 bad records (2 not-json, 1 length-mismatch)`. */
  summary(): string {
    const { total } = this;
    const parts = Object.entries(this.counts).map(([code, count]) => `${count} ${code}`);
    const head = total === 1 ? '1 bad record' : `${total} bad records`;
    return total === 0 ? head : `${head} (${parts.join(', ')})`;
  }

  /** Makes the file durable and closes it; a later letter opens it again. */
  close(): void {
    if (this.#file === undefined) return;
    const file = this.#file;
    this.#file = undefined;
    try {
      fsyncSync(file);
    } catch {
      // A pipe or a terminal cannot be flushed to disk.
    }
    closeSync(file);
  }
}

/** Half a letter would spoil the one that comes after it, in this run or the next. */
function takeBack(file: number, bytes: number): void {
  try {
    ftruncateSync(file, fstatSync(file).size - bytes);
  } catch {
    // Of a pipe nothing can be taken back.
  }
}

function letter({ position, raw, truncated, error }: BadRecord): Record<string, unknown> {
  const text = textOf(raw, truncated);
  return {
    source: position.source,
    line: error.place.line ?? position.line,
    start: position.start,
    end: position.end,
    code: error.code,
    error: error.fix === undefined ? error.problem : `${error.problem} (${error.fix})`,
    ...(text === undefined ? { rawBase64: Buffer.from(raw).toString('base64') } : { raw: text }),
    ...(truncated ? { truncated } : {}),
  };
}

/** A cut may have gone through a character; its first bytes are left out of the text then. */
function textOf(raw: Uint8Array, truncated: boolean): string | undefined {
  const most = truncated ? Math.min(3, raw.length) : 0;
  for (let cut = 0; cut <= most; cut += 1) {
    const bytes = raw.subarray(0, raw.length - cut);
    if (isUtf8(bytes)) return Buffer.from(bytes).toString();
  }
  return undefined;
}
