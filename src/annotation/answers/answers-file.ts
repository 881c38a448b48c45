import { createHash } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { TagstreamError } from '../../engine/core/errors.js';
import { counted } from '../../engine/core/wording/numbers.js';
import { syncDirectory } from '../../formats/files/directories.js';
import { fileError } from '../../formats/files/file-error.js';
import { type FileLock, lockOutput } from '../../runtime/io/locks/file-lock.js';
import { atomicWrite, writeFully } from '../../runtime/io/writing/atomic-write.js';
import type { Answer, ReplacedAnswer } from './answer.js';
import { parseAnswer } from './answer-line.js';

/** How an answers file handles other programs that write to it. */
export interface AnswersFileOptions {
  /** Receives notices for the user at the terminal. */
  readonly onNotice?: (text: string) => void;
  /** Returns whether an answer added by another program belongs to this file. Default: always. */
  readonly accepts?: (answer: Answer) => boolean;
  /** Called with the records whose answers another program has added or edited. */
  readonly onChange?: (records: readonly number[]) => void;
}

/** An answer and its line. */
interface Kept {
  readonly record: number;
  readonly time: string;
  readonly line: string;
}

/** A line of a file: an answer, or its error. */
interface Piece {
  readonly number: number;
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly isTerminated: boolean;
  readonly answer?: Answer;
  readonly error?: TagstreamError;
}

/** Non-blank lines of a file. */
interface Content {
  readonly pieces: readonly Piece[];
  /** Whether there are NUL bytes between the lines, as in a file truncated during a write. */
  readonly hasNul: boolean;
  readonly endsInLine: boolean;
}

/** State of the file when it was last read or written. */
type Stamp = Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs'>;

/** Changes that another program has made. */
interface Changes {
  readonly taken: number[];
  readonly rejected: number[];
  superseded: number;
  dropped: number;
}

const newline = 10;

/** Maximum number of attempts to read a file that another program keeps changing. */
const mostAttempts = 20;

/**
 * The answers file: NDJSON with one line per answered record, in the order of the answers. `train`
 * reads it without conversion.
 *
 * When `add` and `undo` return, their changes are on the disk. A new answer is appended. If a
 * record is answered again or an answer is undone, the file is rewritten under another name and
 * then replaced, so that it never has two answers to one record. The later answer stores the
 * earlier one, and undoing it restores the earlier one.
 *
 * Other programs may replace, truncate, edit, extend or delete the file. All answers are kept in
 * memory and compared with the file before each write and by `sync`. Missing answers are written
 * again, added or edited answers are adopted, and everything else moves to a second file,
 * `FILE.rejected`, which only grows. A lock keeps other sessions out.
 */
export class AnswersFile {
  readonly path: string;
  /** Path of the file for damaged lines and outdated versions of answers. */
  readonly rejectedPath: string;
  readonly #options: AnswersFileOptions;
  #file: number;
  #stamp: Stamp | undefined;
  /** The most recently replaced file, to which a program that has it open may still write. */
  #former: { readonly file: number; readonly stamp: Stamp } | undefined;
  #lock: FileLock | undefined;
  #isLoaded = false;
  readonly #kept: Kept[] = [];
  readonly #byRecord = new Map<number, Kept>();
  /** Keys of all answers, including replaced ones. */
  readonly #keys = new Set<string>();
  /**
   * Digests of outdated lines: a program that writes one of them again has an old copy of the file.
   */
  readonly #retired = new Set<string>();
  /** Lines to be written to `FILE.rejected`. */
  readonly #rejected: Uint8Array[] = [];

  /**
   * @throws TagstreamError `file` if it cannot be opened or another process uses it, `wrong-shape` if it belongs to
   * another program
   */
  constructor(path: string, options: AnswersFileOptions = {}) {
    this.path = path;
    this.rejectedPath = `${path}.rejected`;
    this.#options = options;
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
      requireAnswers(this.#read(this.#file), path);
      this.sync();
      this.#isLoaded = true;
    } catch (thrown) {
      this.#release();
      throw thrown;
    }
  }

  get size(): number {
    return this.#kept.length;
  }

  /** Records that have an answer. */
  get records(): Iterable<number> {
    return this.#byRecord.keys();
  }

  has(record: number): boolean {
    return this.#byRecord.has(record);
  }

  /**
   * Returns whether an answer with this key was added before, even if another has replaced it
   * since.
   */
  knows(record: number, key: string | undefined): boolean {
    return key !== undefined && this.#keys.has(`${record} ${key}`);
  }

  /** Returns the answer to a record. */
  of(record: number): Answer | undefined {
    const kept = this.#byRecord.get(record);
    return kept === undefined ? undefined : parseAnswer(kept.line);
  }

  /** Yields all answers in order, parsing them one by one. */
  *answers(): Generator<Answer> {
    for (const { line } of [...this.#kept]) yield parseAnswer(line);
  }

  /** Yields the line of each answered record, in the order of the answers. */
  *linesByRecord(): Generator<readonly [record: number, line: string]> {
    for (const { record, line } of [...this.#kept]) yield [record, line];
  }

  /**
   * Stores an answer, replacing an earlier one to the same record. A key is accepted once, however
   * many other answers have been added since.
   *
   * @param line makes the line of the answer, given the answer that it replaces
   * @returns whether the answer was new
   * @throws TagstreamError `file` if it cannot be written
   */
  add(
    { record, key }: { readonly record: number; readonly key?: string | undefined },
    line: (replaced: ReplacedAnswer | undefined) => string,
  ): boolean {
    this.sync();
    if (this.knows(record, key)) return false;
    const old = this.#byRecord.get(record);
    if (old === undefined) {
      const added = keptOf(line(undefined));
      this.#guarded(() => this.#append(`${added.line}\n`));
      this.#kept.push(added);
      this.#byRecord.set(record, added);
    } else {
      const at = this.#kept.indexOf(old);
      const added = keptOf(line({ at, line: old.line }));
      const others = this.#kept.filter(each => each !== old);
      this.#guarded(() => this.#replaceAll([...others, added]));
      this.#retired.add(digestOf(old.line));
    }
    if (key !== undefined) this.#keys.add(`${record} ${key}`);
    try {
      // Another program may have written meanwhile.
      this.sync();
    } catch (thrown) {
      // The answer is in memory; the next attempt writes it.
      this.#options.onChange?.([record]);
      throw thrown;
    }
    return true;
  }

  /**
   * Undoes the last answer.
   *
   * @returns that answer; undefined if there is none
   * @throws TagstreamError `file` as `add`
   */
  undo(): Answer | undefined {
    this.sync();
    const last = this.#kept.at(-1);
    if (last === undefined) return undefined;
    const answer = parseAnswer(last.line);
    const { replaced } = answer;
    const left = this.#kept.slice(0, -1);
    if (replaced !== undefined) left.splice(replaced.at, 0, keptOf(replaced.line));
    this.#guarded(() => this.#replaceAll(left));
    this.#retired.add(digestOf(last.line));
    this.#keys.delete(`${last.record} ${answer.note.key}`);
    if (replaced !== undefined) this.#retired.delete(digestOf(replaced.line));
    this.sync();
    return answer;
  }

  /**
   * Compares the file with the answers in memory, and repairs it if another program has written to
   * it.
   *
   * @throws TagstreamError `file` if that fails
   */
  sync(): void {
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const former = this.#former;
      const late = former && fstatSync(former.file, { bigint: true });
      const isLate = late !== undefined && !isSame(late, former!.stamp);
      const seen = statSync(this.path, { bigint: true, throwIfNoEntry: false });
      if (!isLate && seen !== undefined && isSame(seen, this.#stamp)) return;
      this.#guarded(() => {
        const changes: Changes = { taken: [], rejected: [], superseded: 0, dropped: 0 };
        if (isLate) {
          this.#former = { file: former!.file, stamp: late };
          this.#merge(this.#read(former!.file), changes);
        }
        this.#mend(changes);
      });
    }
    throw new TagstreamError('file', 'another program keeps writing to the answers file', {
      place: { source: this.path },
      fix: 'stop that program; the page keeps unconfirmed answers',
    });
  }

  close(): void {
    try {
      if (this.#isLoaded) this.sync();
    } finally {
      this.#release();
    }
  }

  #release(): void {
    closeSync(this.#file);
    if (this.#former !== undefined) closeSync(this.#former.file);
    this.#former = undefined;
    this.#lock?.release();
    this.#lock = undefined;
  }

  /** Reads the file and adds the answers that it lacks. */
  #mend(changes: Changes): void {
    if (statSync(this.path, { throwIfNoEntry: false })?.ino !== fstatSync(this.#file).ino) {
      const replacing = openSync(this.path, 'a+');
      closeSync(this.#file);
      this.#file = replacing;
    }
    this.#stamp = fstatSync(this.#file, { bigint: true });
    const content = this.#read(this.#file);
    const { present, isClean } = this.#merge(content, changes);
    const missing = this.#kept.filter(({ record }) => !present.has(record));
    this.#writeRejected();
    if (!isClean) this.#replaceAll([...this.#kept]);
    else if (missing.length > 0 || !content.endsInLine) {
      const lines = missing.map(({ line }) => `${line}\n`).join('');
      this.#append(content.endsInLine ? lines : `\n${lines}`);
    }
    const { onNotice, onChange } = this.#options;
    const more = this.#isLoaded ? changes.taken.length - changes.superseded : 0;
    const { hasNul } = content;
    const report = reportOf(changes, { more, missing: missing.length, hasNul }, this.rejectedPath);
    if (report !== '') onNotice?.(`${this.path}: ${report}`);
    if (this.#isLoaded && changes.taken.length > 0) onChange?.(changes.taken);
  }

  /**
   * Adopts the new answers of a file.
   *
   * @returns the records whose answers are in the file, and whether the file has nothing else
   */
  #merge({ pieces, hasNul }: Content, changes: Changes) {
    const present = new Set<number>();
    let isClean = !hasNul;
    const drop = () => {
      changes.dropped += 1;
      isClean = false;
    };
    for (const { answer, text, bytes, number } of pieces) {
      const mine = answer && this.#byRecord.get(answer.note.record);
      if (answer !== undefined && mine?.line === text) {
        if (present.has(mine.record)) drop();
        present.add(mine.record);
      } else if (this.#retired.has(digestOf(text))) {
        drop();
      } else if (answer === undefined || !this.#isTaken(answer, mine)) {
        changes.rejected.push(number);
        this.#reject(text, bytes);
        isClean = false;
      } else {
        const { record } = answer.note;
        if (mine !== undefined) {
          changes.superseded += 1;
          this.#reject(mine.line, Buffer.from(mine.line));
        }
        if (present.has(record)) isClean = false;
        present.add(record);
        changes.taken.push(record);
        this.#take(answer, text, mine);
      }
    }
    return { present, isClean };
  }

  /**
   * Returns whether an edited copy of an answer is accepted: unless it is older than the answer.
   */
  #isTaken(answer: Answer, mine: Kept | undefined): boolean {
    if (mine !== undefined && answer.note.time < mine.time) return false;
    return !this.#isLoaded || this.#options.accepts?.(answer) !== false;
  }

  #take(answer: Answer, line: string, mine: Kept | undefined): void {
    const { record, time } = answer.note;
    const taken = { record, time, line };
    const later = this.#isLoaded ? this.#kept.findIndex(each => each.time > time) : -1;
    if (mine !== undefined) this.#kept[this.#kept.indexOf(mine)] = taken;
    else this.#kept.splice(later < 0 ? this.#kept.length : later, 0, taken);
    this.#byRecord.set(record, taken);
    for (let each: Answer | undefined = answer; each !== undefined; ) {
      const { key } = each.note;
      if (key !== undefined) this.#keys.add(`${record} ${key}`);
      each = each.replaced && parseAnswer(each.replaced.line);
    }
  }

  #reject(text: string, bytes: Uint8Array): void {
    this.#retired.add(digestOf(text));
    this.#rejected.push(bytes, Uint8Array.of(newline));
  }

  /** Writes the rejected lines, before they are removed from the answers file. */
  #writeRejected(): void {
    if (this.#rejected.length === 0) return;
    const file = openSync(this.rejectedPath, 'a');
    try {
      writeFully(file, Buffer.concat(this.#rejected));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    this.#rejected.length = 0;
  }

  #append(text: string): void {
    const bytes = Buffer.from(text);
    const start = Number(this.#stamp!.size);
    try {
      writeFully(this.#file, bytes);
      fsyncSync(this.#file);
    } catch (cause) {
      // Only a part of the file is read. A file truncated or extended by another program is left to
      // `sync`.
      const { size } = fstatSync(this.#file);
      if (size > start && size <= start + bytes.length) ftruncateSync(this.#file, start);
      this.#stamp = undefined;
      throw cause;
    }
    this.#stamp = this.#stampOf(start + bytes.length);
  }

  #replaceAll(kept: readonly Kept[]): void {
    const bytes = Buffer.from(kept.map(({ line }) => `${line}\n`).join(''));
    atomicWrite(this.path, bytes);
    if (this.#former !== undefined) closeSync(this.#former.file);
    this.#former = { file: this.#file, stamp: this.#stamp! };
    this.#file = openSync(this.path, 'a+');
    this.#stamp = this.#stampOf(bytes.length);
    this.#kept.splice(0, this.#kept.length, ...kept);
    this.#byRecord.clear();
    for (const each of this.#kept) this.#byRecord.set(each.record, each);
  }

  /**
   * Returns the state of the file; undefined if another program has written to it, so that `sync`
   * reads it again.
   */
  #stampOf(size: number): Stamp | undefined {
    const found = fstatSync(this.#file, { bigint: true });
    return found.size === BigInt(size) ? found : undefined;
  }

  #guarded(work: () => void): void {
    try {
      this.#lock?.require();
      work();
    } catch (cause) {
      throw fileError('write', this.path, cause);
    }
  }

  #read(file: number): Content {
    const chunks: Buffer[] = [];
    for (let at = 0; ; ) {
      const chunk = Buffer.allocUnsafe(1 << 20);
      const read = readSync(file, chunk, 0, chunk.length, at);
      if (read === 0) return contentOf(Buffer.concat(chunks));
      chunks.push(chunk.subarray(0, read));
      at += read;
    }
  }
}

function contentOf(bytes: Buffer): Content {
  const pieces: Piece[] = [];
  let hasNul = false;
  let number = 0;
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(newline, start);
    const end = found < 0 ? bytes.length : found;
    number += 1;
    let [from, to] = [start, end];
    while (from < to && bytes[from] === 0) from += 1;
    while (to > from && bytes[to - 1] === 0) to -= 1;
    hasNul ||= from > start || to < end;
    const piece = pieceOf(bytes.subarray(from, to), number, found >= 0);
    if (piece.text !== '') pieces.push(piece);
    start = end + 1;
  }
  return { pieces, hasNul, endsInLine: bytes.length === 0 || bytes.at(-1) === newline };
}

function pieceOf(bytes: Uint8Array, number: number, isTerminated: boolean): Piece {
  let text = Buffer.from(bytes).toString('latin1').trim();
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
    if (text === '') return { number, bytes, text, isTerminated };
    return { number, bytes, text, isTerminated, answer: parseAnswer(text) };
  } catch (thrown) {
    const error = TagstreamError.from(thrown, 'wrong-shape');
    return { number, bytes, text, isTerminated, error };
  }
}

/**
 * Rejects a file that belongs to another program: it has no answer, and more than the one line that
 * a killed process could have truncated.
 *
 * @throws TagstreamError `wrong-shape`
 */
function requireAnswers({ pieces }: Content, path: string): void {
  if (pieces.some(({ answer }) => answer !== undefined)) return;
  const foreign = pieces.find(
    ({ text, isTerminated }) =>
      !text.includes('\0') && (isTerminated || !text.startsWith('{') || isJson(text)),
  );
  if (foreign === undefined) return;
  throw TagstreamError.from(foreign.error, 'wrong-shape', { source: path, line: foreign.number });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function reportOf(
  { rejected, superseded, dropped }: Changes,
  {
    more,
    missing,
    hasNul,
  }: { readonly more: number; readonly missing: number; readonly hasNul: boolean },
  rejectedPath: string,
): string {
  const shown = rejected.slice(0, 5).join(', ') + (rejected.length > 5 ? ', ...' : '');
  const moved = `to ${basename(rejectedPath)}`;
  return [
    missing === 0 ? '' : `restored ${counted(missing, 'answer')} that another program removed`,
    more === 0 ? '' : `adopted ${counted(more, 'answer')} that another program added`,
    superseded === 0
      ? ''
      : `adopted ${counted(superseded, 'edited answer')}, moved the earlier version ${moved}`,
    rejected.length === 0
      ? ''
      : `moved ${counted(rejected.length, 'line')} without a valid answer ${moved} (line ${shown})`,
    dropped === 0 ? '' : `removed ${counted(dropped, 'outdated line')}`,
    hasNul ? 'removed NUL bytes' : '',
  ]
    .filter(each => each !== '')
    .join('; ');
}

function keptOf(line: string): Kept {
  const { record, time } = parseAnswer(line).note;
  return { record, time, line };
}

function isSame(a: Stamp, b: Stamp | undefined): boolean {
  return (
    b !== undefined &&
    a.dev === b.dev &&
    a.ino === b.ino &&
    a.size === b.size &&
    a.mtimeNs === b.mtimeNs
  );
}

function digestOf(line: string): string {
  return createHash('sha256').update(line).digest('base64');
}
