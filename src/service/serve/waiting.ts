/** Settles like a promise, or rejects with the reason of a signal that is aborted first. */
export function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Tells all waiters that something has changed; each checks whether its condition is now met. */
export class Changes {
  #wake: (() => void) | undefined;

  /** Resolves at the next change. */
  next(): Promise<void> {
    return new Promise(resolve => {
      const before = this.#wake;
      this.#wake = () => {
        before?.();
        resolve();
      };
    });
  }

  /** Wakes all waiters. */
  tell(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
