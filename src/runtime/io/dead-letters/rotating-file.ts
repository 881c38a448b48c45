import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { fileError, refusePipe } from '../../../formats/files/file-error.js';
import { type FileAccess, followFile, openAs } from '../../../formats/files/open-files.js';
import { type FileLock, lockOutput } from '../locks/file-lock.js';
import { type WriteTarget, writeFully, writeTarget } from '../writing/atomic-write.js';
import { countLines, rotationName } from './rotations.js';

/** Writes lines to a pipe. Unread lines wait in memory: callers must await `caughtUp` before there are too many. */
class PipedLines {
  readonly #stream: Writable;
  #error: Error | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', error => {
      this.#error ??= error;
    });
  }

  /** @throws the error of an earlier line, such as EPIPE if the reader has closed the pipe */
  add(line: string): void {
    if (this.#error !== undefined) throw this.#error;
    this.#stream.write(line);
  }

  /** Resolves when the reader has read the waiting lines, or has gone; undefined if few are waiting. */
  caughtUp(): Promise<void> | undefined {
    const stream = this.#stream;
    if (!stream.writableNeedDrain || stream.destroyed) return undefined;
    return new Promise(resolve => {
      const settle = () => {
        stream.off('drain', settle);
        stream.off('close', settle);
        resolve();
      };
      stream.on('drain', settle);
      stream.on('close', settle);
    });
  }

  /**
   * Waits until the reader has read everything, then ends the pipe.
   *
   * @throws (rejects with) the error of a line
   */
  async close(): Promise<void> {
    if (this.#error !== undefined) throw this.#error;
    this.#stream.end();
    await finished(this.#stream, { readable: false });
  }
}

/** Size limits of a file and its rotated files. */
export interface RotationOptions {
  /** Maximum number of bytes per file. */
  readonly maxBytes: number;
  /** Number of older files kept: `FILE.1` is the newest of them. */
  readonly keep: number;
}

const LF = 10;
const action = 'write the dead letters to';

/**
 * Adds lines to a file; before it would exceed `maxBytes` it becomes `FILE.1`, the former `FILE.1` becomes `FILE.2`,
 * and so on; the oldest file is dropped and its lines are counted. At most `(keep + 1) * maxBytes` bytes are kept in
 * all files together. A line is never split: an overlong line is dropped and counted too, and an unfinished last line
 * after a crash is terminated first.
 *
 * Targets other than plain files (a terminal, a link) are written to directly, without a limit. When `add` returns,
 * a line has been passed to the operating system. Lines for a pipe, which must be opened first, may wait in
 * memory. Files are locked from the first line, or from `open`, until `close`: two processes would rotate each
 * other's lines away. A new file has the permissions of the previous one.
 *
 * @example
 * const file = new RotatingFile('/dev/null', { maxBytes: 10, keep: 1 });
 * file.add('one\n');
 * file.dropped // => 0
 */
export class RotatingFile {
  readonly #path: string;
  readonly #options: RotationOptions;
  #file: number | undefined;
  #pipe: PipedLines | undefined;
  #target: WriteTarget | undefined;
  #lock: FileLock | undefined;
  #size = 0;
  #isPlain = false;
  #dropped = 0;

  /** @param path path of the file, which is created with the first line */
  constructor(path: string, options: RotationOptions) {
    this.#path = path;
    this.#options = options;
  }

  /** Number of lines that are no longer in any file. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Prevents other processes from adding lines until the file is closed, and opens a pipe once it has a reader; a file
   * is created with its first line.
   *
   * @param signal aborts the wait
   * @throws (rejects with) the reason of the signal, TagstreamError `file`, also if another process is adding lines
   */
  async open(signal?: AbortSignal): Promise<void> {
    if (this.#pipe !== undefined) return;
    const { isPipe } = this.#aim();
    if (!isPipe) return;
    const { openFifoToWrite } = await import('../../../formats/files/open-fifo.js');
    try {
      this.#pipe = new PipedLines(await openFifoToWrite(this.#path, signal));
    } catch (cause) {
      signal?.throwIfAborted();
      throw fileError(action, this.#path, cause);
    }
  }

  /** Resolves when the reader of a pipe has read the lines waiting in memory; undefined if few are waiting. */
  caughtUp(): Promise<void> | undefined {
    return this.#pipe?.caughtUp();
  }

  /** Determines the kind of target at the path, and locks it. */
  #aim(): WriteTarget {
    if (this.#target !== undefined) return this.#target;
    try {
      const target = writeTarget(this.#path);
      if (target.replaceable) this.#lock = lockOutput(target.path);
      this.#target = target;
      return target;
    } catch (cause) {
      throw fileError(action, this.#path, cause);
    }
  }

  /** @throws TagstreamError `file` if the line cannot be written, of which nothing then remains */
  add(line: string): void {
    const target = this.#aim();
    this.#lock?.require();
    try {
      if (this.#pipe !== undefined) {
        this.#pipe.add(line);
        return;
      }
      const bytes = Buffer.from(line);
      this.#follow();
      this.#file ??= this.#open(target, undefined);
      if (this.#isPlain && bytes.length > this.#options.maxBytes) {
        this.#dropped += 1;
        return;
      }
      if (this.#isPlain && this.#size + bytes.length > this.#options.maxBytes) this.#rotate();
      this.#write(bytes);
    } catch (cause) {
      throw fileError(action, this.#path, cause);
    }
  }

  /**
   * Makes the file durable and closes it; a later line opens it again. For a pipe, waits until its reader
   * has read everything.
   *
   * @throws (rejects with) TagstreamError `file` if the reader of a pipe has closed it
   */
  async close(): Promise<void> {
    this.#closeFile();
    this.#lock?.release();
    this.#lock = undefined;
    this.#target = undefined;
    const pipe = this.#pipe;
    this.#pipe = undefined;
    try {
      await pipe?.close();
    } catch (cause) {
      throw fileError(action, this.#path, cause);
    }
  }

  #closeFile(): void {
    if (this.#file === undefined) return;
    const file = this.#file;
    this.#file = undefined;
    try {
      fsyncSync(file);
    } catch {
      // A terminal cannot be flushed to disk.
    }
    if (file !== this.#target?.descriptor) closeSync(file);
  }

  /** Switches to a new file if other programs have moved this one, and continues in it if they have truncated it. */
  #follow(): void {
    if (this.#file === undefined || !this.#isPlain) return;
    const size = followFile(this.#file, this.#path);
    if (size !== undefined) {
      this.#size = size;
      return;
    }
    const access = fstatSync(this.#file);
    this.#closeFile();
    const isThere = lstatSync(this.#path, { throwIfNoEntry: false }) !== undefined;
    this.#file = this.#open(this.#target!, isThere ? undefined : access);
  }

  /** @param access permissions of a new file */
  #open(target: WriteTarget, access: FileAccess | undefined): number {
    if (target.descriptor === undefined) {
      refusePipe(action, this.#path, 'await open() first, or name a regular file');
    }
    const isLink = lstatSync(this.#path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    const file = target.descriptor ?? openAs(this.#path, 'a', access);
    const stat = fstatSync(file);
    this.#file = file;
    this.#isPlain = stat.isFile() && !isLink;
    this.#size = this.#isPlain ? stat.size : 0;
    if (this.#size > 0 && lastByte(this.#path, this.#size) !== LF) this.#write(Buffer.from('\n'));
    return file;
  }

  #write(bytes: Buffer): void {
    const file = this.#file!;
    try {
      writeFully(file, bytes);
    } catch (cause) {
      // A full disk may accept only part of the line.
      if (this.#isPlain) ftruncateSync(file, this.#size);
      throw cause;
    }
    this.#size += bytes.length;
  }

  #rotate(): void {
    const access = fstatSync(this.#file!);
    this.#closeFile();
    const { keep } = this.#options;
    // If fewer files are kept than before, there may be several to drop.
    for (let n = keep; this.#drop(rotationName(this.#path, n)); n += 1);
    for (let n = keep - 1; n >= 0; n -= 1) {
      const from = rotationName(this.#path, n);
      if (lstatSync(from, { throwIfNoEntry: false }) === undefined) continue;
      renameSync(from, rotationName(this.#path, n + 1));
    }
    this.#file = this.#open(this.#target!, access);
  }

  #drop(path: string): boolean {
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
    this.#dropped += countLines(path);
    rmSync(path);
    return true;
  }
}

function lastByte(path: string, size: number): number | undefined {
  const byte = Buffer.alloc(1);
  const file = openSync(path, 'r');
  try {
    return readSync(file, byte, 0, 1, size - 1) === 1 ? byte[0] : undefined;
  } finally {
    closeSync(file);
  }
}
