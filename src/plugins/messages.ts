import type { ObservableInput } from 'rxjs';
import type { Position } from '../core/delivery/delivery.js';
import type { TagstreamError } from '../core/errors.js';
import type { MessagesOnTheWay } from '../core/run-status.js';
import type { TaggedDocument } from '../core/sentence/tagged-document.js';

/** The bytes of one message: one record or several. */
export interface Message {
  /** Text is taken as UTF-8. */
  readonly bytes: Uint8Array | string;
  /**
   * The message among all of its stream, as JSON: a checkpoint keeps it, and a resumed run hands it back. A running
   * number if absent.
   */
  readonly cursor?: unknown;
  /** Called once, when all results of the message are durable. */
  ack?(): void;
  /** Why its records are not to be processed: each of them is rejected with this error. */
  readonly rejected?: TagstreamError | undefined;
  /** Whether its results must be sent in the order of its records. Default false. */
  readonly ordered?: boolean | undefined;
}

/** A request for a stream of messages. */
export interface MessageRequest {
  /**
   * The last message that the resumed run has handled, wholly or in part; undefined for a run that begins. Bring that
   * one again, if you still can, and what comes after it: what was handled of it is skipped.
   */
  readonly from: unknown;
  /** Records that may be in flight at a time, where there is a limit. */
  readonly budget?: number | undefined;
  /** Its abort says that nothing more is wanted. */
  readonly signal: AbortSignal;
}

/** Sends messages. */
export interface MessageWriter {
  /**
   * Sends bytes, and resolves when they are durable. The next message is sent without waiting for that.
   *
   * An error `too-large` rejects the record; any other ends the run.
   *
   * @param id of the record; the same when a record is written once more after a crash
   * @param record that the bytes were written of
   */
  send(bytes: Uint8Array, id: string | undefined, record: TaggedDocument): Promise<unknown>;
  /**
   * Sends results without looking at their records: of one record, or of several that follow each other. The bytes stay
   * as they are until it is durable.
   *
   * @param position from the beginning of the first record to the end of the last
   */
  sendPiece?(bytes: Uint8Array, position: Position): Promise<unknown>;
  /** Called when all is sent. */
  close?(): Promise<void>;
}

/** A source or destination of messages. */
export interface MessageTransport {
  /** Its name in positions and errors. */
  readonly name: string;
  /**
   * The messages, one at a time or as many as are there; an iterable is asked for the next when there is room, an
   * observable cannot be slowed down.
   */
  read?(request: MessageRequest): ObservableInput<Message | readonly Message[]>;
  write?(): MessageWriter | Promise<MessageWriter>;
  /**
   * What its writer takes: `records`, each by `send`; where it has `sendPiece`, `pieces` of one record each as well, or
   * `messages`: all results of a message are sent together. Default: `records`.
   */
  readonly takes?: 'records' | 'pieces' | 'messages' | undefined;
  /** What is known of the messages that it brings. */
  state?(): MessagesOnTheWay;
  /** Called when a run that has read from it is over; what is not acknowledged by then never will be. */
  close?(): Promise<void>;
}

/** What a transport is given of the run that it is made for. */
export interface TransportSetting {
  /** Whether the run trains: it keeps its place in its checkpoints, and needs the messages in their order. */
  readonly trains: boolean;
  /** A path in the pipeline file, relative to the folder of that file. */
  path(file: string): string;
}
