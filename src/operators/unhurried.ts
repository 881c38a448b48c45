import { Observable } from 'rxjs';

/** Items that are emitted before others get their turn. */
const slice = 128;

/**
 * Emits what an iterator yields, in slices: between two slices the event loop turns, so that signals,
 * timers and input are served while a long computation runs. The order is that of the iterator.
 */
export function unhurried<Item>(items: Iterator<Item>): Observable<Item> {
  return new Observable(subscriber => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const emit = () => {
      for (let i = 0; i < slice && !subscriber.closed; i += 1) {
        const { value, done } = items.next();
        if (done === true) {
          subscriber.complete();
          return;
        }
        subscriber.next(value);
      }
      if (!subscriber.closed) timer = setTimeout(emit, 0);
    };
    emit();
    return () => clearTimeout(timer);
  });
}
