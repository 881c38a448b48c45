import type { Position } from '../../../engine/core/delivery/delivery.js';
import type { TagstreamError } from '../../../engine/core/errors.js';
import type { MessagesOnTheWay } from '../../../engine/core/run-status.js';
import type { Input } from '../../../formats/reading/open-input.js';

/** A stream of bytes that a transport has opened: a file, the standard input, or one message. */
export interface TransportStream extends Input {
  /** Number of the line that contains the first byte of `chunks`. */
  readonly line: number;
  /** Offset before which all records were handled by the resumed run. */
  readonly handled: number;
  /** Cursor for checkpoints, which only the transport can interpret. Absent if positions suffice. */
  readonly cursor?: unknown;
  /** Distinguishes the message from others with its cursor; absent for files. */
  readonly identity?: string | undefined;
  /** Reason for rejecting each of its records. */
  readonly rejected?: TagstreamError | undefined;
  /** Reason why the stream cannot be read, so that all of it is one bad record. */
  readonly unreadable?: TagstreamError | undefined;
  /** Whether results must be sent in the order of the records. */
  readonly ordered?: boolean | undefined;
  /** Called once, when the stream has been read and every record of it is acknowledged or rejected. */
  acknowledge?(): void;
}

/** A message as a stream of bytes. */
export interface MessageStream extends TransportStream {
  /** All bytes of the message. */
  readonly bytes: Uint8Array;
}

/** A request to open a transport at a position. */
export interface OpenRequest {
  /** The last record that the resumed run has handled. */
  readonly after?: Position | undefined;
  /** Whether reading may begin in the middle of a stream, at the end of a record. */
  readonly seeks: boolean;
  /** Maximum number of records in flight, if limited. */
  readonly budget?: number | undefined;
  /** Signal that ends the wait for more when aborted. */
  readonly signal: AbortSignal;
}

/**
 * Delivers bytes without interpreting records. A codec converts the bytes to records, whatever their origin; limits,
 * rejected records, flow control and checkpoints are implemented once, above both.
 */
export interface Transport {
  /**
   * Yields its streams in order, each opened on demand.
   *
   * @throws TagstreamError `file` if a stream cannot be read, `checkpoint` if there is no position `after`
   */
  open(request: OpenRequest): AsyncIterable<TransportStream>;
  /** Yields the same streams, as many at a time as are available; for transports of messages. */
  openSome?(request: OpenRequest): AsyncIterable<readonly MessageStream[]>;
  /** Returns the number of bytes still to come, if known. */
  lag(): number | undefined;
  /** Returns the messages in flight; for transports of messages. */
  messages?(): MessagesOnTheWay | undefined;
  /** Closes the transport; called when the run is over, and everything is settled that will be. */
  close?(): Promise<void>;
}
