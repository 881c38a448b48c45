import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { TagstreamError } from '../../core/errors.js';
import { fileError } from '../../io/files/file-error.js';
import { syncDirectory } from '../../io/files/sync-directory.js';
import type { FileLock } from '../../io/locks/file-lock.js';
import { lockOutput } from '../../io/locks/lock-output.js';
import { atomicWrite } from '../../io/writing/atomic-write.js';
import { writeFully } from '../../io/writing/write-fully.js';
import type { Answer, ReplacedAnswer } from './answer.js';
import { parseAnswer } from './parse-answer.js';

/** An answer, and where its line lies. */
interface Kept {
  readonly record: number;
  readonly key: string | undefined;
  readonly start: number;
  readonly end: number;
}

/**
 * The file of answers: NDJSON, a line for each record that was answered, in the order of the answers; `train` reads it as
 * it is.
 *
 * What `add` and `undo` have done is on the disk when they return. A new answer is added at the end, and the last one
 * is undone by cutting it off. Only where a record is answered again is the file written anew, under another name that
 * then replaces it, so that it never has two answers to one record; the earlier one stands in the later one and comes
 * back when that is undone. A line that was cut short by a kill is cut off when the file is opened: nobody has been
 * given word of it. The file is locked while it is open.
 */
export class AnswersFile {
  readonly path: string;
  /** Bytes of an unfinished line that were cut off. */
  readonly torn: number;
  #file: number;
  #lock: FileLock | undefined;
  #kept: Kept[] = [];
  readonly #byRecord = new Map<number, Kept>();
  #bytes = 0;

  /** @throws TagstreamError `file` if it cannot be opened or another process uses it, `wrong-shape` if it is another's */
  constructor(path: string) {
    this.path = path;
    try {
      this.#lock = lockOutput(path);
      const isNew = !existsSync(path);
      this.#file = openSync(path, 'a+');
      if (isNew) syncDirectory(dirname(path));
    } catch (cause) {
      this.#lock?.release();
      throw fileError('write', path, cause);
    }
    try {
      this.torn = this.#load();
    } catch (thrown) {
      this.close();
      throw thrown;
    }
  }

  get size(): number {
    return this.#kept.length;
  }

  /** The records that are answered. */
  get records(): Iterable<number> {
    return this.#byRecord.keys();
  }

  has(record: number): boolean {
    return this.#byRecord.has(record);
  }

  /** The answer to a record, read from the file. */
  of(record: number): Answer | undefined {
    const kept = this.#byRecord.get(record);
    return kept === undefined ? undefined : parseAnswer(this.#line(kept));
  }

  /** All answers, in their order, read one by one. */
  *answers(): Generator<Answer> {
    for (const kept of [...this.#kept]) yield parseAnswer(this.#line(kept));
  }

  /** The line of each record that is answered, in the order of the answers. */
  *linesByRecord(): Generator<readonly [record: number, line: string]> {
    for (const kept of [...this.#kept]) yield [kept.record, this.#line(kept)];
  }

  /**
   * Keeps an answer; one to the same record is replaced. The same answer, by its key, is kept once.
   *
   * @param line what makes its line, given the answer that it replaces
   * @returns whether it was new
   * @throws TagstreamError `file` if it cannot be written; the file is as it was then
   */
  add(
    { record, key }: { readonly record: number; readonly key?: string | undefined },
    line: (replaced: ReplacedAnswer | undefined) => string,
  ): boolean {
    const old = this.#byRecord.get(record);
    if (old !== undefined && key !== undefined && old.key === key) return false;
    if (old === undefined) {
      this.#append(line(undefined), record, key);
      return true;
    }
    const at = this.#kept.indexOf(old);
    const lines = this.#lines();
    lines.splice(at, 1);
    lines.push(line({ at, line: this.#line(old) }));
    this.#rewrite(lines);
    return true;
  }

  /**
   * Undoes the last answer.
   *
   * @returns it; undefined where there is none
   * @throws TagstreamError `file` as `add`
   */
  undo(): Answer | undefined {
    const last = this.#kept.at(-1);
    if (last === undefined) return undefined;
    const answer = parseAnswer(this.#line(last));
    const { replaced } = answer;
    if (replaced !== undefined) {
      const lines = this.#lines().slice(0, -1);
      lines.splice(replaced.at, 0, replaced.line);
      this.#rewrite(lines);
      return answer;
    }
    this.#guarded(() => {
      ftruncateSync(this.#file, last.start);
      fsyncSync(this.#file);
    });
    this.#bytes = last.start;
    this.#kept.pop();
    this.#byRecord.delete(last.record);
    return answer;
  }

  close(): void {
    closeSync(this.#file);
    this.#lock?.release();
    this.#lock = undefined;
  }

  #append(line: string, record: number, key: string | undefined): void {
    const bytes = Buffer.from(`${line}\n`);
    const start = this.#bytes;
    this.#guarded(() => {
      try {
        writeFully(this.#file, bytes);
        fsyncSync(this.#file);
      } catch (cause) {
        ftruncateSync(this.#file, start);
        throw cause;
      }
    });
    this.#keep({ record, key, start, end: start + bytes.length - 1 });
    this.#bytes += bytes.length;
  }

  #rewrite(lines: readonly string[]): void {
    this.#lock?.require();
    atomicWrite(this.path, lines.map(line => `${line}\n`).join(''));
    closeSync(this.#file);
    this.#file = openSync(this.path, 'a+');
    this.#load();
  }

  #guarded(work: () => void): void {
    try {
      this.#lock?.require();
      work();
    } catch (cause) {
      throw fileError('write', this.path, cause);
    }
  }

  /** Finds all answers; returns the bytes of an unfinished line at the end, which it cuts off. */
  #load(): number {
    const content = readFileSync(this.path);
    const whole = content.lastIndexOf(10) + 1;
    this.#kept = [];
    this.#byRecord.clear();
    let number = 0;
    for (let start = 0; start < whole; ) {
      const end = content.indexOf(10, start);
      number += 1;
      if (end > start) {
        try {
          const { note } = parseAnswer(content.toString('utf8', start, end));
          this.#keep({ record: note.record, key: note.key, start, end });
        } catch (thrown) {
          throw TagstreamError.from(thrown, 'wrong-shape', { source: this.path, line: number });
        }
      }
      start = end + 1;
    }
    this.#bytes = whole;
    const torn = fstatSync(this.#file).size - whole;
    if (torn > 0) {
      ftruncateSync(this.#file, whole);
      fsyncSync(this.#file);
    }
    return torn;
  }

  #keep(kept: Kept): void {
    this.#kept.push(kept);
    this.#byRecord.set(kept.record, kept);
  }

  #lines(): string[] {
    return Array.from(this.linesByRecord(), ([, line]) => line);
  }

  #line({ start, end }: Kept): string {
    const bytes = Buffer.alloc(end - start);
    readSync(this.#file, bytes, 0, bytes.length, start);
    return bytes.toString('utf8');
  }
}
