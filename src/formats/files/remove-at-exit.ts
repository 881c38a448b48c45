import { rmSync } from 'node:fs';

/**
 * Removes a temporary file if the process ends before the returned function is called: by `process.exit`, or by
 * a signal that nothing else handles. A killed process leaves the file.
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
 * Runs a task if the process ends before the returned function is called: by `process.exit`, or by SIGHUP,
 * SIGINT or SIGTERM if nothing else handles them. A killed process does not run it.
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

/** Ends the process as the signal would by default, unless other listeners decide what happens to it. */
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
      // The process is ending: the error cannot be reported.
    }
  }
}
