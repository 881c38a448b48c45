import { os } from '../../formats/files/node-parts.js';
import type { Reporting } from '../report/reporting.js';
import { Watchdog } from './watchdog.js';

/** Default seconds for an orderly shutdown. */
const defaultSeconds = 30;

/** A request to stop, triggered by signals. */
export interface StopSignal {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Ignores signals and the time limit from now on; must be called when the run has ended. */
  dispose(): void;
}

/**
 * Aborts when the process receives a signal to end (SIGINT, SIGTERM), so that it can shut down in
 * an orderly way. If that takes longer than `seconds`, for example because the reader of the output
 * has stalled, the process ends with an error and exit code 1. A second signal ends it at once,
 * with 130 or 143. A `Watchdog` handles both while this thread is blocked.
 */
export function stopSignal(
  { log, status, logging }: Reporting,
  seconds = defaultSeconds,
): StopSignal {
  const controller = new AbortController();
  const message = cutOffMessage(seconds);
  const watchdog = new Watchdog({ seconds, message, ...logging });
  let timer: NodeJS.Timeout | undefined;
  const stop = (name: 'SIGINT' | 'SIGTERM') => {
    if (controller.signal.aborted) process.exit(128 + os().constants.signals[name]);
    log.warn('shutting down; signal again to exit at once', { signal: name });
    if (status !== undefined) status.phase = 'draining';
    timer = setTimeout(cutOff, seconds * 1000);
    watchdog.heard();
    controller.abort();
  };
  const cutOff = () => {
    if (watchdog.cutsOff()) log.error(message, { seconds });
    process.exit(1);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return {
    signal: controller.signal,
    dispose() {
      clearTimeout(timer);
      watchdog.dispose();
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}

function cutOffMessage(seconds: number): string {
  return `aborted with work left ${seconds} s after the signal (check that the reader of the output is still reading, or raise --shutdown-timeout)`;
}
