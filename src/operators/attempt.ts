import { filter, map, type OperatorFunction, pipe } from 'rxjs';
import type { Delivery } from '../core/delivery/delivery.js';
import { TagstreamError } from '../core/errors.js';

/** Marks an item that was rejected. */
const dropped = Symbol('dropped');

/**
 * `map` for work that a single item may fail: an item with a delivery is rejected and dropped, and the
 * stream continues; without one, the stream ends with the error.
 */
export function attempt<In extends { readonly delivery?: Delivery }, Out>(
  work: (item: In) => Out,
): OperatorFunction<In, Out> {
  return pipe(
    map((item: In) => {
      try {
        return work(item);
      } catch (thrown) {
        const error = TagstreamError.from(thrown, 'stage');
        // Callers without types may give what is no item.
        const delivery = item?.delivery;
        if (delivery === undefined) throw error;
        delivery.reject(error);
        return dropped;
      }
    }),
    filter((result): result is Out => result !== dropped),
  );
}
