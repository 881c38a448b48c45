import type { TagstreamError } from './errors.js';

/** Where an item came from: the bytes `[start, end)` of `source`, which is line `line` (from 1). */
export interface Position {
  readonly source: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

/**
 * The life of one input record on its way through a pipeline.
 *
 * `release` says that the record has left memory (flow-control credit returns); `ack` that its effect
 * is durable; `reject` that it could not be processed (it goes to the dead letters, and counts as
 * released and acknowledged). Every delivery ends in exactly one `release` and one `ack` or `reject`;
 * later calls are ignored. Operators pass the delivery on; one that drops an item releases and
 * acknowledges it.
 */
export interface Delivery {
  readonly position: Position;
  release(): void;
  ack(): void;
  reject(error: TagstreamError): void;
}

/**
 * Divides a delivery among the `count` items that one item became: it is released (acknowledged)
 * when all of them are, and rejected as soon as one of them is.
 */
export function shareDelivery(delivery: Delivery | undefined, count: number): Delivery | undefined {
  if (delivery === undefined || count === 1) return delivery;
  let released = 0;
  let acknowledged = 0;
  let rejected = false;
  return {
    position: delivery.position,
    release: () => {
      released += 1;
      if (released === count) delivery.release();
    },
    ack: () => {
      acknowledged += 1;
      if (acknowledged === count && !rejected) delivery.ack();
    },
    reject: error => {
      if (rejected) return;
      rejected = true;
      delivery.reject(error);
    },
  };
}
