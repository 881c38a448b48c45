import type { TagstreamError } from '../errors.js';
import type { Delivery, Position } from './delivery.js';

/**
 * Divides a delivery among the `count` items that one item became: it is released (acknowledged)
 * when all of them are, and rejected as soon as one of them is.
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
  /** Shares that one `ack` stands for. */
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

  absorb(next: Delivery): boolean {
    if (next === this) this.#gathered += 1;
    return next === this;
  }

  get whole(): Delivery | undefined {
    return this.#gathered === this.#count && !this.#rejected ? this.#whole : undefined;
  }
}
