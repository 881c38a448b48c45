import type { Position } from '../../../../engine/core/delivery/delivery.js';
import { readsOnce } from '../../../../formats/reading/read-bytes.js';
import type { Block } from '../../../io/blocks/block-cutter.js';
import { blockEnd } from '../../../io/blocks/read-blocks.js';
import type { OpenProgress } from './open-progress.js';

/** Records the progress of a run that processes blocks of records. */
export interface BlockProgress {
  /** Position after which reading begins. */
  readonly resumeAfter: Position | undefined;
  /**
   * Notes that work on a block begins. The returned function is called, block by block in order, once each record of
   * the block is written or rejected, with the number of written ones.
   */
  begin(source: string, block: Block): (records: number) => void;
  /** Notes that a record that is too long for a block was rejected. */
  rejected(position: Position): void;
}

/** Returns the progress of a run by its blocks: a checkpoint contains the end of the last written block. */
export function blockProgress({ reading, hooks }: OpenProgress): BlockProgress {
  const { resumeAfter, inFlight, onAcknowledged } = reading;
  return {
    resumeAfter,
    begin(source, block) {
      const end = blockEnd(source, block);
      // The number of records is not known yet, but cannot exceed the number of lines.
      const lines = end.line - block.line + 1;
      inFlight.beginMany(lines, !readsOnce(source));
      return records => {
        inFlight.settled(lines);
        onAcknowledged(end);
        hooks.onWritten?.(records);
      };
    },
    rejected: onAcknowledged,
  };
}
