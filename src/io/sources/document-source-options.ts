import type { Position } from '../../core/delivery/delivery.js';
import type { FlowLedger } from '../../core/delivery/flow-ledger.js';
import type { RunStatus } from '../../core/run-status.js';
import type { Codec } from '../codecs/codec.js';
import type { DeadLetters } from '../dead-letters/dead-letters.js';
import type { InputStream } from '../reading/input-stream.js';
import type { Transport } from '../transports/transport.js';
import type { Budget } from './gate.js';
import type { InFlightNote } from './in-flight-note.js';
import type { Selection } from './select-records.js';

/** Where `documentSource` reads records, and how many are in flight. */
export interface DocumentSourceOptions {
  /** Read one after the other; `-` is the standard input. Gzip is recognised by its content. */
  readonly files?: readonly string[] | undefined;
  /** What brings the bytes, in place of files. */
  readonly transport?: Transport | undefined;
  readonly codec: Codec;
  /** Where bad records go, not closed by the source. Default: the first one ends it with an error. */
  readonly deadLetters?: DeadLetters | undefined;
  /**
   * Records, and bytes of records, that may be in flight at a time, by default 10,000 and 4 MiB; a
   * number is one of records. It must be more than what all stages together hold back (batches, shuffle
   * buffers), or the stream stands still, which ends it with an error.
   */
  readonly budget?: number | Partial<Budget> | undefined;
  /** Who holds records on their way, so that a stalled stream reports why. */
  readonly ledger?: FlowLedger | undefined;
  readonly selection?: Selection | undefined;
  /** Passes over all up to this record, itself included. */
  readonly resumeAfter?: Position | undefined;
  /** Called whenever all records up to one are acknowledged or rejected, with the last of them. */
  readonly onAcknowledged?: ((position: Position) => void) | undefined;
  /** Called for each blank line that was skipped. */
  readonly onBlank?: (() => void) | undefined;
  /** Receives what is about to be worked on, so that a record that kills the process is found out. */
  readonly inFlight?: InFlightNote | undefined;
  /** Its abort ends the input: what has been read of it by then is still emitted. */
  readonly signal?: AbortSignal | undefined;
  /** Called when all of the input has been emitted, and not if it was ended before. */
  readonly onEnd?: (() => void) | undefined;
  /** Receives what was read, and how to ask for what is in flight and what is left. */
  readonly status?: RunStatus | undefined;
  /** In place of the standard input of the process. */
  readonly stdin?: InputStream | undefined;
}

/** Names of the options of a source. */
export const sourceOptionNames = [
  ...['files', 'transport', 'codec', 'deadLetters', 'budget', 'ledger', 'selection', 'signal'],
  ...['resumeAfter', 'onAcknowledged', 'onBlank', 'inFlight', 'onEnd', 'status', 'stdin'],
];
