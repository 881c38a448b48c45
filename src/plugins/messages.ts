import type { ObservableInput } from 'rxjs';
import type { Position } from '../core/delivery/delivery.js';
import type { TagstreamError } from '../core/errors.js';
import type { MessagesOnTheWay } from '../core/run-status.js';
import type { TaggedDocument } from '../core/sentence/tagged-document.js';

/** The bytes of one message: one record or several. */
export interface Message {
  /** Text is encoded as UTF-8. */
  readonly bytes: Uint8Array | string;
  /**
   * The position of the message in its stream, as JSON: a checkpoint stores it, and a resumed run passes it back. A
   * running number if absent.
   */
  readonly cursor?: unknown;
  /** Called once, when all results of the message are durable. */
  ack?(): void;
  /** Why its records must not be processed: each of them is rejected with this error. */
  readonly rejected?: TagstreamError | undefined;
  /** Whether its results must be sent in the order of its records. Default false. */
  readonly ordered?: boolean | undefined;
}

/** A request for a stream of messages. */
export interface MessageRequest {
  /**
   * The last message that the resumed run has handled, entirely or in part; undefined for a new run. Deliver that
   * message again, if possible, and the following ones: its handled records are skipped.
   */
  readonly from: unknown;
  /** Most records in flight at a time, if limited. */
  readonly budget?: number | undefined;
  /** Aborted when nothing more is wanted. */
  readonly signal: AbortSignal;
}

/** Sends messages. */
export interface MessageWriter {
  /**
   * Sends bytes, and resolves when they are durable. The next message is sent without waiting for that.
   *
   * An error `too-large` rejects the record; any other ends the run.
   *
   * @param id the record's id; the same if a record is written again after a crash
   * @param record the record that the bytes belong to
   */
  send(bytes: Uint8Array, id: string | undefined, record: TaggedDocument): Promise<unknown>;
  /**
   * Sends results without examining their records: of one record, or of several consecutive ones. The bytes are not
   * modified until they are durable.
   *
   * @param position from the start of the first record to the end of the last
   */
  sendPiece?(bytes: Uint8Array, position: Position): Promise<unknown>;
  /** Called when everything has been sent. */
  close?(): Promise<void>;
}

/** A source or destination of messages. */
export interface MessageTransport {
  /** Its name in positions and errors. */
  readonly name: string;
  /**
   * Returns the messages, one at a time or in batches; an iterable is pulled when there is room, an observable
   * cannot be slowed down.
   */
  read?(request: MessageRequest): ObservableInput<Message | readonly Message[]>;
  write?(): MessageWriter | Promise<MessageWriter>;
  /**
   * What its writer accepts: `records`, each by `send`; with `sendPiece`, also `pieces` of one record each, or
   * `messages`: all results of a message are sent together. Default: `records`.
   */
  readonly takes?: 'records' | 'pieces' | 'messages' | undefined;
  /** Returns the state of the messages that it delivers. */
  state?(): MessagesOnTheWay;
  /** Called when a run that has read from it ends; messages not acknowledged by then never will be. */
  close?(): Promise<void>;
}

/** The run that a transport is created for. */
export interface TransportSetting {
  /** Whether the run trains: it then stores its position in checkpoints, and needs the messages in order. */
  readonly trains: boolean;
  /** Resolves a path in the pipeline file, relative to the folder of that file. */
  path(file: string): string;
}
