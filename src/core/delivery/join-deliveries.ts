import type { Delivery } from './delivery.js';

/**
 * One delivery for what several items became together: each of its ends is that of all of them. Its position
 * reaches from the first to the last.
 *
 * @example
 * const calls = [];
 * const delivery = (start, end) => ({
 *   position: { source: 'a', line: 1, start, end },
 *   ...{ release: () => calls.push(start), ack() {}, reject() {} },
 * });
 * const joined = joinDeliveries([delivery(0, 3), delivery(4, 9)]);
 * joined.release();
 * [calls, joined.position.start, joined.position.end] // => [[0, 4], 0, 9]
 */
export function joinDeliveries(deliveries: readonly Delivery[]): Delivery {
  const { source, line, start } = deliveries[0]!.position;
  return {
    position: { source, line, start, end: deliveries.at(-1)!.position.end },
    release: () => {
      for (const delivery of deliveries) delivery.release();
    },
    ack: () => {
      for (const delivery of deliveries) delivery.ack();
    },
    reject: error => {
      for (const delivery of deliveries) delivery.reject(error);
    },
  };
}
