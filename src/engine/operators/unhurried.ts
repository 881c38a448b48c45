import { Observable } from 'rxjs';

/** Milliseconds of emission before yielding to the event loop. */
const slice = 10;

/** Default number of items between two clock checks. */
const usualStride = 16;

/**
 * Emits the values of an iterator in time slices: between slices the event loop can process signals, timers and input
 * during a long computation. The order is that of the iterator; the clock only determines the pauses.
 *
 * @param stride number of items between two clock checks: 1 if each takes long
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

/**
 * Runs work on the next turn of the event loop; faster than a timer where possible, because a timer waits at least a
 * millisecond.
 */
export const soon: (work: () => void) => unknown =
  (globalThis as { setImmediate?: (work: () => void) => unknown }).setImmediate ??
  (work => setTimeout(work, 0));
