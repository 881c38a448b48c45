import {
  type BigIntStats,
  closeSync,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type ErrorCode, TagstreamError } from '../../../engine/core/errors.js';
import { temporaryName } from '../../../formats/files/directories.js';
import { errnoOf, fileError } from '../../../formats/files/file-error.js';
import { os } from '../../../formats/files/node-parts.js';
import { atExit } from '../../../formats/files/remove-at-exit.js';

/** Milliseconds between a holder's signs of life. */
const beatEvery = 5000;

/** Milliseconds without a sign of life after which a holder whose state is not visible loses its lock. */
export const lease = 60_000;

/** Maximum number of attempts to get a lock that other processes are taking over. */
const mostAttempts = 20;

/** Suffix of a lock's name while a process takes it over. */
const takingSuffix = '.taking';

/** The object that a lock protects, for errors. */
export interface Locked {
  /** Path of the folder or file. */
  readonly source: string;
  /** Description of the object, such as `the checkpoints`. */
  readonly what: string;
  readonly code: ErrorCode;
}

/**
 * A lock between processes: a file that names the process that holds it. The lock of a process that has ended is taken
 * over immediately. The state of a process on another machine, or in another container, is not visible: its lock is
 * taken over after a minute without a sign of life, which a holder gives every five seconds if its other work permits.
 * All times are those of the lock's file system, so clocks need not agree. If a clock jumps, or a holder is suspended
 * for more than a minute, a lock may be taken over from a live process: therefore call `require` before each write.
 *
 * @example
 * const locked = { source: '/tmp/a-file', what: 'the file', code: 'file' };
 * const lock = new FileLock('/tmp/.a-file.lock', locked);
 * let message;
 * try { new FileLock('/tmp/.a-file.lock', locked); } catch (error) { message = error.message; }
 * /process \d+ on .* is using the file/.test(message) // => true
 * lock.release() // => undefined
 */
export class FileLock {
  readonly #path: string;
  readonly #locked: Locked;
  readonly #text: Buffer;
  readonly #file: number;
  readonly #own: BigIntStats;
  readonly #timer: NodeJS.Timeout;
  readonly #cancelExit: () => void;
  #beatAt = performance.now();
  #released = false;

  /** @throws TagstreamError the code of `locked` if another process holds it, `file` if it cannot be written */
  constructor(path: string, locked: Locked) {
    this.#path = path;
    this.#locked = locked;
    this.#text = Buffer.from(JSON.stringify(thisHolder()));
    const mine = temporaryName(path);
    let file: number | undefined;
    try {
      file = openSync(mine, 'wx+');
      this.#file = file;
      this.#beat();
      this.#name(mine);
      this.#own = fstatSync(file, { bigint: true });
    } catch (cause) {
      if (file !== undefined) closeSync(file);
      throw fileError('lock', locked.source, cause);
    } finally {
      rmSync(mine, { force: true });
    }
    this.#timer = setInterval(() => this.#tryToBeat(), beatEvery).unref();
    this.#cancelExit = atExit(() => this.release());
  }

  /** Whether this process still holds the lock. */
  get held(): boolean {
    if (this.#released) return false;
    const stat = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    // While the file is open, no other file gets its inode number.
    return stat?.ino === this.#own.ino && stat.dev === this.#own.dev;
  }

  /**
   * Checks that the lock is still held; must be called before each write to the locked file or folder.
   *
   * @throws TagstreamError the code of the lock if another process has taken it over
   */
  require(): void {
    if (!this.held) {
      const { source, what, code } = this.#locked;
      throw new TagstreamError(code, `another process took over the lock of ${what}`, {
        place: { source },
        fix: 'this process stalled too long, or its lock was removed; leave the work to the other process, or start again',
      });
    }
    if (performance.now() - this.#beatAt > beatEvery) this.#tryToBeat();
  }

  /** Releases the lock. */
  release(): void {
    if (this.#released) return;
    if (this.held) rmSync(this.#path, { force: true });
    this.#released = true;
    this.#cancelExit();
    clearInterval(this.#timer);
    closeSync(this.#file);
  }

  /** Gives the lock file its name if no other file has it: a half-written lock is never visible. */
  #name(mine: string): void {
    for (let attempt = 0; ; attempt += 1) {
      if (linked(mine, this.#path)) return;
      const seen = this.#look(this.#path);
      if (seen === undefined) continue;
      if (attempt >= mostAttempts || !seen.isFree) throw this.#refusal(seen.holder);
      if (this.#tookOver(mine)) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }

  /** Replaces a free lock by this process's, unless another process is about to do so; returns whether it did. */
  #tookOver(mine: string): boolean {
    const guard = `${this.#path}${takingSuffix}`;
    if (!linked(mine, guard)) {
      if (this.#look(guard)?.isFree === true) this.#takeAway(guard, `${mine}.old`);
      return false;
    }
    try {
      if (this.#look(this.#path)?.isFree !== true) return false;
      renameSync(mine, this.#path);
      return true;
    } finally {
      rmSync(guard, { force: true });
    }
  }

  /** Removes the guard left by a process that died during a takeover, but not a new one. */
  #takeAway(guard: string, aside: string): void {
    try {
      renameSync(guard, aside);
      if (this.#look(aside)?.isFree === false) linked(aside, guard);
    } catch (cause) {
      if (errnoOf(cause) !== 'ENOENT') throw cause;
    } finally {
      rmSync(aside, { force: true });
    }
  }

  /** Returns the holder of a lock, and whether it can be taken over; undefined if the lock is gone. */
  #look(path: string): { holder: LockHolder | undefined; isFree: boolean } | undefined {
    let holder: LockHolder | undefined;
    let beatenAt: number;
    try {
      holder = parseHolder(readFileSync(path, 'utf8'));
      beatenAt = statSync(path).mtimeMs;
    } catch (cause) {
      if (errnoOf(cause) === 'ENOENT') return undefined;
      throw cause;
    }
    if (holder === undefined) return { holder, isFree: true };
    const state = stateOf(holder);
    if (state !== 'elsewhere') return { holder, isFree: state === 'gone' };
    // Uses the clock that times the holder's signs of life. A sign from the future precedes a clock that was set back.
    this.#beat();
    const now = fstatSync(this.#file).mtimeMs;
    return { holder, isFree: Math.abs(now - beatenAt) > lease };
  }

  #beat(): void {
    writeSync(this.#file, this.#text, 0, this.#text.length, 0);
    this.#beatAt = performance.now();
  }

  #tryToBeat(): void {
    try {
      this.#beat();
    } catch {
      // A takeover will be noticed before the next write.
    }
  }

  #refusal(holder: LockHolder | undefined): TagstreamError {
    const { source, what, code } = this.#locked;
    const who =
      holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}`;
    const isElsewhere = holder !== undefined && stateOf(holder) === 'elsewhere';
    return new TagstreamError(code, `${who} is using ${what}`, {
      place: { source },
      fix: isElsewhere
        ? `wait until it ends; if it was killed, its lock expires ${lease / 1000} s after its last sign of life`
        : 'wait until it ends',
    });
  }
}

/** Gives a file a second name, unless that name exists; returns whether it did. */
function linked(file: string, name: string): boolean {
  try {
    linkSync(file, name);
    return true;
  } catch (cause) {
    if (errnoOf(cause) === 'EEXIST') return false;
    throw cause;
  }
}

/** The process that holds a lock, as recorded in the lock file. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** Start time of the process, if the system reports it: process ids are reused. */
  readonly began?: string | undefined;
  /** Start of the operating system that runs the process. */
  readonly boot?: string | undefined;
  /** Namespace of the process id: each container has its own. */
  readonly namespace?: string | undefined;
}

/** Index of the process's start time, in ticks, among the fields of `statusOf`. */
const beganField = 19;

/** States of a process that has ended: zombie, dead. */
const ended = new Set(['Z', 'X', 'x']);

/** Returns this process as a holder. */
export function thisHolder(): LockHolder {
  const { pid } = process;
  return { pid, host: os().hostname(), began: statusOf(pid)?.[beganField], ...whereabouts() };
}

/**
 * Returns the holder that the text of a lock file names; undefined for other texts.
 *
 * @example
 * parseHolder('{"pid":7,"host":"a"}') // => ({ pid: 7, host: 'a' })
 * parseHolder('{"pid"') // => undefined
 */
export function parseHolder(text: string): LockHolder | undefined {
  try {
    const { pid, host, began, boot, namespace } = JSON.parse(text) as LockHolder;
    if (!(Number.isInteger(pid) && pid > 0 && typeof host === 'string')) return undefined;
    return { pid, host, began, boot, namespace };
  } catch {
    return undefined;
  }
}

/**
 * Returns whether a holder is alive; `elsewhere` if it runs on another system or in another namespace, where its state
 * is not visible.
 */
export function stateOf(holder: LockHolder): 'alive' | 'gone' | 'elsewhere' {
  const { boot, namespace } = whereabouts();
  // If the system does not report these, the host name must suffice.
  const isKnown = holder.boot !== undefined && holder.namespace !== undefined;
  const isHere = isKnown
    ? holder.boot === boot && holder.namespace === namespace
    : holder.host === os().hostname();
  if (!isHere) return 'elsewhere';
  try {
    process.kill(holder.pid, 0);
  } catch (cause) {
    return errnoOf(cause) === 'EPERM' ? 'alive' : 'gone';
  }
  const status = statusOf(holder.pid);
  // A zombie keeps its process id, but holds nothing.
  if (status !== undefined && ended.has(status[0]!)) return 'gone';
  return holder.began === undefined || status?.[beganField] === holder.began ? 'alive' : 'gone';
}

function whereabouts(): Pick<LockHolder, 'boot' | 'namespace'> {
  return {
    boot: orUndefined(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    namespace: orUndefined(() => readlinkSync('/proc/self/ns/pid')),
  };
}

/**
 * Returns the status of a process from the third field on; undefined if the system has no such
 * file.
 */
function statusOf(pid: number): readonly string[] | undefined {
  return orUndefined(() => {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in parentheses, which may contain blanks and parentheses.
    return status.slice(status.lastIndexOf(')') + 2).split(' ');
  });
}

function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Codes of errors when a file cannot be created next to another, or linked. */
const unlockable = new Set([
  ...['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR'],
  ...['ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'ENAMETOOLONG'],
]);

/**
 * Returns the name of the lock for a file that grows while it is written.
 *
 * @example
 * outputLockOf('out/tagged.ndjson') // => 'out/.tagged.ndjson.lock'
 */
export function outputLockOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.lock`);
}

/**
 * Locks a growing file to which another process might write under the same name. (An output with its own temporary name
 * needs no lock: it is whole whichever process renames last.) Returns undefined if the folder does not support locks,
 * in which case other processes are not excluded.
 *
 * @param path path of the file, with all links followed
 * @throws TagstreamError `file` if another process is writing to it
 */
export function lockOutput(path: string): FileLock | undefined {
  try {
    return new FileLock(outputLockOf(path), { source: path, what: 'the file', code: 'file' });
  } catch (thrown) {
    const errno = thrown instanceof TagstreamError ? errnoOf(thrown.cause) : undefined;
    if (errno !== undefined && unlockable.has(errno)) return undefined;
    throw thrown;
  }
}
