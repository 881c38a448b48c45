import { Observable } from 'rxjs';
import type { Reloadable } from './reloadable.js';

/**
 * The newest, and each that takes its place. Never ends.
 *
 * @example
 * const numbers = new Reloadable(1, () => 2);
 * const seen = [];
 * versionsOf(numbers).subscribe(number => seen.push(number));
 * numbers.reload();
 * seen // => [1, 2]
 */
export function versionsOf<Value>(reloadable: Reloadable<Value>): Observable<Value> {
  return new Observable(subscriber => {
    subscriber.next(reloadable.current);
    return reloadable.onNew(value => subscriber.next(value));
  });
}
