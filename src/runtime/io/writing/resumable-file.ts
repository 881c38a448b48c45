import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { TagstreamError } from '../../../engine/core/errors.js';
import { syncDirectory } from '../../../formats/files/directories.js';
import { fileError } from '../../../formats/files/file-error.js';
import { type FileAccess, followFile, openAs } from '../../../formats/files/open-files.js';
import { type FileLock, lockOutput } from '../locks/file-lock.js';
import { writeTarget } from './atomic-write.js';
import type { Output } from './open-output.js';
import {
  endOfRecords,
  findMoved,
  headOf,
  identityOf,
  isKnown,
  type KnownBytes,
  knownOf,
  numberedName,
  numbersOf,
  type OutputNote,
  type OutputNotes,
  type OutputState,
  openMoved,
  outputNoteOf,
  sameBytes,
  stateOf,
} from './output-place.js';

/** Limits at which a file is closed and the next one begins. */
export interface OutputRotation {
  /** Maximum number of bytes per file; a longer record gets its own file. */
  readonly bytes?: number | undefined;
  /** Seconds from the first record of a file until it is closed. */
  readonly seconds?: number | undefined;
}

/** Options for opening a file. */
export interface ResumableOptions {
  /** State to resume from; default: an empty file. */
  readonly from?: OutputState | undefined;
  /** End of each record, if known: files are closed only between records. */
  readonly recordEnd?: string | undefined;
  /** Whether whole records after `from` are kept, because their input cannot be read again. */
  readonly keepsTail?: boolean | undefined;
  readonly rotation?: OutputRotation | undefined;
  /** Storage for notes on the growing file, for a resumed run. */
  readonly notes?: OutputNotes | undefined;
  /** Called if the file of `from` was moved away, truncated or deleted, with the file that has its content. */
  readonly onMoved?: ((part: string, found: string | undefined) => void) | undefined;
}

/** A file with results that was moved away, which a resumed run produces again. */
interface MovedFile {
  readonly file: number;
  /** Number of bytes of all results before this file. */
  readonly start: number;
  /** Offset at which its own results begin. */
  readonly offset: number;
}

/**
 * An output file that a later process can continue: it grows under the name `FILE.part`, is truncated to a recorded
 * length on resuming, and gets its own name with `commit`. When `write` returns, the system has the bytes. The file is
 * locked until it is closed, and has the permissions of the file that it will replace.
 *
 * With `rotation` the output is a series of files, `FILE` with numbers before its extension: each has its final name
 * once it is closed, and never changes again. Other programs may move, copy and truncate, or delete the file while it
 * grows, as `logrotate` does: it is checked before each write and each checkpoint, and writing continues in an empty
 * file of the same name.
 *
 * All results form one byte stream; each file begins at an offset of the stream, which is noted when the file begins. A
 * resumed run produces results again from its checkpoint's offset, and skips those that are in files before the current
 * one, wherever these files are now.
 *
 * @example
 * ResumableFile.partOf('tagged.ndjson') // => 'tagged.ndjson.part'
 */
export class ResumableFile implements Output {
  readonly name: string;
  readonly #target: string;
  readonly #rotation: OutputRotation | undefined;
  readonly #recordEnd: string | undefined;
  readonly #notes: OutputNotes | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  #run: string | undefined;
  #file = -1;
  #lock: FileLock | undefined;
  #moved: MovedFile | undefined;
  #number = 0;
  /** Number of bytes in the current file, and of those written by others at its beginning. */
  #bytes = 0;
  #offset = 0;
  /**
   * Number of bytes of all results so far, and of those before the current file; the total is smaller while results are
   * skipped.
   */
  #total = 0;
  #start = 0;
  /** Number of bytes kept after the resume position. */
  #kept = 0;
  /** Time in milliseconds at which the first record of the file was written. */
  #since: number | undefined;
  #closed = false;

  /**
   * @throws TagstreamError `config` unless it is an uncompressed plain file, `file` if it cannot be opened or another
   *   process is writing to it
   */
  constructor(path: string, options: ResumableOptions = {}) {
    const { from, rotation, recordEnd, notes } = options;
    this.name = path;
    this.#recordEnd = recordEnd;
    this.#rotation = rotation;
    this.#notes = notes;
    let lock: FileLock | undefined;
    try {
      const { path: target, replaceable, access } = writeTarget(path);
      if (!replaceable || /\.(?:gz|zst)$/.test(path)) throw notResumable(path, rotation);
      this.#target = target;
      lock = lockOutput(target);
      this.#lock = lock;
      if (from === undefined) this.#begin(access);
      else this.#resume(from, options, access);
    } catch (cause) {
      this.#closeFiles();
      lock?.release();
      throw fileError('write', path, cause);
    }
    const seconds = rotation?.seconds;
    if (seconds !== undefined) {
      this.#timer = setInterval(() => this.#closeIfIdle(), Math.min(1, seconds) * 1000).unref();
    }
  }

  /** Returns the name under which the file for a path grows. */
  static partOf(path: string): string {
    return `${path}.part`;
  }

  /** Number of bytes in the current file so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of bytes of all results so far, over all files. */
  get total(): number {
    return this.#total;
  }

  /** Number of bytes kept after the resume position. */
  get kept(): number {
    return this.#kept;
  }

  /** Name of the current file while it grows. */
  get part(): string {
    return ResumableFile.partOf(this.#final);
  }

  get #final(): string {
    return numberedName(this.#target, this.#number);
  }

  /** State for a checkpoint; requires a preceding call of `sync`. */
  get state(): OutputState {
    const state = stateOf(this.#file, this.#bytes, this.#number);
    return { ...state, total: this.#total, run: this.#run };
  }

  write(text: string | Uint8Array, done: (error?: unknown) => void): void {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    try {
      this.#lock?.require();
      if (!this.#follow() && this.#isOld()) this.#next();
      this.#add(this.#withoutWritten(bytes));
    } catch (cause) {
      done(cause);
      return;
    }
    done();
  }

  /**
   * Flushes everything to the disk.
   *
   * @throws TagstreamError `file` if another process has taken over the file; a system error
   */
  sync(): void {
    this.#lock?.require();
    this.#follow();
    fsyncSync(this.#file);
  }

  async commit(): Promise<void> {
    try {
      this.sync();
      // A rotated output does not end with an empty file.
      const isRest = this.#number > 1 && this.#bytes === 0;
      if (isRest) rmSync(this.part);
      else renameSync(this.part, this.#final);
      syncDirectory(dirname(this.#target));
      this.#notes?.clear();
      this.#close();
    } catch (cause) {
      throw fileError('write', this.name, cause);
    }
  }

  /** Closes the file and keeps its content, so that a run can resume. */
  async abort(): Promise<void> {
    this.#close();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#timer);
    this.#closeFiles();
    this.#notes?.close();
    this.#lock?.release();
    this.#lock = undefined;
  }

  #closeFiles(): void {
    if (this.#file >= 0) closeSync(this.#file);
    this.#forgetMoved();
  }

  #begin(access: FileAccess | undefined): void {
    if (this.#rotation !== undefined) this.#number = (numbersOf(this.#target).at(-1) ?? 0) + 1;
    this.#run = newRun();
    this.#open(access);
    ftruncateSync(this.#file, 0);
    this.#note();
  }

  /** Opens or creates the current file. Each write appends, even if other programs have truncated the file. */
  #open(access: FileAccess | undefined): void {
    this.#file = openAs(this.part, 'a+', access);
    this.#bytes = 0;
    this.#offset = 0;
    this.#since = undefined;
  }

  /** Finds the position to resume from, in the file that was then current or in the one it has become. */
  #resume(from: OutputState, options: ResumableOptions, access: FileAccess | undefined): void {
    const { recordEnd, keepsTail = false, onMoved } = options;
    const note = this.#noteOf(from);
    this.#run = from.run ?? note?.run ?? newRun();
    this.#total = from.total ?? from.bytes;
    this.#start = note?.start ?? this.#total - from.bytes;
    this.#number = note?.number ?? from.number ?? 0;
    const offset = note?.offset ?? 0;
    const length = offset + Math.max(0, this.#total - this.#start);
    const known = knownOf(from, note, note === undefined || this.#total > note.start);
    if (this.#number === 0) this.#reopenFinished(known, length);
    if (this.#number === 0 && this.#rotation !== undefined) this.#beginNumbers(known);
    this.#nameClosed();
    if (isFileOf(this.part, known, length)) {
      this.#open(existsSync(this.part) ? undefined : access);
      this.#offset = offset;
      this.#cut(length, keepsTail);
    } else {
      const path = known && findMoved(this.part, known);
      if (path === undefined) this.#start = Math.max(this.#start, this.#total);
      else {
        const { file, size } = openMoved(path, length, recordEnd);
        this.#moved = { file, start: this.#start, offset };
        this.#start += size - offset;
      }
      const numbers = this.#number === 0 ? [] : numbersOf(this.#target);
      this.#number = Math.max(this.#number, (numbers.at(-1) ?? -1) + 1);
      const isClosed = numbers.some(number => numberedName(this.#target, number) === path);
      if (!isClosed) onMoved?.(this.part, path);
      this.#open(existsSync(this.part) ? undefined : access);
      this.#cut(0, keepsTail);
    }
    if (keepsTail) this.#keep();
    this.#note();
  }

  /**
   * Returns the note that a checkpoint's run has written since; it is the only trace of a run that died before its
   * first checkpoint.
   */
  #noteOf({ run, total }: OutputState): OutputNote | undefined {
    const note = outputNoteOf(this.#notes?.read());
    const isOwn = run === undefined ? total === 0 : run === note?.run;
    return isOwn ? note : undefined;
  }

  /**
   * Reopens a file that already had its final name. If it has grown since, it is set aside, because it would be
   * replaced at the end.
   */
  #reopenFinished(known: KnownBytes | undefined, length: number): void {
    const size = statSync(this.#target, { throwIfNoEntry: false })?.size;
    if (size === undefined || existsSync(this.part)) return;
    if (size === length) renameSync(this.#target, this.part);
    else if (known !== undefined && isKnown(this.#target, known)) {
      let n = 1;
      while (existsSync(`${this.#target}.${n}`)) n += 1;
      renameSync(this.#target, `${this.#target}.${n}`);
    }
  }

  /** Begins rotation for a run that had none: its file becomes the first of the series. */
  #beginNumbers(known: KnownBytes | undefined): void {
    const { part } = this;
    this.#number = (numbersOf(this.#target).at(-1) ?? 0) + 1;
    if (existsSync(part) && isFileOf(part, known, 0)) renameSync(part, this.part);
  }

  /** Gives a closed file its final name, if a run was killed before doing so. */
  #nameClosed(): void {
    for (const number of numbersOf(this.#target, ResumableFile.partOf(''))) {
      const name = numberedName(this.#target, number);
      if (number < this.#number && !existsSync(name)) renameSync(ResumableFile.partOf(name), name);
    }
  }

  /** Truncates the file to the resume position, or to the end of its last whole record. */
  #cut(length: number, keepsTail: boolean): void {
    const { size, birthtimeMs } = fstatSync(this.#file);
    const end = this.#recordEnd;
    this.#bytes =
      keepsTail && end !== undefined ? endOfRecords(this.#file, length, size, end) : length;
    ftruncateSync(this.#file, this.#bytes);
    if (this.#bytes > 0) this.#since = birthtimeMs > 0 ? birthtimeMs : Date.now();
  }

  /** Keeps all existing results. */
  #keep(): void {
    this.#forgetMoved();
    const total = this.#start + this.#bytes - this.#offset;
    this.#kept = total - this.#total;
    this.#total = total;
  }

  /** Continues in an empty file if other programs have moved or truncated this one. */
  #follow(): boolean {
    const size = followFile(this.#file, this.part);
    if (size !== undefined && size >= this.#bytes) return false;
    this.#start = Math.max(this.#start, this.#total);
    if (size === undefined) {
      const access = fstatSync(this.#file);
      fsyncSync(this.#file);
      closeSync(this.#file);
      this.#open(existsSync(this.part) ? undefined : access);
    }
    this.#since = undefined;
    this.#offset = size ?? fstatSync(this.#file).size;
    this.#bytes = this.#offset;
    this.#note();
    return true;
  }

  #isOld(): boolean {
    const { seconds } = this.#rotation ?? {};
    if (seconds === undefined || this.#since === undefined || this.#bytes === 0) return false;
    return Date.now() - this.#since >= seconds * 1000;
  }

  #closeIfIdle(): void {
    if (!this.#isOld()) return;
    try {
      this.#lock?.require();
      if (!this.#follow()) this.#next();
    } catch {
      // The next write encounters the same error and reports it.
    }
  }

  /** Notes the next file, gives this one its final name, and begins the next. */
  #next(): void {
    const { part } = this;
    const final = this.#final;
    const access = fstatSync(this.#file);
    fsyncSync(this.#file);
    this.#start = this.#total;
    this.#offset = 0;
    this.#number = Math.max(this.#number, numbersOf(this.#target).at(-1) ?? 0) + 1;
    this.#note();
    renameSync(part, final);
    closeSync(this.#file);
    syncDirectory(dirname(this.#target));
    this.#open(access);
  }

  #note(head?: OutputNote['head']): void {
    if (this.#notes === undefined) return;
    const at = { start: this.#start, offset: this.#offset, number: this.#number };
    const known = head && { head, identity: identityOf(this.#file) };
    this.#notes.write({ run: this.#run!, ...at, ...known });
  }

  /** Returns the bytes without those already in another file; in a moved file, only identical bytes count. */
  #withoutWritten(bytes: Uint8Array): Uint8Array {
    if (this.#total >= this.#start) return bytes;
    const length = Math.min(bytes.length, this.#start - this.#total);
    const same = this.#sameAsMoved(bytes.subarray(0, length));
    const end = this.#recordEnd ?? '\n';
    const isWhole =
      same === length &&
      (length === bytes.length ||
        this.#recordEnd === undefined ||
        endOf(bytes.subarray(0, length), end) === length);
    const left = isWhole ? length : endOf(bytes.subarray(0, same), end);
    this.#total += left;
    if (!isWhole) {
      this.#start = this.#total;
      this.#note();
    }
    if (this.#total === this.#start) this.#forgetMoved();
    return bytes.subarray(left);
  }

  /** Returns how many of the bytes are in the moved file; those in other files are known to be there. */
  #sameAsMoved(bytes: Uint8Array): number {
    if (this.#moved === undefined) return bytes.length;
    const { file, start, offset } = this.#moved;
    const before = Math.min(bytes.length, Math.max(0, start - this.#total));
    const at = offset + this.#total + before - start;
    return before + sameBytes(file, at, bytes.subarray(before));
  }

  #forgetMoved(): void {
    if (this.#moved !== undefined) closeSync(this.#moved.file);
    this.#moved = undefined;
  }

  /** Writes records to as many files as they need. */
  #add(bytes: Uint8Array): void {
    const most = this.#rotation?.bytes ?? Number.POSITIVE_INFINITY;
    let rest = bytes;
    while (rest.length > 0) {
      const room = most - this.#bytes;
      let end = rest.length > room ? this.#endWithin(rest, room) : rest.length;
      // A record longer than the limit gets its own file.
      if (end === 0 && this.#bytes === 0) end = this.#firstEnd(rest);
      if (end === 0) this.#next();
      this.#put(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  }

  #put(bytes: Uint8Array): void {
    if (this.#notes !== undefined && this.#bytes === this.#offset && bytes.length > 0) {
      this.#note(headOf(bytes));
    }
    for (let at = 0; at < bytes.length; ) {
      this.#since ??= Date.now();
      const written = writeSync(this.#file, bytes, at, bytes.length - at);
      at += written;
      this.#bytes += written;
      this.#total += written;
    }
  }

  /** Returns the end of the last whole record within the first `room` bytes; 0 if there is none. */
  #endWithin(bytes: Uint8Array, room: number): number {
    const end = this.#recordEnd;
    return end === undefined || room < end.length ? 0 : endOf(bytes.subarray(0, room), end);
  }

  #firstEnd(bytes: Uint8Array): number {
    const end = this.#recordEnd;
    if (end === undefined) return bytes.length;
    const at = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(end);
    return at < 0 ? bytes.length : at + end.length;
  }
}

/** Returns the end of the last whole record in some bytes; 0 if there is none. */
function endOf(bytes: Uint8Array, recordEnd: string): number {
  const at = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).lastIndexOf(recordEnd);
  return at < 0 ? 0 : at + recordEnd.length;
}

/** Returns whether the known file is at a path; a file without results may be missing. */
function isFileOf(path: string, known: KnownBytes | undefined, length: number): boolean {
  if (known !== undefined) return isKnown(path, known);
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= length;
}

function newRun(): string {
  return Math.random().toString(36).slice(2, 10);
}

function notResumable(path: string, rotation: OutputRotation | undefined): TagstreamError {
  const what = rotation === undefined ? 'resumed after a crash' : 'rotated';
  return new TagstreamError('config', `${path} cannot be ${what}`, {
    fix: `with ${rotation === undefined ? 'checkpoints' : 'rotation'}, write to an uncompressed regular file`,
  });
}
