import { Observable } from 'rxjs';

/** Milliseconds for which items are emitted before others get their turn. */
const slice = 10;

/** Items between two looks at the clock, where nothing else is asked for. */
const usualStride = 16;

/**
 * Emits what an iterator yields, in slices of time: between two slices the event loop turns, so that
 * signals, timers and input are served while a long computation runs. The order is that of the iterator;
 * the clock decides only where others get their turn.
 *
 * @param stride items between two looks at the clock: 1 where each takes long
 */
export function unhurried<Item>(items: Iterator<Item>, stride = usualStride): Observable<Item> {
  return new Observable(subscriber => {
    const emit = () => {
      const end = performance.now() + slice;
      do {
        for (let i = 0; i < stride && !subscriber.closed; i += 1) {
          const { value, done } = items.next();
          if (done === true) {
            subscriber.complete();
            return;
          }
          subscriber.next(value);
        }
      } while (!subscriber.closed && performance.now() < end);
      if (!subscriber.closed) soon(emit);
    };
    emit();
  });
}

/** Does some work when the event loop has turned. A timer waits a millisecond at least; where there is something faster it is taken. */
export const soon: (work: () => void) => unknown =
  (globalThis as { setImmediate?: (work: () => void) => unknown }).setImmediate ??
  (work => setTimeout(work, 0));
