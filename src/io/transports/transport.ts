import type { Position } from '../../core/delivery/delivery.js';
import type { TagstreamError } from '../../core/errors.js';
import type { MessagesOnTheWay } from '../../core/run-status.js';
import type { Input } from '../reading/open-input.js';

/** A stream of bytes that a transport has opened: a file, the standard input, or one message. */
export interface TransportStream extends Input {
  /** Number of the line that contains the first byte of `chunks`. */
  readonly line: number;
  /** Records that begin before this offset were handled by the resumed run. */
  readonly handled: number;
  /** The cursor that checkpoints store; only the transport can read it. Absent if positions suffice. */
  readonly cursor?: unknown;
  /** Why each of its records is rejected. */
  readonly rejected?: TagstreamError | undefined;
  /** Why it cannot be read, so that all of it is one bad record. */
  readonly unreadable?: TagstreamError | undefined;
  /** Whether results must be sent in the order of its records. */
  readonly ordered?: boolean | undefined;
  /** Called once, when it has been read and every record of it is acknowledged or rejected. */
  acknowledge?(): void;
}

/** A message as a stream of bytes. */
export interface MessageStream extends TransportStream {
  /** All of its bytes. */
  readonly bytes: Uint8Array;
}

/** A request to open a transport: where to begin. */
export interface OpenRequest {
  /** The last record that the resumed run has handled. */
  readonly after?: Position | undefined;
  /** Whether reading may begin in the middle of a stream, at the end of a record. */
  readonly seeks: boolean;
  /** Records that may be in flight at a time, if there is a limit. */
  readonly budget?: number | undefined;
  /** Its abort ends the wait for more. */
  readonly signal: AbortSignal;
}

/**
 * Delivers bytes and knows nothing about records. A codec turns the bytes into records and knows nothing about their
 * origin; limits, rejected records, flow control and checkpoints are implemented once above both.
 */
export interface Transport {
  /**
   * Yields its streams in order, each opened on demand.
   *
   * @throws TagstreamError `file` if it cannot be read, `checkpoint` if it has no position `after`
   */
  open(request: OpenRequest): AsyncIterable<TransportStream>;
  /** For transports of messages: yields the same streams, as many at a time as are available. */
  openSome?(request: OpenRequest): AsyncIterable<readonly MessageStream[]>;
  /** Returns the number of bytes still to come, if known. */
  lag(): number | undefined;
  /** For transports of messages: returns those in flight. */
  messages?(): MessagesOnTheWay | undefined;
  /** Closes it; called when the run is over, and everything is settled that will be. */
  close?(): Promise<void>;
}
