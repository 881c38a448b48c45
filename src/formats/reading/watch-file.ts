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
  /** Called when the file has been replaced and then left unchanged for some time. */
  onReplaced(): void;
  /**
   * Called if the system currently cannot watch, for lack of watches or file descriptors: the file is then polled each
   * second.
   */
  onUnwatched?(cause: unknown): void;
}

/** Milliseconds for which a changed file must stay unchanged before it is reported. */
const settling = 100;

/** Polling interval in milliseconds while the system cannot watch. */
const polling = 1000;

/**
 * Calls back each time a file has been replaced or rewritten, and then left unchanged for 100 ms. Compares the file to
 * which the path resolves, also through links, by inode number, size and time of change. A missing file is not
 * reported.
 *
 * Watches the folder of the path, and that of the file if links lead elsewhere. If the system cannot watch them, polls
 * the file each second, and retries to watch. Does not keep the process alive.
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
  /** State of the file as last reported, or at the start. */
  #reported: string | undefined;
  /** State of the file at the last check. */
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

  /** Schedules a check without postponing one that is due: other files in the folder may change all the time. */
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

/** Returns a key for the state of a file; undefined while the file is missing or inaccessible. */
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
