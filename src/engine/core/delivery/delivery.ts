import type { TagstreamError } from '../errors.js';

/** The origin of an item: the bytes `[start, end)` of `source`, which is line `line` (from 1). */
export interface Position {
  readonly source: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** Cursor of a message source: JSON that only its transport can interpret. */
  readonly cursor?: unknown;
  /** Distinguishes a message from others that once had its cursor; see `Message.identity`. */
  readonly identity?: string | undefined;
}

/**
 * Tracks an input record on its way through a pipeline.
 *
 * `release` reports that the record has left memory (its flow-control credit is returned), `ack`
 * that its effect is durable, and `reject` that it could not be processed (it goes to the dead
 * letters, and counts as released and acknowledged). Every delivery ends in exactly one `release`
 * and one `ack` or `reject`; later calls are ignored. Operators pass the delivery on; an operator
 * that drops an item releases and acknowledges it.
 */
export interface Delivery {
  readonly position: Position;
  release(): void;
  ack(): void;
  reject(error: TagstreamError): void;
  /**
   * Keeps the record's text, so that the record can be rejected even after it was released and
   * acknowledged. Returns a function that ends this.
   */
  keep?(): () => void;
  /**
   * Absorbs the delivery that directly follows this one in its source, or another share of the same
   * delivery: from then on `ack` acknowledges both, and `next` can be released. Returns false, and
   * changes nothing, if that is impossible.
   */
  absorb?(next: Delivery): boolean;
  /** The undivided delivery, once this share has absorbed all others. */
  readonly whole?: Delivery | undefined;
}

/**
 * Divides a delivery among the `count` items into which an item was split. The delivery is released
 * (acknowledged) when all of its shares are, and rejected as soon as one of them is.
 *
 * @example
 * const calls = [];
 * const whole = { release: () => calls.push('release'), ack: () => calls.push('ack'), reject() {} };
 * const share = shareDelivery(whole, 2);
 * share.release();
 * share.release();
 * share.ack();
 * calls // => ['release']
 */
export function shareDelivery(delivery: Delivery | undefined, count: number): Delivery | undefined {
  return delivery === undefined || count === 1 ? delivery : new SharedDelivery(delivery, count);
}

class SharedDelivery implements Delivery {
  readonly #whole: Delivery;
  readonly #count: number;
  #released = 0;
  #acknowledged = 0;
  #rejected = false;
  /** Number of shares that one `ack` covers. */
  #gathered = 1;

  constructor(whole: Delivery, count: number) {
    this.#whole = whole;
    this.#count = count;
  }

  get position(): Position {
    return this.#whole.position;
  }

  release(): void {
    this.#released += 1;
    if (this.#released === this.#count) this.#whole.release();
  }

  ack(): void {
    const before = this.#acknowledged;
    this.#acknowledged += this.#gathered;
    const isLast = before < this.#count && this.#acknowledged >= this.#count;
    if (isLast && !this.#rejected) this.#whole.ack();
  }

  reject(error: TagstreamError): void {
    if (this.#rejected) return;
    this.#rejected = true;
    this.#whole.reject(error);
  }

  keep(): () => void {
    return this.#whole.keep?.() ?? (() => undefined);
  }

  absorb(next: Delivery): boolean {
    if (next === this) this.#gathered += 1;
    return next === this;
  }

  get whole(): Delivery | undefined {
    return this.#gathered === this.#count && !this.#rejected ? this.#whole : undefined;
  }
}

/** A delivery divided among items whose number is not known in advance. */
export interface CountedDelivery {
  /** Returns the delivery of one more item. */
  share(): Delivery;
  /** Ends the items. If there were none, the whole delivery is released and acknowledged. */
  close(): void;
}

/**
 * Divides a delivery among items whose number is not known in advance. The delivery is released
 * (acknowledged) once it is closed and all items are released (acknowledged), and rejected as soon
 * as one of them is.
 *
 * @example
 * const calls = [];
 * const whole = { release: () => calls.push('release'), ack: () => calls.push('ack'), reject() {} };
 * const counted = countDelivery(whole);
 * counted.share().release();
 * calls // => []
 * counted.close();
 * calls // => ['release']
 */
export function countDelivery(whole: Delivery): CountedDelivery {
  // The call of `close` counts as one more, so that nothing ends before it.
  let unreleased = 1;
  let unacknowledged = 1;
  let rejected = false;
  const released = () => {
    unreleased -= 1;
    if (unreleased === 0) whole.release();
  };
  const acknowledged = () => {
    unacknowledged -= 1;
    if (unacknowledged === 0 && !rejected) whole.ack();
  };
  return {
    share: () => {
      unreleased += 1;
      unacknowledged += 1;
      let isReleased = false;
      let isSettled = false;
      return {
        position: whole.position,
        release: () => {
          if (!isReleased) released();
          isReleased = true;
        },
        ack: () => {
          if (!isSettled) acknowledged();
          isSettled = true;
        },
        reject: error => {
          if (!rejected) whole.reject(error);
          rejected = true;
        },
        ...(whole.keep === undefined ? {} : { keep: () => whole.keep!() }),
      };
    },
    close: () => {
      released();
      acknowledged();
    },
  };
}

/** An item with a delivery, or part of a document that has one. */
interface Delivered {
  readonly delivery?: Delivery;
  readonly document?: { readonly delivery?: Delivery };
}

/**
 * Returns a copy of an item with its share of the delivery `whole`. The item's document also gets
 * the share if it had the same delivery.
 *
 * @example
 * const [whole, share] = [{}, {}];
 * withDelivery({ tokens: ['a'] }, whole, share).delivery === share // => true
 */
export function withDelivery<Item extends object>(
  item: Item,
  whole: Delivery,
  share: Delivery,
): Item & { readonly delivery: Delivery } {
  if (Array.isArray(item))
    return Object.assign(item.slice() as Item & unknown[], { delivery: share });
  const { document } = item as Delivered;
  if (document?.delivery !== whole) return { ...item, delivery: share };
  return { ...item, document: { ...document, delivery: share }, delivery: share };
}

/**
 * Joins the deliveries of items that were merged into one: each call is passed on to all of them.
 * The position extends from the first to the last.
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

/**
 * Deliveries that wait to be acknowledged together. A delivery that the previous one can absorb is
 * released, so consecutive records of a source need the memory of only one delivery.
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

  /** Number of stored deliveries. */
  get length(): number {
    return this.#deliveries.length;
  }

  add(delivery: Delivery): void {
    const held = this.#deliveries;
    if (held.at(-1)?.absorb?.(delivery) !== true) held.push(delivery);
    // The shares of a record may have been reunited just now.
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
