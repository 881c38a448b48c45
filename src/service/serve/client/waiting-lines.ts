import { TagstreamError } from '../../../engine/core/errors.js';
import type { GivenRecord } from '../schemas.js';
import { Changes } from '../waiting.js';

/** Records or texts of a stream. */
export type GivenRecords =
  | AsyncIterable<string | GivenRecord>
  | Iterable<string | GivenRecord>
  | ReadableStream<string | GivenRecord>;

/** Maximum number of characters of records read ahead. */
const mostAhead = 1 << 16;

/**
 * Returns the JSON of a text or a record.
 *
 * @throws TagstreamError `wrong-shape` for anything else, and for values without JSON
 */
export function jsonOf(record: unknown): string {
  try {
    if (typeof record === 'string' || (typeof record === 'object' && record !== null)) {
      return JSON.stringify(record);
    }
  } catch (cause) {
    throw new TagstreamError('wrong-shape', `a record cannot be written as JSON: ${cause}`, {
      cause,
    });
  }
  throw new TagstreamError('wrong-shape', `a record is ${record === null ? null : typeof record}`, {
    fix: 'pass texts, or records with a text or tokens',
  });
}

/** Records of an iterable as JSON, read ahead by a bounded amount. */
export class WaitingLines {
  readonly #iterator: AsyncIterator<string | GivenRecord> | Iterator<string | GivenRecord>;
  readonly #isAsync: boolean;
  #lines: string[] = [];
  #ahead = 0;
  #taken = 0;
  #isRead = false;
  #isClosed = false;
  #failure: { readonly error: unknown } | undefined;
  readonly #changes = new Changes();

  constructor(records: GivenRecords) {
    this.#iterator = iteratorOf(records);
    this.#isAsync = Symbol.asyncIterator in records;
    void this.#read();
  }

  /** Number of records taken. */
  get taken(): number {
    return this.#taken;
  }

  /** Whether all records have been taken. */
  get isDone(): boolean {
    return this.#isRead && this.#lines.length === 0;
  }

  /** The error that the iterable threw. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /**
   * Returns the waiting records, at least one; undefined when there are no more.
   *
   * @throws (rejects with) the error of the iterable
   */
  async take(): Promise<readonly string[] | undefined> {
    while (this.#lines.length === 0 && !this.#isRead) await this.#changes.next();
    const lines = this.#lines;
    if (lines.length === 0) {
      if (this.#failure !== undefined) throw this.#failure.error;
      return undefined;
    }
    this.#lines = [];
    this.#ahead = 0;
    this.#taken += lines.length;
    this.#changes.tell();
    return lines;
  }

  /** Stops reading and closes the iterable. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#changes.tell();
    if (this.#isRead) return;
    // A suspended generator ends only after its pending await, which may never settle.
    void Promise.resolve(this.#iterator.return?.()).catch(() => undefined);
  }

  async #read(): Promise<void> {
    try {
      while (!this.#isClosed) {
        if (this.#ahead >= mostAhead) {
          await this.#changes.next();
          continue;
        }
        const next = this.#iterator.next();
        const { done, value } = this.#isAsync
          ? await next
          : (next as IteratorResult<string | GivenRecord>);
        if (done === true) break;
        const line = jsonOf(value);
        this.#lines.push(line);
        this.#ahead += line.length;
        this.#changes.tell();
      }
    } catch (error) {
      this.#failure = { error };
    }
    this.#isRead = true;
    this.#changes.tell();
  }
}

function iteratorOf(
  records: GivenRecords,
): AsyncIterator<string | GivenRecord> | Iterator<string | GivenRecord> {
  if (typeof records === 'object' && records !== null) {
    if (Symbol.asyncIterator in records) return records[Symbol.asyncIterator]();
    if (Symbol.iterator in records) return records[Symbol.iterator]();
  }
  throw new TagstreamError('config', 'stream: the records are not iterable', {
    fix: 'pass an array, a generator or another iterable; for a single text call tag',
  });
}
