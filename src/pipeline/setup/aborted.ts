import { Observable } from 'rxjs';

/** Emits once when a signal is aborted; at once if it already is. */
export function aborted(signal: AbortSignal): Observable<void> {
  return new Observable(subscriber => {
    const emit = () => subscriber.next();
    if (signal.aborted) emit();
    else signal.addEventListener('abort', emit, { once: true });
    return () => signal.removeEventListener('abort', emit);
  });
}
