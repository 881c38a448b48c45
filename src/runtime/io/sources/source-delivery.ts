import type { Delivery, Position } from '../../../engine/core/delivery/delivery.js';
import type { TagstreamError } from '../../../engine/core/errors.js';

/** A record being processed, and the following records that its entry also covers. */
export interface PrefixEntry {
  /** Whether the record is acknowledged or rejected. */
  readonly settled: boolean;
  /** Position of the last record that the entry covers. */
  last: Position;
  /** The entry opened after this one; set by the prefix. */
  following?: PrefixEntry | undefined;
}

/**
 * Records in input order, and the position up to which all of them are settled: it may be recorded to resume from.
 * Amortized constant time per record.
 *
 * @example
 * const ends = [];
 * const prefix = new AcknowledgedPrefix(position => ends.push(position.end));
 * const record = end => ({ last: { source: 'a', line: 1, start: 0, end }, settled: false });
 * const [first, second] = [record(5), record(9)];
 * prefix.open(first);
 * prefix.open(second);
 * second.settled = true;
 * prefix.advance();
 * ends // => []
 * first.settled = true;
 * prefix.advance();
 * ends // => [9]
 */
export class AcknowledgedPrefix {
  readonly #onAdvance: (position: Position) => void;
  #first: PrefixEntry | undefined;
  #last: PrefixEntry | undefined;

  constructor(onAdvance: (position: Position) => void) {
    this.#onAdvance = onAdvance;
  }

  /** Adds the next record of the input. */
  open(entry: PrefixEntry): void {
    if (this.#last === undefined) this.#first = entry;
    else this.#last.following = entry;
    this.#last = entry;
  }

  /** Lets `entry` also cover `next`; returns false if there are other open entries in between. */
  absorb(entry: PrefixEntry, next: PrefixEntry): boolean {
    let following = entry.following;
    while (following !== next && following?.settled === true) following = following.following;
    if (following !== next || entry.settled || next.settled) return false;
    entry.last = next.last;
    entry.following = next.following;
    next.following = undefined;
    if (this.#last === next) this.#last = entry;
    return true;
  }

  /** Advances the prefix; called when a record has been settled. */
  advance(): void {
    let end: Position | undefined;
    while (this.#first?.settled === true) {
      const passed = this.#first;
      this.#first = passed.following;
      // A record that contains several documents is settled with the last of them.
      if (!isSameRecord(passed.last, this.#first?.last)) end = passed.last;
      // A settled entry must not refer to later ones: otherwise the garbage collector could not free parts of the chain
      // early.
      passed.following = undefined;
    }
    if (this.#first === undefined) this.#last = undefined;
    if (end !== undefined) this.#onAdvance(end);
  }
}

function isSameRecord(one: Position, other: Position | undefined): boolean {
  return other?.start === one.start && other.source === one.source && other.cursor === one.cursor;
}

/** Callbacks of a source for the outcomes of its deliveries. */
export interface DeliveryOwner {
  released(position: Position): void;
  settled(): void;
  /** Returns true if the owner calls `settle` later, instead of the delivery. */
  rejected(
    delivery: SourceDelivery,
    error: TagstreamError,
    settle: () => void,
  ): boolean | undefined;
  /** Returns whether `next` directly follows `delivery`, which then covers both. */
  absorbed(delivery: SourceDelivery, next: SourceDelivery): boolean;
}

/** The delivery of a record read by a source; it calls its owner once for each outcome. */
export class SourceDelivery implements Delivery, PrefixEntry {
  readonly position: Position;
  /** Number of the record among all records read. */
  readonly number: number;
  last: Position;
  following: PrefixEntry | undefined;
  #raw: string;
  readonly #owner: DeliveryOwner;
  #released = false;
  #settled = false;
  /** Whether the record has been rejected and waits to be written with its error. */
  #waits = false;
  #isBad = false;
  /** Number of callers that may still reject the record. */
  #keepers = 0;

  constructor(position: Position, raw: string, owner: DeliveryOwner, number: number) {
    this.position = position;
    this.last = position;
    this.number = number;
    this.#raw = raw;
    this.#owner = owner;
  }

  /** The record's text; empty once it has been released and is no longer kept. */
  get raw(): string {
    return this.#raw;
  }

  get settled(): boolean {
    return this.#settled && !this.#waits;
  }

  /**
   * Releases the record with its text: a record that only waits for its checkpoint costs no more memory than this
   * object.
   */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#forget();
    this.#owner.released(this.position);
  }

  keep(): () => void {
    this.#keepers += 1;
    let isKept = true;
    return () => {
      if (isKept) this.#keepers -= 1;
      isKept = false;
      this.#forget();
    };
  }

  ack(): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#owner.settled();
  }

  reject(error: TagstreamError): void {
    if (this.#settled) {
      this.#rejectLate(error);
      return;
    }
    this.#settled = true;
    this.#waits = true;
    this.#isBad = true;
    const settle = () => {
      this.#waits = false;
      this.#owner.settled();
    };
    const isLater = this.#owner.rejected(this, error, settle);
    this.release();
    if (isLater !== true) settle();
  }

  /** Rejects a record that is kept and has already been acknowledged: it is only passed to where bad records go. */
  #rejectLate(error: TagstreamError): void {
    if (this.#keepers === 0 || this.#isBad) return;
    this.#isBad = true;
    this.#owner.rejected(this, error, () => undefined);
  }

  #forget(): void {
    if (this.#released && this.#keepers === 0) this.#raw = '';
  }

  absorb(next: Delivery): boolean {
    return next instanceof SourceDelivery && this.#owner.absorbed(this, next);
  }
}
