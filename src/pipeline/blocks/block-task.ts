import type { PlacedBytes } from '../../io/blocks/block-cutter.js';

/** Whole records for a worker. */
export interface BlockTask {
  /** Name of the input that they are from. */
  readonly source: string;
  readonly block: PlacedBytes;
}
