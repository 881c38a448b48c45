/** What is waited for at most. */
export interface WaitLimits {
  /** Milliseconds until the wait is `late`; without it there is no such limit. */
  readonly milliseconds?: number | undefined;
  /** Its abort ends the wait as `stopped`. */
  readonly signal: AbortSignal;
}

/**
 * What a promise comes to, or that it takes too long, or that nobody wants it any more. The promise
 * can be waited for again.
 *
 * @throws (rejects with) what the promise rejects with
 * @example
 * const { signal } = new AbortController();
 * await waitFor(Promise.resolve(1), { signal }) // => 1
 * await waitFor(new Promise(() => {}), { signal, milliseconds: 1 }) // => 'late'
 */
export function waitFor<Value>(
  promise: Promise<Value>,
  { milliseconds, signal }: WaitLimits,
): Promise<Value | 'late' | 'stopped'> {
  if (signal.aborted) return Promise.resolve('stopped');
  return new Promise((resolve, reject) => {
    const stop = () => settle(() => resolve('stopped'));
    const late = () => settle(() => resolve('late'));
    const timer = milliseconds === undefined ? undefined : setTimeout(late, milliseconds);
    const settle = (how: () => void) => {
      clearTimeout(timer);
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
