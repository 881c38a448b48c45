import type { Position } from '../../core/delivery/delivery.js';
import type { TagstreamError } from '../../core/errors.js';
import type { MessagesOnTheWay } from '../../core/run-status.js';
import type { Input } from '../reading/open-input.js';

/** A stream of bytes that a transport has opened: a file, the standard input, or one message. */
export interface TransportStream extends Input {
  /** Number of the line that the first byte of `chunks` lies in. */
  readonly line: number;
  /** Records that begin before this offset were handled by the run that is resumed. */
  readonly handled: number;
  /** What checkpoints keep of it; only the transport can read it. Absent where positions say it all. */
  readonly cursor?: unknown;
  /** Why each of its records is rejected as it comes. */
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
  /** Records that may be in flight at a time, where there is a limit. */
  readonly budget?: number | undefined;
  /** Its abort ends the wait for what comes next. */
  readonly signal: AbortSignal;
}

/**
 * Brings bytes and knows nothing of records. A codec turns the bytes into records and knows nothing of where they come
 * from; limits, rejected records, flow control and checkpoints are written once above both.
 */
export interface Transport {
  /**
   * Its streams in order, each opened when it is asked for.
   *
   * @throws TagstreamError `file` where it cannot be read, `checkpoint` if it has no place `after`
   */
  open(request: OpenRequest): AsyncIterable<TransportStream>;
  /** Where messages are what it brings: the same streams, as many at a time as are there. */
  openSome?(request: OpenRequest): AsyncIterable<readonly MessageStream[]>;
  /** Bytes that are still to come, if that is known. */
  lag(): number | undefined;
  /** Where messages are what it brings: those on their way. */
  messages?(): MessagesOnTheWay | undefined;
  /** To be called when the run is over, and all of it settled that will be. */
  close?(): Promise<void>;
}
