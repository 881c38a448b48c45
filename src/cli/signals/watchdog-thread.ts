import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { LogArguments } from '../options/operation-options.js';

/** Time limit after which a run is cut off, and how that is logged. */
export interface CutOff extends LogArguments {
  /** Seconds from the first signal. */
  readonly seconds: number;
  readonly message: string;
}

/** Input of a `Watchdog` thread. */
export interface WatchdogSetup extends CutOff {
  /**
   * Shared state: whether the run is being cut off, and whether the main thread has received a
   * signal.
   */
  readonly state: Int32Array<SharedArrayBuffer>;
}

/**
 * Node's internal handle for one signal, which belongs to the event loop of the thread that creates
 * it.
 */
interface SignalHandle {
  onsignal: (signal: number) => void;
  start(signal: number): number;
}

type Bindings = (name: 'signal_wrap') => { readonly Signal: new () => SignalHandle };

/** Milliseconds for which the main thread may act first, and then exit when it is interrupted. */
const precedence = 250;
const exitTime = 3000;

const { seconds, message, log: format, logLevel, state } = workerData as WatchdogSetup;
let signals = 0;

const { internalBinding } = createRequire(import.meta.url)('internal/test/binding') as {
  readonly internalBinding: Bindings;
};
const { Signal } = internalBinding('signal_wrap');
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  const handle = new Signal();
  handle.onsignal = heard;
  handle.start(constants.signals[name]);
}
if (Atomics.load(state, 1) === 1) heard(constants.signals.SIGTERM);
parentPort!.postMessage('listening');

function heard(signal: number): void {
  signals += 1;
  if (signals === 1) setTimeout(cutOff, seconds * 1000 + precedence);
  else if (signals === 2) setTimeout(() => end(128 + signal), precedence);
}

async function cutOff(): Promise<void> {
  if (Atomics.exchange(state, 0, 1) === 0) (await ownLog()).error(message, { seconds });
  await end(1);
}

/**
 * Returns the log of the run, bypassing the process's streams, which belong to the blocked thread.
 */
async function ownLog() {
  const stream = { write: (line: string) => writeSync(2, line) };
  if (format === 'text') return (await import('../report/text-log.js')).textLog(logLevel, stream);
  return (await import('../../service/telemetry/json-log.js')).jsonLog(logLevel, stream);
}

/**
 * Interrupts any computation of the main thread, and makes it exit, so that it removes temporary
 * files. If it cannot be interrupted, in a system call that does not return, the process is killed.
 */
async function end(code: number): Promise<void> {
  const kill = () => process.kill(process.pid, 'SIGKILL');
  setTimeout(kill, exitTime);
  const { Session } = await import('node:inspector');
  const session = new Session();
  session.connectToMainThread();
  // Closes the standard error, where Node would otherwise report waiting for this session.
  const quietly = `process.on('exit', () => process.getBuiltinModule('fs').closeSync(2))`;
  session.post('Runtime.evaluate', { expression: `${quietly}; process.exit(${code})` });
}
