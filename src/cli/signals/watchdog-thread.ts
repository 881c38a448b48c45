import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { LogArguments } from '../options/operation-options.js';

/** When a run is cut off, and how that is reported. */
export interface CutOff extends LogArguments {
  /** From the first signal. */
  readonly seconds: number;
  readonly message: string;
}

/** What the thread of a `Watchdog` needs. */
export interface WatchdogSetup extends CutOff {
  /**
   * Shared: whether the run is being cut off, and whether the main thread has received a signal.
   */
  readonly state: Int32Array<SharedArrayBuffer>;
}

/** A handle of Node's for one signal, which belongs to the event loop of the thread that makes it. */
interface SignalHandle {
  onsignal: (signal: number) => void;
  start(signal: number): number;
}

type Bindings = (name: 'signal_wrap') => { readonly Signal: new () => SignalHandle };

/** Milliseconds for the main thread to act first, and then to exit when it is interrupted. */
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
 * Returns the log of the run, bypassing the streams of the process, which belong to the blocked thread.
 */
async function ownLog() {
  const stream = { write: (line: string) => writeSync(2, line) };
  if (format === 'text') return (await import('../report/text-log.js')).textLog(logLevel, stream);
  return (await import('../../telemetry/json-log.js')).jsonLog(logLevel, stream);
}

/**
 * Interrupts the main thread, whatever it computes, and makes it exit, so that it removes temporary files. In a
 * system call that does not return it cannot be interrupted: then the process is killed.
 */
async function end(code: number): Promise<void> {
  const kill = () => process.kill(process.pid, 'SIGKILL');
  setTimeout(kill, exitTime);
  const { Session } = await import('node:inspector');
  const session = new Session();
  session.connectToMainThread();
  // Without its standard error, where Node would otherwise report waiting for this session.
  const quietly = `process.on('exit', () => process.getBuiltinModule('fs').closeSync(2))`;
  session.post('Runtime.evaluate', { expression: `${quietly}; process.exit(${code})` });
}
