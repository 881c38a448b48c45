import { Observable } from 'rxjs';
import type { Reloadable } from './reloadable.js';

/**
 * The newest, and each that takes its place. Never ends.
 *
 * @example
 * let renew;
 * const numbers = { current: 1, onNew: listener => (renew = listener) };
 * const seen = [];
 * versionsOf(numbers).subscribe(number => seen.push(number));
 * renew(2);
 * seen // => [1, 2]
 */
export function versionsOf<Value>(
  reloadable: Pick<Reloadable<Value>, 'current' | 'onNew'>,
): Observable<Value> {
  return new Observable(subscriber => {
    subscriber.next(reloadable.current);
    return reloadable.onNew(value => subscriber.next(value));
  });
}
