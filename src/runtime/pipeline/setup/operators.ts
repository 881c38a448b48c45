import { type MonoTypeOperatorFunction, Observable } from 'rxjs';
import type { Durations } from '../../../engine/core/run-status.js';

/**
 * Measures the time that each item takes in the synchronous operators that follow. Reads the clock twice per item;
 * passes items unchanged.
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

/** Emits once when a signal is aborted, immediately if it already is. */
export function aborted(signal: AbortSignal): Observable<void> {
  return new Observable(subscriber => {
    const emit = () => subscriber.next();
    if (signal.aborted) emit();
    else signal.addEventListener('abort', emit, { once: true });
    return () => signal.removeEventListener('abort', emit);
  });
}
