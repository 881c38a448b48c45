import { type MonoTypeOperatorFunction, Observable } from 'rxjs';
import type { Durations } from '../../core/durations.js';

/**
 * Measures how long each item takes through the synchronous operators that come after. Two looks at the
 * clock an item; what happens to the item does not change.
 *
 * @example
 * const durations = { added: 0, add() { this.added += 1; } };
 * await lastValueFrom(of('a', 'b').pipe(timed(durations), toArray())) // => ['a', 'b']
 * durations.added // => 2
 */
export function timed<T>(durations: Pick<Durations, 'add'>): MonoTypeOperatorFunction<T> {
  return source =>
    new Observable(subscriber =>
      source.subscribe({
        next: item => {
          const start = performance.now();
          subscriber.next(item);
          durations.add((performance.now() - start) / 1000);
        },
        error: error => subscriber.error(error),
        complete: () => subscriber.complete(),
      }),
    );
}
