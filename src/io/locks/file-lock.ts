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
import { type ErrorCode, TagstreamError } from '../../core/errors.js';
import { temporaryName } from '../files/directories.js';
import { errnoOf, fileError } from '../files/file-error.js';
import { os } from '../files/node-parts.js';
import { atExit } from '../files/remove-at-exit.js';

/** Milliseconds from one sign of life of a holder to the next. */
const beatEvery = 5000;

/** Milliseconds without a sign of life after which a holder not visible from here has lost its lock. */
export const lease = 60_000;

/** Attempts to get a lock that others are taking over. */
const mostAttempts = 20;

/** Suffix of a lock's name while a process takes it over. */
const takingSuffix = '.taking';

/** What a lock protects, for errors. */
export interface Locked {
  /** The folder or file. */
  readonly source: string;
  /** What it is, as `the checkpoints`. */
  readonly what: string;
  readonly code: ErrorCode;
}

/**
 * A lock between processes: a file that names the one that holds it.
 *
 * The lock of a process that is gone is taken over at once. Whether a process on another machine, or in another
 * container, is gone is not visible from here: its lock is taken over after a minute without a sign of life. A holder
 * gives one every five seconds, as far as its other work permits. All times are those of the file system of the lock,
 * so clocks need not agree. If a clock jumps, or a holder is suspended for longer, a lock may be taken over from a
 * live process: so call `require` before each write.
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

  /** Whether this process still holds it. */
  get held(): boolean {
    if (this.#released) return false;
    const stat = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    // As the file is open, no other file gets its inode number.
    return stat?.ino === this.#own.ino && stat.dev === this.#own.dev;
  }

  /**
   * Checks that the lock is still held; call it before each write to the locked file or folder.
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

  /** Gives the lock file its name, once no other has it: a half-written lock is never visible. */
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

  /** Replaces a free lock by its own, unless another process is about to do so. */
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

  /** Removes the guard of a process that died while it had it, but not one that is new. */
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

  /** Returns who holds a lock and whether it can be taken over; undefined if it is gone. */
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
    // By the clock that times the other's signs of life. One from the future precedes a clock that was set back.
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
      // A takeover is noticed before the next write.
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

/** Gives a file a second name, unless that name exists. */
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
  /** When the process began, if the system says so: process ids are reused. */
  readonly began?: string | undefined;
  /** The start of the system that it runs on. */
  readonly boot?: string | undefined;
  /** The namespace of its process id: each container has its own. */
  readonly namespace?: string | undefined;
}

/** Index of the start time in ticks among the fields of `statusOf`. */
const beganField = 19;

/** States of a process that has ended: zombie, dead. */
const ended = new Set(['Z', 'X', 'x']);

/** This process. */
export function thisHolder(): LockHolder {
  const { pid } = process;
  return { pid, host: os().hostname(), began: statusOf(pid)?.[beganField], ...whereabouts() };
}

/**
 * Returns the holder named by the text of a lock file; undefined for any other text.
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
 * Returns whether a holder is alive; `elsewhere` if it runs on another system or in another namespace,
 * where that is not visible from here.
 */
export function stateOf(holder: LockHolder): 'alive' | 'gone' | 'elsewhere' {
  const { boot, namespace } = whereabouts();
  // If the system does not say these, the host name has to do.
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
 * Returns the name of the lock of a file that grows while it is written.
 *
 * @example
 * outputLockOf('out/tagged.ndjson') // => 'out/.tagged.ndjson.lock'
 */
export function outputLockOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.lock`);
}

/**
 * Locks a growing file whose name another process might write to. (An output under its own temporary name needs no
 * lock: whoever renames last, it is whole.) Returns undefined if the folder does not support locks; others are then
 * not kept out.
 *
 * @param path with all links followed
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
