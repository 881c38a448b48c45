import type { Worker } from 'node:worker_threads';
import { largeRecords } from '../../io/sources/large-record.js';
import { threadFile } from '../../workers/thread-file.js';
import type { CutOff, WatchdogSetup } from './watchdog-thread.js';

/** Milliseconds after which a run no longer counts as short. */
const patience = 2000;

/** Megabytes: the thread does little. */
const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 };

/**
 * Ends the process on signals while this thread is blocked and receives none of them: in a computation of
 * minutes, or in an endless one. A separate thread also counts the signals. It ends the process some seconds
 * after the first one, with an error and 1, and at once at the second one, with 130 or 143.
 *
 * The thread starts when the run is two seconds old, when a record is large, or with the first signal, so that
 * short runs go without. It needs parts of Node that Node 20 to 24 have; without them signals are received
 * when this thread returns to its event loop.
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

  /** Must be called when this thread has received the first signal. */
  heard(): void {
    Atomics.store(this.#setup.state, 1, 1);
    this.#start();
  }

  /** Returns whether this thread cuts off the run: only one of the two does. */
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
    // Loaded on demand, synchronously: the next turn of the event loop may be far away.
    const { Worker } = process.getBuiltinModule('node:worker_threads');
    try {
      this.#worker = new Worker(threadFile('cli/signals/watchdog-thread'), {
        // The binding to signals is internal to Node; nothing public receives them in a thread.
        execArgv: ['--expose-internals', '--no-warnings'],
        workerData: this.#setup,
        resourceLimits,
      });
    } catch {
      // The system has no more threads or files: the work matters more than the watch.
      return;
    }
    this.#worker.on('error', () => undefined);
    this.#worker.unref();
  };
}
