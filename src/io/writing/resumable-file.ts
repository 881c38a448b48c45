import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { TagstreamError } from '../../core/errors.js';
import { openAs } from '../files/file-access.js';
import { fileError } from '../files/file-error.js';
import { syncDirectory } from '../files/sync-directory.js';
import type { FileLock } from '../locks/file-lock.js';
import { lockOutput } from '../locks/lock-output.js';
import type { Output } from './open-output.js';
import { writeTarget } from './write-target.js';

/**
 * An output file that a later process can continue: it grows under the name `FILE.part`, is cut back to a
 * length that was recorded, and gets its own name with `commit`. What `write` was given is with the system
 * when it returns. It is locked until it is closed, and has the permissions of the file that it will replace.
 *
 * @example
 * ResumableFile.partOf('tagged.ndjson') // => 'tagged.ndjson.part'
 */
export class ResumableFile implements Output {
  readonly name: string;
  readonly #target: string;
  readonly #file: number;
  #lock: FileLock | undefined;
  #bytes: number;
  #closed = false;

  /**
   * @param from length to resume from; what comes after it is cut off. Without it the file begins empty.
   * @param recordEnd what each record ends with, where whole records behind `from` are to stay
   * @throws TagstreamError `config` for what is not a plain file or would be compressed, `checkpoint` if the file is
   *   shorter than `from` or gone, `file` if it cannot be opened or another process is writing it
   */
  constructor(path: string, from?: number, recordEnd?: string) {
    this.name = path;
    this.#bytes = from ?? 0;
    let lock: FileLock | undefined;
    try {
      const { path: target, replaceable, access } = writeTarget(path);
      if (!replaceable || /\.(?:gz|zst)$/.test(path)) throw notResumable(path);
      this.#target = target;
      lock = lockOutput(target);
      this.#lock = lock;
      if (from !== undefined) reopenFinished(target, from);
      this.#file = openAs(ResumableFile.partOf(target), from === undefined ? 'w' : 'r+', access);
    } catch (cause) {
      lock?.release();
      const missing = from !== undefined && (cause as NodeJS.ErrnoException).code === 'ENOENT';
      throw missing ? tooShort(path, from, undefined) : fileError('write', path, cause);
    }
    if (from === undefined) return;
    const { size } = fstatSync(this.#file);
    if (size < from) {
      this.#close();
      throw tooShort(path, from, size);
    }
    if (recordEnd !== undefined) this.#bytes = endOfRecords(this.#file, from, size, recordEnd);
    ftruncateSync(this.#file, this.#bytes);
  }

  /** The name under which the file of a path grows. */
  static partOf(path: string): string {
    return `${path}.part`;
  }

  /** Its length so far. */
  get bytes(): number {
    return this.#bytes;
  }

  write(text: string | Uint8Array, done: (error?: unknown) => void): void {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    try {
      this.#lock?.require();
      for (let at = 0; at < bytes.length; ) {
        const written = writeSync(this.#file, bytes, at, bytes.length - at, this.#bytes);
        at += written;
        this.#bytes += written;
      }
    } catch (cause) {
      done(cause);
      return;
    }
    done();
  }

  /**
   * Has all of it on the disk when it returns.
   *
   * @throws TagstreamError `file` if another process has taken the file over; a system error
   */
  sync(): void {
    this.#lock?.require();
    fsyncSync(this.#file);
  }

  async commit(): Promise<void> {
    try {
      this.sync();
      renameSync(ResumableFile.partOf(this.#target), this.#target);
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
    closeSync(this.#file);
    this.#lock?.release();
    this.#lock = undefined;
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

function notResumable(path: string): TagstreamError {
  return new TagstreamError('config', `${path} cannot be resumed after a crash`, {
    fix: 'with checkpoints, write to a plain file that is not compressed',
  });
}

function tooShort(path: string, from: number, size: number | undefined): TagstreamError {
  const part = ResumableFile.partOf(path);
  const found = size === undefined ? `${part} is gone` : `${part} has ${size} bytes`;
  return new TagstreamError('checkpoint', `${found}, and the checkpoint resumes after ${from}`, {
    fix: 'restore the file, or start again without --resume',
  });
}
