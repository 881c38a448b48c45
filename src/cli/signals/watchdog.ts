import type { Worker } from 'node:worker_threads';
import { largeRecords } from '../../runtime/io/sources/large-record.js';
import { threadFile } from '../../runtime/thread-file.js';
import type { CutOff, WatchdogSetup } from './watchdog-thread.js';

/** Milliseconds after which a run is no longer short. */
const patience = 2000;

/** Limits in megabytes: the thread does little. */
const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 };

/**
 * Ends the process on signals while this thread is blocked and cannot receive them, in a
 * computation of minutes or in an endless one. A separate thread also counts the signals. It ends
 * the process some seconds after the first signal, with an error and exit code 1, or immediately
 * after the second one, with 130 or 143.
 *
 * The thread starts when the run is two seconds old, when a record is large, or with the first
 * signal, so that short runs do not need it. It depends on internals of Node 20 to 24; without
 * them, signals are received when this thread returns to its event loop.
 */
export class Watchdog {
  readonly #setup: WatchdogSetup;
  readonly #timer: NodeJS.Timeout;
  #worker: Worker | undefined;

  constructor({ seconds, message, log, logLevel }: CutOff) {
    const shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
    this.#setup = { seconds, message, log, logLevel, state: new Int32Array(shared) };
    this.#timer = setTimeout(this.#start, patience).unref();
    largeRecords.subscribe(this.#start);
  }

  /** Notes that this thread has received the first signal; must be called then. */
  heard(): void {
    Atomics.store(this.#setup.state, 1, 1);
    this.#start();
  }

  /** Returns whether this thread cuts off the run, which only one of the two does. */
  cutsOff(): boolean {
    return Atomics.exchange(this.#setup.state, 0, 1) === 0;
  }

  /** Ends the watch. */
  dispose(): void {
    clearTimeout(this.#timer);
    largeRecords.unsubscribe(this.#start);
    void this.#worker?.terminate();
  }

  readonly #start = (): void => {
    if (this.#worker !== undefined) return;
    // Loaded on demand, synchronously, as the next turn of the event loop may be far away.
    const { Worker } = process.getBuiltinModule('node:worker_threads');
    try {
      this.#worker = new Worker(threadFile('cli/signals/watchdog-thread'), {
        // The signal binding is internal to Node, and no public API receives signals in a thread.
        execArgv: ['--expose-internals', '--no-warnings'],
        workerData: this.#setup,
        resourceLimits,
      });
    } catch {
      // The system has no threads or files left: the work matters more than the watchdog.
      return;
    }
    this.#worker.on('error', () => undefined);
    this.#worker.unref();
  };
}
