import type { Delivery, Position } from '../../core/delivery/delivery.js';
import type { TagstreamError } from '../../core/errors.js';
import type { PrefixEntry } from './acknowledged-prefix.js';

/** What a source does when a delivery of its own comes to an end. */
export interface DeliveryOwner {
  released(position: Position): void;
  settled(): void;
  /** `number` is that of the delivery. True where `settle` is called later, and not by the delivery. */
  rejected(
    position: Position,
    raw: string,
    error: TagstreamError,
    number: number,
    settle: () => void,
  ): boolean | undefined;
  /** Whether `next` directly follows `delivery`, which stands for both then. */
  absorbed(delivery: SourceDelivery, next: SourceDelivery): boolean;
}

/** The delivery of a record that a source read; it calls its owner once for each end. */
export class SourceDelivery implements Delivery, PrefixEntry {
  readonly position: Position;
  /** Of the record among all that are read. */
  readonly number: number;
  last: Position;
  following: PrefixEntry | undefined;
  #raw: string;
  readonly #owner: DeliveryOwner;
  #released = false;
  #settled = false;
  /** Rejected, and about to be written with its error. */
  #waits = false;

  constructor(position: Position, raw: string, owner: DeliveryOwner, number: number) {
    this.position = position;
    this.last = position;
    this.number = number;
    this.#raw = raw;
    this.#owner = owner;
  }

  /** The record's text; empty once it is released. */
  get raw(): string {
    return this.#raw;
  }

  get settled(): boolean {
    return this.#settled && !this.#waits;
  }

  /** The text is released with it: a record that waits for its checkpoint alone costs no more than this. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#raw = '';
    this.#owner.released(this.position);
  }

  ack(): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#owner.settled();
  }

  reject(error: TagstreamError): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#waits = true;
    const settle = () => {
      this.#waits = false;
      this.#owner.settled();
    };
    const isLater = this.#owner.rejected(this.position, this.#raw, error, this.number, settle);
    this.release();
    if (isLater !== true) settle();
  }

  absorb(next: Delivery): boolean {
    return next instanceof SourceDelivery && this.#owner.absorbed(this, next);
  }
}
