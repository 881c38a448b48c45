import { rmSync } from 'node:fs';

/**
 * Has a temporary file removed if the process ends before what is returned is called: by `process.exit`, or by a
 * signal that nothing else handles. A process that is killed leaves the file.
 *
 * @example
 * const keep = removeAtExit('/tmp/half-written.tmp');
 * keep() // => undefined
 */
export function removeAtExit(path: string): () => void {
  return atExit(() => rmSync(path, { force: true }));
}

const work = new Set<() => void>();
const signals = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/**
 * Has something done when the process ends before what is returned is called: by `process.exit`, or by SIGHUP,
 * SIGINT or SIGTERM if nothing else handles them. A process that is killed does not do it.
 *
 * @example
 * const cancel = atExit(() => {});
 * cancel() // => undefined
 */
export function atExit(task: () => void): () => void {
  if (work.size === 0) {
    process.on('exit', doAll);
    for (const signal of signals) process.on(signal, endBySignal);
  }
  work.add(task);
  return () => {
    if (work.delete(task) && work.size === 0) unlisten();
  };
}

/** Another listener decides what becomes of the process; without one it ends as it would have ended. */
function endBySignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  doAll();
  unlisten();
  process.kill(process.pid, signal);
}

function unlisten(): void {
  process.off('exit', doAll);
  for (const signal of signals) process.off(signal, endBySignal);
}

function doAll(): void {
  for (const task of work) {
    try {
      task();
    } catch {
      // There is no one left to report it to.
    }
  }
}
