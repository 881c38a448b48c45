import {
  closeSync,
  constants,
  fdatasyncSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from '../../../formats/files/directories.js';
import { errnoOf, fileError } from '../../../formats/files/file-error.js';
import type { FileLock } from '../locks/file-lock.js';

/** Fixed file size, so that a write always covers the previous one. */
const noteBytes = 8192;

/**
 * A small value in a file that a run overwrites repeatedly, for the next run. A write is one system call.
 *
 * @example
 * const note = new NoteFile('/dev/null');
 * note.write({ records: 1 });
 * note.read() // => undefined
 */
export class NoteFile {
  readonly #path: string;
  readonly #lock: FileLock | undefined;
  readonly #isDurable: boolean;
  #file: number | undefined;

  /**
   * @param lock lock of the folder: a run that has lost it does not write the note
   * @param isDurable whether each write is on the disk when it returns
   */
  constructor(path: string, lock?: FileLock, isDurable = false) {
    this.#path = path;
    this.#lock = lock;
    this.#isDurable = isDurable;
  }

  /**
   * Returns the value written last; undefined if there is none or it is incomplete.
   *
   * @throws TagstreamError `file` if it cannot be read
   */
  read(): unknown {
    let text: string;
    try {
      text = readFileSync(this.#path, 'utf8');
    } catch (cause) {
      if (errnoOf(cause) === 'ENOENT') return undefined;
      throw fileError('read', this.#path, cause);
    }
    try {
      return JSON.parse(text);
    } catch {
      // The earlier run died before it wrote anything.
      return undefined;
    }
  }

  /** @throws TagstreamError `file` if it cannot be written, or the lock is lost */
  write(value: unknown): void {
    try {
      this.#lock?.require();
      if (this.#file === undefined) makeDirectory(dirname(this.#path));
      this.#file ??= openSync(this.#path, constants.O_RDWR | constants.O_CREAT);
      writeSync(this.#file, JSON.stringify(value).padEnd(noteBytes), 0);
      if (this.#isDurable) fdatasyncSync(this.#file);
    } catch (cause) {
      throw fileError('write', this.#path, cause);
    }
  }

  /** Removes the file: the next run needs no note. */
  clear(): void {
    this.close();
    if (this.#lock?.held !== false) rmSync(this.#path, { force: true });
  }

  /** Closes the file, but keeps it for the next run. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}
