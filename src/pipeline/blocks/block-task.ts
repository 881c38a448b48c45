import type { PlacedBytes } from '../../io/blocks/block-cutter.js';

/** Whole records for a worker. */
export interface BlockTask {
  /** Name of the input that they are from. */
  readonly source: string;
  readonly block: PlacedBytes;
  /** Memory of a result that nobody looks at any more, for that of this block: fresh memory takes longer to write. */
  readonly room?: ArrayBuffer | undefined;
}
