import type { ObservableInput } from 'rxjs';

/** The bytes of one message: one record or several. */
export interface Message {
  /** Text is taken as UTF-8. */
  readonly bytes: Uint8Array | string;
  /**
   * The message among all of its stream, as JSON: a checkpoint keeps it, and a resumed run hands it back. A running
   * number if absent.
   */
  readonly cursor?: unknown;
  /** Called once, when all that comes of the message is durable. */
  ack?(): void;
}

/** A request for a stream of messages. */
export interface MessageRequest {
  /**
   * The last message that the resumed run has handled, wholly or in part; undefined for a run that begins. Bring that
   * one again, if you still can, and what comes after it: what was handled of it is skipped.
   */
  readonly from: unknown;
  /** Its abort says that nothing more is wanted. */
  readonly signal: AbortSignal;
}

/** Sends messages. */
export interface MessageWriter {
  /**
   * Sends bytes, and resolves when they are durable. The next message is sent without waiting for that.
   *
   * @param id of the record; the same when a record is written once more after a crash
   */
  send(bytes: Uint8Array, id: string | undefined): Promise<void>;
  /** Called when all is sent. */
  close?(): Promise<void>;
}

/** A source or destination of messages. */
export interface MessageTransport {
  /** Its name in positions and errors. */
  readonly name: string;
  /** The messages; an iterable is asked for the next one when there is room, an observable cannot be slowed down. */
  read?(request: MessageRequest): ObservableInput<Message>;
  write?(): MessageWriter | Promise<MessageWriter>;
}
