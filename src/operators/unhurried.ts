import { Observable } from 'rxjs';

/** Items that are emitted before others get their turn. */
const slice = 128;

/** A turn of the event loop: timers of browsers and of Node let a millisecond pass, `setImmediate` does not. */
const afterTurn: (work: () => void) => () => void =
  typeof setImmediate === 'function'
    ? work => {
        const handle = setImmediate(work);
        return () => clearImmediate(handle);
      }
    : work => {
        const handle = setTimeout(work, 0);
        return () => clearTimeout(handle);
      };

/**
 * Emits what an iterator yields, in slices: between two slices the event loop turns, so that signals,
 * timers and input are served while a long computation runs. The order is that of the iterator.
 */
export function unhurried<Item>(items: Iterator<Item>): Observable<Item> {
  return new Observable(subscriber => {
    let cancel: (() => void) | undefined;
    const emit = () => {
      for (let i = 0; i < slice && !subscriber.closed; i += 1) {
        const { value, done } = items.next();
        if (done === true) {
          subscriber.complete();
          return;
        }
        subscriber.next(value);
      }
      if (!subscriber.closed) cancel = afterTurn(emit);
    };
    emit();
    return () => cancel?.();
  });
}
