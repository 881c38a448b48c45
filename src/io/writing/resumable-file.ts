import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { TagstreamError } from '../../core/errors.js';
import { contentDigest } from '../files/content-digest.js';
import { type FileAccess, openAs } from '../files/file-access.js';
import { fileError } from '../files/file-error.js';
import { fileIdentity } from '../files/file-identity.js';
import { followFile } from '../files/follow-file.js';
import { syncDirectory } from '../files/sync-directory.js';
import type { FileLock } from '../locks/file-lock.js';
import { lockOutput } from '../locks/lock-output.js';
import type { Output } from './open-output.js';
import { writeTarget } from './write-target.js';

/** When a file is closed and the next one begins. */
export interface OutputRotation {
  /** Bytes of a file at most; a longer record has a file of its own. */
  readonly bytes?: number | undefined;
  /** Seconds from the first record of a file until it is closed. */
  readonly seconds?: number | undefined;
}

/** Where an output was when a checkpoint was written. */
export interface OutputState {
  /** Length of the file. */
  readonly bytes: number;
  /** Number of the file in a rotated output, 0 in one that is not rotated. */
  readonly number?: number | undefined;
  /** Device and inode of the file. */
  readonly identity?: string | undefined;
  /** Digest of the last bytes, by which a copy of the file is known. */
  readonly tail?: string | undefined;
}

/** How a file is opened. */
export interface ResumableOptions {
  /** Where to resume; without it the file begins empty. */
  readonly from?: OutputState | undefined;
  /** What each record ends with, where it is known: files are closed between records only. */
  readonly recordEnd?: string | undefined;
  /** Keep whole records behind `from`, as their input cannot be read again. */
  readonly keepsTail?: boolean | undefined;
  readonly rotation?: OutputRotation | undefined;
  /** Called where the file of `from` was moved away, truncated or deleted, with the file that has its content. */
  readonly onMoved?: ((part: string, found: string | undefined) => void) | undefined;
}

/** Bytes before the end of a file that identify it. */
const tailBytes = 4096;

/** Digits of the numbers in names, so that names sort in the order of the files. */
const digits = 6;

/** Results that are in a file already, and that a resumed run produces once more. */
interface WrittenPart {
  readonly path: string;
  /** Number of the file, if it is one of the closed ones. */
  readonly number?: number | undefined;
  at: number;
  readonly end: number;
}

/**
 * An output file that a later process can continue: it grows under the name `FILE.part`, is cut back to a
 * length that was recorded, and gets its own name with `commit`. What `write` was given is with the system
 * when it returns. It is locked until it is closed, and has the permissions of the file that it will replace.
 *
 * With `rotation` the output is a series of files, `FILE` with numbers before its ending: each has its final name once
 * it is closed, and never changes again. Other programs may move, copy and truncate, or delete the file while it
 * grows, as `logrotate` does: before each write and each checkpoint it is looked at, and writing continues in an empty
 * file of the same name. A run that resumes produces results again that are in closed or moved files; these
 * are compared with the files and left out.
 *
 * @example
 * ResumableFile.partOf('tagged.ndjson') // => 'tagged.ndjson.part'
 */
export class ResumableFile implements Output {
  readonly name: string;
  readonly #target: string;
  readonly #rotation: OutputRotation | undefined;
  readonly #recordEnd: string | undefined;
  readonly #written: WrittenPart[] = [];
  readonly #timer: NodeJS.Timeout | undefined;
  #file = -1;
  #lock: FileLock | undefined;
  #number = 0;
  #bytes = 0;
  /** Bytes that stayed behind the place that it resumes from. */
  #kept = 0;
  /** When the first record of the file was written, in milliseconds. */
  #since: number | undefined;
  /** Whether all that was written is part of the position that a checkpoint would have. */
  #settled = true;
  #closed = false;
  /**
   * Called before results go on in another file, where all that was written is acknowledged: for a checkpoint, so that
   * no run looks for its place in a file that others may take.
   */
  onSwitch: (() => void) | undefined;

  /**
   * @throws TagstreamError `config` for what is not a plain file or would be compressed, `file` if it cannot be opened
   *   or another process is writing it
   */
  constructor(path: string, options: ResumableOptions = {}) {
    const { from, rotation, recordEnd } = options;
    this.name = path;
    this.#recordEnd = recordEnd;
    this.#rotation = rotation;
    let lock: FileLock | undefined;
    try {
      const { path: target, replaceable, access } = writeTarget(path);
      if (!replaceable || /\.(?:gz|zst)$/.test(path)) throw notResumable(path, rotation);
      this.#target = target;
      lock = lockOutput(target);
      this.#lock = lock;
      if (from === undefined) {
        if (rotation !== undefined) this.#number = lastNumber(target) + 1;
        this.#open('w+', access);
      } else this.#resume(from, options, access);
    } catch (cause) {
      if (this.#file >= 0) closeSync(this.#file);
      lock?.release();
      throw fileError('write', path, cause);
    }
    const seconds = rotation?.seconds;
    if (seconds !== undefined) {
      this.#timer = setInterval(() => this.#closeIfIdle(), Math.min(1, seconds) * 1000).unref();
    }
  }

  /** The name under which the file of a path grows. */
  static partOf(path: string): string {
    return `${path}.part`;
  }

  /**
   * The name of a file of a rotated output; 0 is one that is not rotated.
   *
   * @example
   * ResumableFile.numbered('out/tagged.ndjson', 7) // => 'out/tagged.000007.ndjson'
   */
  static numbered(path: string, number: number): string {
    if (number === 0) return path;
    const ending = extname(path);
    const stem = ending === '' ? path : path.slice(0, -ending.length);
    return `${stem}.${String(number).padStart(digits, '0')}${ending}`;
  }

  /** Length of the current file so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes that stayed behind the place that it resumes from. */
  get kept(): number {
    return this.#kept;
  }

  /** The name of the current file while it grows. */
  get part(): string {
    return ResumableFile.partOf(this.#final);
  }

  get #final(): string {
    return ResumableFile.numbered(this.#target, this.#number);
  }

  /** Where it is, for a checkpoint; call `sync` before. */
  get state(): OutputState {
    const before = this.#written[0];
    if (before === undefined) {
      return stateOf(this.#file, this.#bytes, this.#number);
    }
    const file = openSync(before.path, 'r');
    try {
      return stateOf(file, before.at, before.number ?? this.#number);
    } finally {
      closeSync(file);
    }
  }

  write(text: string | Uint8Array, done: (error?: unknown) => void): void {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    try {
      this.#lock?.require();
      if (this.#follow()) this.#note();
      else if (this.#isOld()) this.#rotate();
      this.#add(this.#withoutWritten(bytes));
    } catch (cause) {
      done(cause);
      return;
    }
    done();
  }

  /** All that was written is acknowledged: a checkpoint of now has the position of it. */
  settle(): void {
    this.#settled = true;
  }

  /**
   * Has all of it on the disk when it returns.
   *
   * @throws TagstreamError `file` if another process has taken the file over; a system error
   */
  sync(): void {
    this.#lock?.require();
    this.#follow();
    fsyncSync(this.#file);
  }

  async commit(): Promise<void> {
    try {
      this.sync();
      const isRest = this.#number > 1 && this.#bytes === 0;
      if (isRest) rmSync(this.part);
      else renameSync(this.part, this.#final);
      this.#close();
      syncDirectory(dirname(this.#target));
    } catch (cause) {
      throw fileError('write', this.name, cause);
    }
  }

  /** Closes it and keeps what there is, for whoever resumes. */
  async abort(): Promise<void> {
    this.#close();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#timer);
    closeSync(this.#file);
    this.#lock?.release();
    this.#lock = undefined;
  }

  #open(flags: string, access: FileAccess | undefined): void {
    this.#file = openAs(this.part, flags, access);
    this.#bytes = 0;
    this.#since = undefined;
  }

  /** Finds the place to resume from, in the file that grew then or in what became of it. */
  #resume(
    from: OutputState,
    { recordEnd, keepsTail, onMoved }: ResumableOptions,
    access: FileAccess | undefined,
  ): void {
    this.#number = from.number ?? 0;
    if (this.#number === 0) reopenFinished(this.#target, from.bytes);
    if (this.#number === 0 && this.#rotation !== undefined) this.#number = this.#beginNumbers(from);
    const first = this.#number;
    if (isContinued(this.part, from)) {
      this.#open('r+', access);
      this.#cut(from.bytes, recordEnd, keepsTail);
      return;
    }
    const closed = first === 0 ? [] : numbersOf(this.#target, first);
    for (const number of closed) {
      const path = ResumableFile.numbered(this.#target, number);
      const at = number === first ? from.bytes : 0;
      const { size } = statSync(path);
      if (at < size) this.#written.push({ path, number, at, end: size });
    }
    if (closed.length > 0) this.#number = closed.at(-1)! + 1;
    else {
      const found = findMoved(this.part, from);
      if (found !== undefined) {
        const { size } = statSync(found);
        if (from.bytes < size) this.#written.push({ path: found, at: from.bytes, end: size });
      }
      onMoved?.(this.part, found);
    }
    this.#open(existsSync(this.part) ? 'r+' : 'w+', access);
    if (keepsTail === true) this.#written.length = 0;
    this.#cut(0, recordEnd, keepsTail);
  }

  /** A run that was not rotated is from now on: its file becomes one of the series. Returns its number. */
  #beginNumbers(from: OutputState): number {
    const numbers = numbersOf(this.#target);
    const next = (numbers.at(-1) ?? 0) + 1;
    const nameOf = (number: number) => ResumableFile.numbered(this.#target, number);
    if (isContinued(this.part, from)) renameSync(this.part, ResumableFile.partOf(nameOf(next)));
    return numbers.find(number => fileIdentity(nameOf(number)) === from.identity) ?? next;
  }

  /** Cuts the file back to where it resumes from, or to the end of its last whole record. */
  #cut(from: number, recordEnd: string | undefined, keepsTail = false): void {
    const { size, birthtimeMs } = fstatSync(this.#file);
    this.#bytes =
      keepsTail && recordEnd !== undefined ? endOfRecords(this.#file, from, size, recordEnd) : from;
    this.#kept = this.#bytes - from;
    ftruncateSync(this.#file, this.#bytes);
    if (this.#bytes > 0) this.#since = birthtimeMs > 0 ? birthtimeMs : Date.now();
  }

  /** Continues in an empty file where others have moved or truncated this one. */
  #follow(): boolean {
    const size = followFile(this.#file, this.part);
    if (size === undefined) {
      const access = fstatSync(this.#file);
      fsyncSync(this.#file);
      closeSync(this.#file);
      const isThere = existsSync(this.part);
      this.#open(isThere ? 'r+' : 'w+', isThere ? undefined : access);
      this.#bytes = fstatSync(this.#file).size;
      return true;
    }
    if (size >= this.#bytes) return false;
    this.#bytes = size;
    this.#since = undefined;
    return true;
  }

  #isOld(): boolean {
    const { seconds } = this.#rotation ?? {};
    if (seconds === undefined || this.#since === undefined || this.#bytes === 0) return false;
    return Date.now() - this.#since >= seconds * 1000;
  }

  #closeIfIdle(): void {
    if (!this.#isOld() || (this.onSwitch !== undefined && !this.#settled)) return;
    try {
      this.#lock?.require();
      if (!this.#follow()) this.#rotate();
    } catch {
      // The next write meets the same error and reports it.
    }
  }

  /** Closes the file between two writes. */
  #rotate(): void {
    this.#note();
    this.#next();
  }

  #note(): void {
    if (this.#settled) this.onSwitch?.();
  }

  /** Gives the file its final name and begins the next one. */
  #next(): void {
    const access = fstatSync(this.#file);
    fsyncSync(this.#file);
    renameSync(this.part, this.#final);
    closeSync(this.#file);
    syncDirectory(dirname(this.#target));
    this.#number = Math.max(this.#number, lastNumber(this.#target)) + 1;
    this.#open('w+', access);
  }

  /** Leaves out what is in another file already, as far as it is the same. */
  #withoutWritten(bytes: Uint8Array): Uint8Array {
    let rest = bytes;
    while (rest.length > 0 && this.#written.length > 0) {
      const before = this.#written[0]!;
      const length = Math.min(rest.length, before.end - before.at);
      const same = sameBytes(before, rest.subarray(0, length));
      if (same < length) {
        this.#written.length = 0;
        const end = Buffer.from(rest.buffer, rest.byteOffset, same).lastIndexOf('\n') + 1;
        return rest.subarray(end);
      }
      before.at += length;
      rest = rest.subarray(length);
      if (before.at === before.end) this.#written.shift();
    }
    return rest;
  }

  /** Writes records, into as many files as they need. */
  #add(bytes: Uint8Array): void {
    const most = this.#rotation?.bytes ?? Number.POSITIVE_INFINITY;
    let rest = bytes;
    while (rest.length > 0) {
      const room = most - this.#bytes;
      let end = rest.length > room ? this.#endWithin(rest, room) : rest.length;
      // A record that is longer than a file may be is in one by itself.
      if (end === 0 && this.#bytes === 0) end = this.#firstEnd(rest);
      if (end === 0) this.#rotate();
      this.#put(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  }

  #put(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      this.#since ??= Date.now();
      this.#settled = false;
      const written = writeSync(this.#file, bytes, at, bytes.length - at, this.#bytes);
      at += written;
      this.#bytes += written;
    }
  }

  /** Where the last record ends that is whole in the first `room` bytes; 0 if there is none. */
  #endWithin(bytes: Uint8Array, room: number): number {
    const end = this.#recordEnd;
    if (end === undefined || room < end.length) return 0;
    const at = Buffer.from(bytes.buffer, bytes.byteOffset, room).lastIndexOf(end);
    return at < 0 ? 0 : at + end.length;
  }

  #firstEnd(bytes: Uint8Array): number {
    const end = this.#recordEnd;
    if (end === undefined) return bytes.length;
    const at = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(end);
    return at < 0 ? bytes.length : at + end.length;
  }
}

/** Numbers of the closed files of a rotated output, in their order, from `first`. */
function numbersOf(target: string, first = 1): number[] {
  const ending = extname(target);
  const stem = `${basename(target).slice(0, basename(target).length - ending.length)}.`;
  const numbers: number[] = [];
  for (const name of readdirSync(dirname(target))) {
    if (!name.startsWith(stem) || !name.endsWith(ending)) continue;
    const text = name.slice(stem.length, name.length - ending.length);
    if (/^\d{6,}$/.test(text) && Number(text) >= first) numbers.push(Number(text));
  }
  return numbers.sort((a, b) => a - b);
}

function lastNumber(target: string): number {
  return numbersOf(target).at(-1) ?? 0;
}

function stateOf(file: number, bytes: number, number: number): OutputState {
  const { dev, ino } = fstatSync(file, { bigint: true });
  return { bytes, number, identity: `${dev}:${ino}`, tail: tailOf(file, bytes) };
}

/** The digest of the bytes before a place. */
function tailOf(file: number, end: number): string {
  const start = Math.max(0, end - tailBytes);
  return contentDigest([readAt(file, start, end - start)]);
}

function readAt(file: number, start: number, length: number): Uint8Array {
  const bytes = Buffer.alloc(length);
  let read = 0;
  for (let more = -1; read < length && more !== 0; read += more) {
    more = readSync(file, bytes, read, length - read, start + read);
  }
  return bytes.subarray(0, read);
}

/** Whether a file is the one of a state, grown since or not. */
function isContinued(path: string, { bytes, tail, identity }: OutputState): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true || stat.size < bytes) return false;
  if (tail === undefined) return true;
  // An empty beginning looks like any other.
  if (bytes === 0) return fileIdentity(path) === identity;
  const file = openSync(path, 'r');
  try {
    return tailOf(file, bytes) === tail;
  } finally {
    closeSync(file);
  }
}

/** The file that another program has moved or copied the file of a state to, in the same folder. */
function findMoved(part: string, from: OutputState): string | undefined {
  if (from.tail === undefined) return undefined;
  let newest: { path: string; time: number } | undefined;
  for (const name of readdirSync(dirname(part))) {
    const path = join(dirname(part), name);
    if (path === part || !isContinued(path, from)) continue;
    if (fileIdentity(path) === from.identity) return path;
    const time = statSync(path).mtimeMs;
    if (newest === undefined || time > newest.time) newest = { path, time };
  }
  return newest?.path;
}

/** How many of the bytes are in a file at the place where it was left. */
function sameBytes({ path, at }: WrittenPart, bytes: Uint8Array): number {
  if (!existsSync(path)) return 0;
  const file = openSync(path, 'r');
  try {
    const found = readAt(file, at, bytes.length);
    if (found.length === bytes.length && Buffer.compare(found, bytes) === 0) return bytes.length;
    const differs = bytes.findIndex((byte, i) => byte !== found[i]);
    return differs < 0 ? found.length : differs;
  } finally {
    closeSync(file);
  }
}

/** Where the last whole record in [from, end) ends; `from` if there is none. */
function endOfRecords(file: number, from: number, end: number, recordEnd: string): number {
  const read = Buffer.alloc(65_536);
  for (let stop = end; stop - from >= recordEnd.length; ) {
    const start = Math.max(from, stop - read.length);
    const length = readSync(file, read, 0, stop - start, start);
    const at = read.subarray(0, length).lastIndexOf(recordEnd);
    if (at >= 0) return start + at + recordEnd.length;
    if (start === from) break;
    stop = start + recordEnd.length - 1;
  }
  return from;
}

/** A file that had got its name already is unfinished again, if it is the one that was recorded. */
function reopenFinished(target: string, bytes: number): void {
  const part = ResumableFile.partOf(target);
  if (existsSync(part) || !existsSync(target) || statSync(target).size !== bytes) return;
  renameSync(target, part);
}

function notResumable(path: string, rotation: OutputRotation | undefined): TagstreamError {
  const what = rotation === undefined ? 'resumed after a crash' : 'rotated';
  return new TagstreamError('config', `${path} cannot be ${what}`, {
    fix: `with ${rotation === undefined ? 'checkpoints' : 'rotation'}, write to a plain file that is not compressed`,
  });
}
