import type { Reporting } from './reporting.js';

/**
 * Aborts when the process is asked to end (SIGINT, SIGTERM), so that it can end in order; a second
 * request ends it at once.
 */
export function stopSignal({ log, status }: Reporting): {
  readonly signal: AbortSignal;
  dispose(): void;
} {
  const controller = new AbortController();
  const stop = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(128 + (name === 'SIGINT' ? 2 : 15));
    log.warn('ending in order; once more to end at once', { signal: name });
    if (status !== undefined) status.phase = 'draining';
    controller.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return {
    signal: controller.signal,
    dispose() {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}
