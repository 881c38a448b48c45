import { type FSWatcher, realpathSync, statSync, watch } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileError } from '../files/file-error.js';

/** A watched file. */
export interface FileWatch {
  /** Stops watching. */
  close(): void;
}

/** Callbacks of a watch. */
export interface WatchEvents {
  /** Called when the file has been replaced and then left alone. */
  onReplaced(): void;
  /**
   * Called if the system cannot watch now, as when it is out of watches or file descriptors: the file is polled
   * each second.
   */
  onUnwatched?(cause: unknown): void;
}

/** Milliseconds that a changed file has to stay the same before it is reported. */
const settling = 100;

/** Polling interval in milliseconds while the system cannot watch. */
const polling = 1000;

/**
 * Calls back each time a file has been replaced by another, or rewritten, and then left alone for 100
 * ms. What counts is the file that the path resolves to, through links as well: its inode number, size
 * and time of change. While it is missing, nothing is reported.
 *
 * Watches the folder of the path, and that of the file if links lead elsewhere. If the system cannot
 * watch them, polls the file each second, and tries again to watch. Does not keep the process alive.
 *
 * @throws TagstreamError `file` if there is no such file
 * @example
 * const watching = watchFile('/dev/null', { onReplaced: () => {} });
 * watching.close() // => undefined
 */
export function watchFile(path: string, events: WatchEvents): FileWatch {
  return new Watching(path, events);
}

class Watching implements FileWatch {
  readonly #path: string;
  readonly #events: WatchEvents;
  readonly #watchers: FSWatcher[] = [];
  /** The file as last reported, or as it was at the start. */
  #reported: string | undefined;
  /** The file when it was last looked at. */
  #seen: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;

  constructor(path: string, events: WatchEvents) {
    this.#path = path;
    this.#events = events;
    this.#reported = identityOf(path);
    this.#seen = this.#reported;
    let folders: ReadonlySet<string>;
    try {
      folders = foldersOf(path);
    } catch (cause) {
      throw fileError('watch', path, cause);
    }
    try {
      this.#watch(folders);
    } catch (cause) {
      this.#unwatched(cause);
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#poll);
    for (const watcher of this.#watchers.splice(0)) watcher.close();
  }

  #watch(folders: ReadonlySet<string>): void {
    for (const folder of folders) {
      const watcher = watch(folder, { persistent: false }, () => this.#lookSoon());
      watcher.on('error', cause => this.#unwatched(cause));
      this.#watchers.push(watcher);
    }
  }

  #unwatched(cause: unknown): void {
    for (const watcher of this.#watchers.splice(0)) watcher.close();
    if (this.#poll !== undefined) return;
    this.#poll = setInterval(() => this.#watchAgain(), polling).unref();
    this.#events.onUnwatched?.(cause);
  }

  #watchAgain(): void {
    this.#lookSoon();
    try {
      this.#watch(foldersOf(this.#path));
      clearInterval(this.#poll);
      this.#poll = undefined;
    } catch (cause) {
      this.#unwatched(cause);
    }
  }

  /** Does not put off a check that is due: other files of the folder may change all the time. */
  #lookSoon(): void {
    this.#timer ??= setTimeout(() => this.#look(), settling).unref();
  }

  #look(): void {
    this.#timer = undefined;
    const before = this.#seen;
    this.#seen = identityOf(this.#path);
    if (this.#seen === undefined || this.#seen === this.#reported) return;
    if (this.#seen !== before) {
      this.#lookSoon();
      return;
    }
    this.#reported = this.#seen;
    this.#events.onReplaced();
  }
}

/**
 * Returns what distinguishes one state of a file from another; undefined while it is missing or
 * inaccessible.
 */
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
