import { from, Observable, type OperatorFunction, pipe, Subject, takeUntil } from 'rxjs';
import { type Delivery, joinDeliveries } from '../core/delivery/delivery.js';
import type { FlowLedger } from '../core/delivery/flow-ledger.js';
import { TagstreamError } from '../core/errors.js';
import { kinds, requireArgument, requireKnown } from '../core/schema/require-argument.js';
import { type Deliverable, mergeOrdered } from './merge-ordered.js';

/** The options of `tracked`. */
export interface TrackedOptions {
  /** Number of items passed to the operator at a time, as a stream that ends after them. Default 1. */
  readonly items?: number;
  /** Maximum number of such streams at the same time. Default 1. */
  readonly concurrency?: number;
  readonly ledger?: FlowLedger | undefined;
  /** Name for the ledger and errors. Default `tracked`. */
  readonly name?: string;
}

/**
 * Returns any RxJS operator with deliveries tracked: items that it drops are released and acknowledged, and one-to-many
 * and many-to-one results are counted.
 *
 * The operator gets the items one by one, each as a separate stream that ends after it, or `items` at a time:
 * `tracked(filter(f))`, `tracked(mergeMap(work))`, `tracked(bufferCount(10), { items: 10 })`. It therefore keeps no
 * state between these streams. Results must be objects; an array gets the deliveries of all items in it.
 *
 * @throws TagstreamError `config` if `items` is not a whole number from 1
 * @example
 * const dropped = [];
 * const item = n => ({ n, delivery: { release: () => dropped.push(n), ack() {}, reject() {} } });
 * const even = from([1, 2, 3].map(item)).pipe(tracked(filter(({ n }) => n % 2 === 0)));
 * (await lastValueFrom(even.pipe(toArray()))).map(({ n }) => n) // => [2]
 * dropped // => [1, 3]
 */
export function tracked<In extends Deliverable, Out extends object>(
  operator: OperatorFunction<In, Out>,
  given: TrackedOptions = {},
): OperatorFunction<In, Out> {
  requireArgument('tracked: the operator', operator, kinds.function);
  requireKnown('tracked', given, ['items', 'concurrency', 'ledger', 'name']);
  const { items = 1, name = 'tracked', ...options } = given;
  if (!(Number.isInteger(items) && items >= 1)) {
    throw new TagstreamError('config', `${name} takes ${items} items at a time`, {
      fix: 'give a whole number of at least 1',
    });
  }
  if (items === 1) {
    return mergeOrdered((item: In) => from([item]).pipe(operator), { ...options, name });
  }
  return pipe(
    groups<In>(items, name, options.ledger),
    mergeOrdered((group: Group<In>) => from(group.items).pipe(operator), { ...options, name }),
  );
}

interface Group<Item> extends Deliverable {
  readonly items: readonly Item[];
}

/** Groups the given number of items, fewer at the end, with one delivery per group. */
function groups<Item extends Deliverable>(
  size: number,
  name: string,
  ledger: FlowLedger | undefined,
): OperatorFunction<Item, Group<Item>> {
  return source =>
    new Observable(subscriber => {
      let waiting: Item[] = [];
      const leave = ledger?.enter(name, () => ({ items: waiting.length, busy: false }));
      const flush = () => {
        if (waiting.length === 0) return;
        const items = waiting;
        waiting = [];
        const deliveries = items
          .map(({ delivery }) => delivery)
          .filter((delivery): delivery is Delivery => delivery !== undefined);
        subscriber.next(
          deliveries.length === 0 ? { items } : { items, delivery: joinDeliveries(deliveries) },
        );
      };
      const left = new Subject<void>();
      subscriber.add(() => {
        left.next();
        leave?.();
      });
      source.pipe(takeUntil(left)).subscribe({
        next: item => {
          waiting.push(item);
          if (waiting.length === size) flush();
        },
        error: error => subscriber.error(error),
        complete: () => {
          flush();
          subscriber.complete();
        },
      });
    });
}
