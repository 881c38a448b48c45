import { filter, map, type OperatorFunction, pipe } from 'rxjs';
import type { Delivery } from '../core/delivery/delivery.js';
import { TagstreamError } from '../core/errors.js';

/** Marks an item that was rejected. */
const dropped = Symbol('dropped');

/**
 * Returns `map` for a function that can fail for a single item: an item with a delivery is rejected and dropped, and
 * the stream continues; an item without one ends the stream with the error.
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
        // Callers without types may pass something that is not an item.
        const delivery = item?.delivery;
        if (delivery === undefined) throw error;
        delivery.reject(error);
        return dropped;
      }
    }),
    filter((result): result is Out => result !== dropped),
  );
}
