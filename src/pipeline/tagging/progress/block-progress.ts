import type { Position } from '../../../core/delivery/delivery.js';
import type { Block } from '../../../io/blocks/block-cutter.js';
import { blockEnd } from '../../../io/blocks/read-blocks.js';
import { readsOnce } from '../../../io/reading/read-bytes.js';
import type { OpenProgress } from './open-progress.js';

/** Records the progress of a run that works on blocks of records. */
export interface BlockProgress {
  /** Where reading begins. */
  readonly resumeAfter: Position | undefined;
  /**
   * Notes that work begins on a block. The returned function is called once each of its records is written or rejected,
   * with the number of those written; block by block, in order.
   */
  begin(source: string, block: Block): (records: number) => void;
  /** A record that is too long for a block was rejected. */
  rejected(position: Position): void;
}

/**
 * Returns the progress of a run by its blocks: a checkpoint contains the end of the last one that is
 * written.
 */
export function blockProgress({ reading, hooks }: OpenProgress): BlockProgress {
  const { resumeAfter, inFlight, onAcknowledged } = reading;
  return {
    resumeAfter,
    begin(source, block) {
      const end = blockEnd(source, block);
      // The number of records is not known yet; it is at most that of lines.
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
