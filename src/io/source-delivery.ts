import type { Delivery, Position } from '../core/delivery.js';
import type { TagstreamError } from '../core/errors.js';

/** What a source does when a delivery of its own comes to an end. */
export interface DeliveryOwner {
  released(): void;
  settled(): void;
  /** `number` is that of the delivery. */
  rejected(position: Position, raw: string, error: TagstreamError, number: number): void;
}

/** The delivery of a record that a source read; it calls its owner once for each end. */
export class SourceDelivery implements Delivery {
  readonly position: Position;
  /** Of the record among all that are read. */
  readonly number: number;
  readonly #raw: string;
  readonly #owner: DeliveryOwner;
  #released = false;
  #settled = false;

  constructor(position: Position, raw: string, owner: DeliveryOwner, number: number) {
    this.position = position;
    this.number = number;
    this.#raw = raw;
    this.#owner = owner;
  }

  get settled(): boolean {
    return this.#settled;
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#owner.released();
  }

  ack(): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#owner.settled();
  }

  reject(error: TagstreamError): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#owner.rejected(this.position, this.#raw, error, this.number);
    this.release();
    this.#owner.settled();
  }
}
