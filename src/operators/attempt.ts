import { Observable, type OperatorFunction } from 'rxjs';
import type { Delivery } from '../core/delivery.js';
import { TagstreamError } from '../core/errors.js';

/**
 * `map` for work that a single item may fail: an item with a delivery is rejected and dropped, and the
 * stream goes on; without one, the stream ends with the error.
 */
export function attempt<In extends { readonly delivery?: Delivery }, Out>(
  work: (item: In) => Out,
): OperatorFunction<In, Out> {
  return source =>
    new Observable(subscriber =>
      source.subscribe({
        next(item) {
          let result: Out;
          try {
            result = work(item);
          } catch (thrown) {
            const error = TagstreamError.from(thrown, 'stage');
            if (item.delivery === undefined) subscriber.error(error);
            else item.delivery.reject(error);
            return;
          }
          subscriber.next(result);
        },
        error: error => subscriber.error(error),
        complete: () => subscriber.complete(),
      }),
    );
}
