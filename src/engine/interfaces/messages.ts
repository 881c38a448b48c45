import type { ObservableInput } from 'rxjs';
import type { Position } from '../core/delivery/delivery.js';
import type { TagstreamError } from '../core/errors.js';
import type { MessagesOnTheWay } from '../core/run-status.js';
import type { TaggedDocument } from '../core/sentence/tagged-document.js';

/** The bytes of one message: one record or several. */
export interface Message {
  /** Contents; text is encoded as UTF-8. */
  readonly bytes: Uint8Array | string;
  /**
   * Position of the message in its stream, as JSON, which a checkpoint stores and a resumed run passes back. A running
   * number if absent.
   */
  readonly cursor?: unknown;
  /**
   * Distinguishes the message from others that have or once had its cursor, such as those of an earlier stream of the
   * same name, but not from itself when it is delivered again: the time at which it was stored, for example. Ids of
   * results contain it. Default: a digest of the bytes.
   */
  readonly identity?: string | undefined;
  /** Called once, when all results of the message are durable. */
  ack?(): void;
  /** Error if the records must not be processed: each of them is rejected with it. */
  readonly rejected?: TagstreamError | undefined;
  /** Whether results must be sent in the order of the records. Default false. */
  readonly ordered?: boolean | undefined;
}

/** A request for a stream of messages. */
export interface MessageRequest {
  /**
   * The last message that the resumed run has handled, entirely or in part; undefined for a new run. Deliver that
   * message again, if possible, followed by the next ones: its handled records are skipped.
   */
  readonly from: unknown;
  /** Maximum number of records in flight; undefined: no limit. */
  readonly budget?: number | undefined;
  /** Signal that is aborted when no more messages are wanted. */
  readonly signal: AbortSignal;
}

/** Sends messages. */
export interface MessageWriter {
  /**
   * Sends bytes, and resolves when they are durable; the next message is sent without waiting for that. An error
   * `too-large` rejects the record; any other error ends the run.
   *
   * @param id the record's own id; without one, an id made of its place and content. The same if the record is written
   *   again after a crash
   * @param record the record that the bytes belong to
   */
  send(bytes: Uint8Array, id: string | undefined, record: TaggedDocument): Promise<unknown>;
  /**
   * Sends the results of one record or of several consecutive ones, without parsing them. The bytes are not modified
   * until they are durable.
   *
   * @param position from the start of the first record to the end of the last
   */
  sendPiece?(bytes: Uint8Array, position: Position): Promise<unknown>;
  /** Called when everything has been sent. */
  close?(): Promise<void>;
}

/** A source or destination of messages. */
export interface MessageTransport {
  /** Name in positions and errors. */
  readonly name: string;
  /**
   * Returns the messages, one at a time or in batches; an iterable is pulled when there is room, whereas an observable
   * cannot be slowed down.
   */
  read?(request: MessageRequest): ObservableInput<Message | readonly Message[]>;
  write?(): MessageWriter | Promise<MessageWriter>;
  /**
   * Units that the writer accepts: `records`, each by `send`; with `sendPiece` also `pieces` of one record each, or
   * `messages`, each with all results of a message. Default: `records`.
   */
  readonly takes?: 'records' | 'pieces' | 'messages' | undefined;
  /** Returns the state of the messages being delivered. */
  state?(): MessagesOnTheWay;
  /** Called when a run that has read from the transport ends: messages not yet acknowledged never will be. */
  close?(): Promise<void>;
}

/** Properties of the run that uses a transport. */
export interface TransportSetting {
  /** Whether the run trains: if so, it stores its position in checkpoints, and needs the messages in order. */
  readonly trains: boolean;
  /** Resolves a path in the pipeline file relative to the file's folder. */
  path(file: string): string;
}
