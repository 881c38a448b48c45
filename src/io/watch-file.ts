import { type FSWatcher, realpathSync, statSync, watch } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileError } from './file-error.js';

/** A watched file. */
export interface FileWatch {
  /** Ends it. */
  close(): void;
}

/** Milliseconds that a changed file has to stay the same before it is told. */
const settling = 100;

/**
 * Calls back each time a file has been replaced by another, or written anew, and then left alone for
 * 100 ms. What counts is the file that the path leads to, through links as well: its number, size and
 * time of change. While there is none, nothing is told.
 *
 * Watches the folders of the path, and of the file where links lead to another. Does not keep the
 * process alive.
 *
 * @throws TagstreamError `file` if the folder cannot be watched
 * @example
 * const watching = watchFile('/dev/null', () => {});
 * watching.close() // => undefined
 */
export function watchFile(path: string, onReplaced: () => void): FileWatch {
  return new Watching(path, onReplaced);
}

class Watching implements FileWatch {
  readonly #path: string;
  readonly #onReplaced: () => void;
  readonly #watchers: FSWatcher[] = [];
  /** The file that was last told, or there from the start. */
  #told: string | undefined;
  /** The file when it was last looked at. */
  #seen: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(path: string, onReplaced: () => void) {
    this.#path = path;
    this.#onReplaced = onReplaced;
    this.#told = identityOf(path);
    this.#seen = this.#told;
    try {
      for (const folder of foldersOf(path)) this.#watch(folder);
    } catch (cause) {
      this.close();
      throw fileError('watch', path, cause);
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers) watcher.close();
  }

  #watch(folder: string): void {
    const watcher = watch(folder, { persistent: false }, () => this.#lookSoon());
    // A folder that goes away is no longer watched; the run goes on.
    watcher.on('error', () => watcher.close());
    this.#watchers.push(watcher);
  }

  /** Other files of the folder may change all the time: a look that is due is not put off. */
  #lookSoon(): void {
    this.#timer ??= setTimeout(() => this.#look(), settling).unref();
  }

  #look(): void {
    this.#timer = undefined;
    const before = this.#seen;
    this.#seen = identityOf(this.#path);
    if (this.#seen === undefined || this.#seen === this.#told) return;
    if (this.#seen !== before) {
      this.#lookSoon();
      return;
    }
    this.#told = this.#seen;
    this.#onReplaced();
  }
}

/** What tells one state of a file from another; undefined while there is none that can be seen. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino, size, mtimeNs } = statSync(path, { bigint: true });
    return [dev, ino, size, mtimeNs].join(' ');
  } catch {
    return undefined;
  }
}

function foldersOf(path: string): Set<string> {
  return new Set([dirname(resolve(path)), dirname(realpathSync(path))]);
}
