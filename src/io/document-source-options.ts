import type { Readable } from 'node:stream';
import type { Position } from '../core/delivery.js';
import type { RunStatus } from '../core/run-status.js';
import type { Codec } from './codec.js';
import type { DeadLetters } from './dead-letters.js';
import type { Selection } from './select-records.js';

export interface DocumentSourceOptions {
  /** Read one after the other; `-` is the standard input. Gzip is recognised by its content. */
  readonly files: readonly string[];
  readonly codec: Codec;
  /** Where bad records go. Not closed by the source. */
  readonly deadLetters: DeadLetters;
  /**
   * Records that may be under way at a time, 10,000 if nothing is said. It must be more than what all
   * stages together hold back (batches, shuffle buffers), or the stream stands still.
   */
  readonly budget?: number | undefined;
  readonly selection?: Selection | undefined;
  /** Passes over all up to this record, itself included. */
  readonly resumeAfter?: Position | undefined;
  /** Called whenever all records up to one are acknowledged or rejected, with the last of them. */
  readonly onAcknowledged?: ((position: Position) => void) | undefined;
  /** Called for each blank line that was passed over. */
  readonly onBlank?: (() => void) | undefined;
  /** Is told what was read, and how to ask for what is under way and what is left. */
  readonly status?: RunStatus | undefined;
  /** In place of the standard input of the process. */
  readonly stdin?: Readable | undefined;
}
