import { readFileSync, readlinkSync } from 'node:fs';
import { errnoOf } from '../files/file-error.js';
import { os } from '../files/node-parts.js';

/** The process that holds a lock, as it stands in the lock's file. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** When the process began, where the system says so: numbers of processes come again. */
  readonly began?: string | undefined;
  /** The start of the system that it runs on. */
  readonly boot?: string | undefined;
  /** The namespace that its number is of: a container has one of its own. */
  readonly namespace?: string | undefined;
}

/** Where among the fields of `statusOf` the start time in ticks is. */
const beganField = 19;

/** States of a process that has ended: zombie, dead. */
const ended = new Set(['Z', 'X', 'x']);

/** This process. */
export function thisHolder(): LockHolder {
  const { pid } = process;
  return { pid, host: os().hostname(), began: statusOf(pid)?.[beganField], ...whereabouts() };
}

/**
 * The holder that the text of a lock's file names; undefined for what is no such text.
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
 * Whether a holder lives: `elsewhere` where it has its number on another system or in another namespace, so
 * that nobody can see from here.
 */
export function stateOf(holder: LockHolder): 'alive' | 'gone' | 'elsewhere' {
  const { boot, namespace } = whereabouts();
  // Where the system does not say these, the name of the host has to do.
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
  // A process whose parent has not asked for its end yet keeps its number, and holds nothing.
  if (status !== undefined && ended.has(status[0]!)) return 'gone';
  return holder.began === undefined || status?.[beganField] === holder.began ? 'alive' : 'gone';
}

function whereabouts(): Pick<LockHolder, 'boot' | 'namespace'> {
  return {
    boot: orUndefined(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    namespace: orUndefined(() => readlinkSync('/proc/self/ns/pid')),
  };
}

/** The status of a process from the third field on; undefined where the system has no such file. */
function statusOf(pid: number): readonly string[] | undefined {
  return orUndefined(() => {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in parentheses, which may hold blanks and parentheses itself.
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
