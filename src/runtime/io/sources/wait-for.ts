/** Limits of a wait. */
export interface WaitLimits {
  /**
   * Whether the wait ends as `late` after one event loop turn, when all available data have arrived. Needs no clock.
   */
  readonly untilTurn?: boolean | undefined;
  /** Signal that ends the wait as `stopped` when aborted. */
  readonly signal: AbortSignal;
}

/**
 * Waits for a promise. Returns its result, or `late` if it is not ready, or `stopped` if it is no longer wanted. The
 * promise can be awaited again.
 *
 * @throws (rejects with) the rejection of the promise
 * @example
 * const { signal } = new AbortController();
 * await waitFor(Promise.resolve(1), { signal }) // => 1
 * await waitFor(new Promise(() => {}), { signal, untilTurn: true }) // => 'late'
 */
export function waitFor<Value>(
  promise: Promise<Value>,
  { untilTurn, signal }: WaitLimits,
): Promise<Value | 'late' | 'stopped'> {
  if (signal.aborted) return Promise.resolve('stopped');
  return new Promise((resolve, reject) => {
    const stop = () => settle(() => resolve('stopped'));
    const late = () => settle(() => resolve('late'));
    const turn = untilTurn === true ? setImmediate(late) : undefined;
    const settle = (how: () => void) => {
      clearImmediate(turn);
      signal.removeEventListener('abort', stop);
      how();
    };
    signal.addEventListener('abort', stop);
    promise.then(
      value => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}
