/** What is waited for at most. */
export interface WaitLimits {
  /** Whether the wait is `late` once the event loop has turned: what is at hand has come by then. No clock is asked. */
  readonly untilTurn?: boolean | undefined;
  /** Its abort ends the wait as `stopped`. */
  readonly signal: AbortSignal;
}

/**
 * The result of a promise, or that it is not ready, or no longer wanted. The promise
 * can be waited for again.
 *
 * @throws (rejects with) what the promise rejects with
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
