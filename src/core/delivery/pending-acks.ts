import type { Delivery } from './delivery.js';

/**
 * Deliveries that wait to be acknowledged together. Those that can be taken in by the one before them are
 * released, so that a source of consecutive records costs one delivery however long it waits.
 *
 * @example
 * const acked = [];
 * const delivery = name => ({ release() {}, reject() {}, ack: () => acked.push(name) });
 * const pending = new PendingAcks();
 * pending.add(delivery('a'));
 * pending.add(delivery('b'));
 * pending.ackAll();
 * [acked, pending.length] // => [['a', 'b'], 0]
 */
export class PendingAcks {
  #deliveries: Delivery[] = [];

  /** Deliveries that are held. */
  get length(): number {
    return this.#deliveries.length;
  }

  add(delivery: Delivery): void {
    const held = this.#deliveries;
    if (held.at(-1)?.absorb?.(delivery) !== true) held.push(delivery);
    // The shares of a record may have come together only now.
    const last = held.at(-1)!;
    if (last.whole !== undefined) held[held.length - 1] = last.whole;
    while (held.length > 1 && held.at(-2)!.absorb?.(held.at(-1)!) === true) held.pop();
  }

  ackAll(): void {
    const held = this.#deliveries;
    this.#deliveries = [];
    for (const delivery of held) delivery.ack();
  }
}
