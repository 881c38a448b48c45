/**
 * Aborts when the process is asked to end (SIGINT, SIGTERM), so that it can end in order; a second
 * request ends it at once.
 */
export function stopSignal(): { readonly signal: AbortSignal; dispose(): void } {
  const controller = new AbortController();
  const stop = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(128 + (name === 'SIGINT' ? 2 : 15));
    process.stderr.write('tagstream: ending in order; once more to end at once\n');
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
