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
  writeSync,
} from 'node:fs';
import { fileError } from '../file-error.js';
import { countLines } from './count-lines.js';
import { rotationName } from './rotation-name.js';

/** How large a file and those beside it become. */
export interface RotationOptions {
  /** Bytes of a file at most. */
  readonly maxBytes: number;
  /** Older files that stay: `FILE.1` is the newest of them. */
  readonly keep: number;
}

const LF = 10;

/**
 * Adds lines to a file; before it would exceed `maxBytes` it becomes `FILE.1`, what was `FILE.1` becomes
 * `FILE.2`, and so on; the oldest is dropped and its lines are counted. All together hold at most
 * `(keep + 1) * maxBytes` bytes. A line is never divided: one that fits in no file is dropped and counted
 * too, and a last line without an end, as a crash leaves it, is ended first.
 *
 * What is no plain file (a pipe, a terminal, a link) is written to as it is, without a limit. A line is
 * with the operating system when `add` returns.
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
  #size = 0;
  #isPlain = false;
  #dropped = 0;

  /** @param path is made when the first line comes */
  constructor(path: string, options: RotationOptions) {
    this.#path = path;
    this.#options = options;
  }

  /** Lines that are in no file any more. */
  get dropped(): number {
    return this.#dropped;
  }

  /** @throws TagstreamError `file` if it cannot be written; of the line nothing is left then */
  add(line: string): void {
    const bytes = Buffer.from(line);
    try {
      this.#file ??= this.#open();
      if (this.#isPlain && bytes.length > this.#options.maxBytes) {
        this.#dropped += 1;
        return;
      }
      if (this.#isPlain && this.#size + bytes.length > this.#options.maxBytes) this.#rotate();
      this.#write(bytes);
    } catch (cause) {
      throw fileError('write the dead letters to', this.#path, cause);
    }
  }

  /** Makes the file durable and closes it; a later line opens it again. */
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

  #open(): number {
    const isLink = lstatSync(this.#path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    const file = openSync(this.#path, 'a');
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
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    } catch (cause) {
      // A disk that is full takes a part of the line.
      if (this.#isPlain) ftruncateSync(file, this.#size);
      throw cause;
    }
    this.#size += bytes.length;
  }

  #rotate(): void {
    this.close();
    const { keep } = this.#options;
    // There may be more than one to drop if fewer are to be kept than before.
    for (let n = keep; this.#drop(rotationName(this.#path, n)); n += 1);
    for (let n = keep - 1; n >= 0; n -= 1) {
      const from = rotationName(this.#path, n);
      if (lstatSync(from, { throwIfNoEntry: false }) === undefined) continue;
      renameSync(from, rotationName(this.#path, n + 1));
    }
    this.#file = this.#open();
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
