import { constants } from 'node:os';
import type { Log } from '../core/log.js';
import type { Reporting } from './reporting.js';

/** Seconds that a run may take to end in order, where nothing is said. */
const defaultSeconds = 30;

/** A request to end, as signals make it. */
export interface StopSignal {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** To be called when the run has ended: signals and time are no longer minded. */
  dispose(): void;
}

/**
 * Aborts when the process is asked to end (SIGINT, SIGTERM), so that it can end in order. Whatever takes
 * longer than `seconds` from then on, as a reader of the output that stands still, is cut off: the process
 * ends with an error and exit code 1. A second signal ends it at once, with 130 or 143.
 */
export function stopSignal({ log, status }: Reporting, seconds = defaultSeconds): StopSignal {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const stop = (name: 'SIGINT' | 'SIGTERM') => {
    if (controller.signal.aborted) process.exit(128 + constants.signals[name]);
    log.warn('ending in order; once more to end at once', { signal: name });
    if (status !== undefined) status.phase = 'draining';
    timer = setTimeout(() => cutOff(seconds, log), seconds * 1000);
    controller.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return {
    signal: controller.signal,
    dispose() {
      clearTimeout(timer);
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}

function cutOff(seconds: number, log: Log): never {
  log.error(
    `what was read is not all done ${seconds} s after the signal, and is cut off (see whether the reader of the output still reads, or give more time with --shutdown-timeout)`,
    { seconds },
  );
  process.exit(1);
}
