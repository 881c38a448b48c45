import { from, type Observable, type ObservableInput } from 'rxjs';

/**
 * Iterates over an iterable, pulling values one by one, or an observable, whose values are buffered.
 *
 * @param signal ends the iteration when aborted, by returning from the iterable or unsubscribing from the observable
 * @example
 * const { signal } = new AbortController();
 * const values = [];
 * for await (const value of eachValue(of(1, 2), signal)) values.push(value);
 * values // => [1, 2]
 */
export function eachValue<Value>(
  source: ObservableInput<Value>,
  signal: AbortSignal,
): AsyncIterable<Value> {
  return { [Symbol.asyncIterator]: () => iteratorOf(source, signal) };
}

function iteratorOf<Value>(
  source: ObservableInput<Value>,
  signal: AbortSignal,
): AsyncIterator<Value> {
  if (Symbol.asyncIterator in source) {
    const iterator = source[Symbol.asyncIterator]();
    const end = () => void iterator.return?.()?.catch(() => undefined);
    signal.addEventListener('abort', end, { once: true });
    return iterator;
  }
  if (Symbol.iterator in source) {
    const iterator = source[Symbol.iterator]();
    return {
      next: () => Promise.resolve(iterator.next()),
      return: () => Promise.resolve(iterator.return?.() ?? { done: true, value: undefined }),
    };
  }
  return keptValues(from(source), signal);
}

/** Buffers emitted values. */
function keptValues<Value>(source: Observable<Value>, signal: AbortSignal): AsyncIterator<Value> {
  const values: Value[] = [];
  let ended = false;
  let failure: unknown;
  let wake = () => {};
  const end = (error?: unknown) => {
    ended = true;
    failure = error;
    wake();
  };
  const subscription = source.subscribe({
    next: value => {
      values.push(value);
      wake();
    },
    error: end,
    complete: end,
  });
  const stop = () => {
    subscription.unsubscribe();
    end();
  };
  signal.addEventListener('abort', stop, { once: true });
  return {
    async next() {
      while (values.length === 0 && !ended) {
        await new Promise<void>(resolve => {
          wake = resolve;
        });
      }
      if (values.length > 0) return { done: false, value: values.shift()! };
      if (failure !== undefined) throw failure;
      return { done: true, value: undefined };
    },
    return() {
      stop();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
}
