/** Settles as a promise does, or rejects with the reason of a signal that is aborted before. */
export function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Tells all who wait that something has changed; they look for themselves whether it is what they wait for. */
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

  /** Wakes all who wait. */
  tell(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
