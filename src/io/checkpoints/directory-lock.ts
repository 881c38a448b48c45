import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { TagstreamError } from '../../core/errors.js';
import { errnoOf, fileError } from '../file-error.js';
import { makeDirectory } from '../make-directory.js';
import { temporaryName } from '../temporary-name.js';

const lockFile = '.lock';

/** Who holds a lock. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process began, where the system tells: numbers of processes come again. */
  readonly began: string | undefined;
}

/**
 * Takes the lock of a checkpoint directory, so that no two processes write to it. The lock of a process that
 * is gone is taken over; whether one on another machine is gone cannot be seen from here.
 *
 * @param what is in the directory, for errors
 * @returns what gives the lock back
 * @throws TagstreamError `checkpoint` if another process has it, `file` if it cannot be written
 */
export function lockDirectory(directory: string, what = 'the checkpoints'): () => void {
  const path = join(directory, lockFile);
  const mine = temporaryName(path);
  try {
    makeDirectory(directory);
    writeFileSync(mine, JSON.stringify(holderOf(process.pid)));
    for (let attempt = 0; ; attempt += 1) {
      try {
        // Made whole under another name first: nobody sees a lock that is half-written.
        linkSync(mine, path);
        break;
      } catch (cause) {
        if (errnoOf(cause) !== 'EEXIST') throw cause;
        const holder = readHolder(path);
        if (attempt >= 3 || (holder !== undefined && isAlive(holder))) {
          throw locked(directory, holder, what);
        }
        takeAway(path, `${mine}.old`);
      }
    }
  } catch (cause) {
    throw fileError('lock', directory, cause);
  } finally {
    rmSync(mine, { force: true });
  }
  return () => {
    const holder = readHolder(path);
    if (holder?.pid === process.pid) rmSync(path, { force: true });
  };
}

/** Removes the lock of a process that is gone, but not one that another has put there meanwhile. */
function takeAway(path: string, aside: string): void {
  try {
    renameSync(path, aside);
    const holder = readHolder(aside);
    if (holder !== undefined && isAlive(holder)) linkSync(aside, path);
  } catch (cause) {
    if (errnoOf(cause) !== 'ENOENT' && errnoOf(cause) !== 'EEXIST') throw cause;
  } finally {
    rmSync(aside, { force: true });
  }
}

function holderOf(pid: number): Holder {
  return { pid, host: hostname(), began: beganOf(pid) };
}

/** Start time of a process in ticks, the 22nd field of its status line. */
function beganOf(pid: number): string | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in parentheses, which may hold blanks itself.
    return status.slice(status.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

function readHolder(path: string): Holder | undefined {
  try {
    const { pid, host, began } = JSON.parse(readFileSync(path, 'utf8')) as Holder;
    return Number.isInteger(pid) && pid > 0 ? { pid, host, began } : undefined;
  } catch {
    return undefined;
  }
}

function isAlive({ pid, host, began }: Holder): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (cause) {
    return errnoOf(cause) === 'EPERM';
  }
  return began === undefined || beganOf(pid) === began;
}

function locked(directory: string, holder: Holder | undefined, what: string): TagstreamError {
  const who = holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}`;
  return new TagstreamError('checkpoint', `${who} is using ${what}`, {
    place: { source: directory },
    fix: `wait until it has ended; if it is gone for good, remove ${join(directory, lockFile)}`,
  });
}
