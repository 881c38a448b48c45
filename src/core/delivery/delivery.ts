import type { TagstreamError } from '../errors.js';

/** Where an item came from: the bytes `[start, end)` of `source`, which is line `line` (from 1). */
export interface Position {
  readonly source: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** Where the source is a message: which one, as JSON that only its transport can read. */
  readonly cursor?: unknown;
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
  /**
   * Takes in the delivery that directly follows this one in its source, or another share of the same: `ack` acknowledges both from now on,
   * and `next` can be released. False where it cannot, and nothing has changed then.
   */
  absorb?(next: Delivery): boolean;
  /** The delivery that this is a share of, once it has absorbed all other shares. */
  readonly whole?: Delivery | undefined;
}
