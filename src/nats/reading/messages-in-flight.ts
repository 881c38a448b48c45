import type { JsMsg } from '@nats-io/jetstream';
import type { MessagesOnTheWay } from '../../engine/core/run-status.js';
import type { Requests } from '../connection/requests.js';

/** The body of an acknowledgement. */
const acknowledgement = new TextEncoder().encode('+ACK');

/** Milliseconds between checks whether all messages are done. */
const restPause = 10;

/**
 * Maximum number of attempts to have an acknowledgement confirmed; if all fail, the message is redelivered, and its
 * results have the same ids.
 */
const attempts = 3;

/**
 * The messages that a run has received and not yet acknowledged. Reports them to the servers as in progress as long as
 * the process's event loop turns.
 */
export class MessagesInFlight {
  readonly #messages = new Map<number, JsMsg>();
  /** Number of unconfirmed acknowledgements. */
  #confirming = 0;
  #onConfirmed = () => {};
  readonly #timer: NodeJS.Timeout;
  /** Number of undelivered messages, by consumer. */
  readonly #waiting = new Map<string, number>();
  #redelivered = 0;

  /** @param ackWait milliseconds after which the servers give a message to another run */
  constructor(ackWait: number) {
    this.#timer = setInterval(() => this.#report(), ackWait / 3);
    this.#timer.unref();
  }

  get state(): MessagesOnTheWay {
    let waiting: number | undefined;
    for (const ofConsumer of this.#waiting.values()) waiting = (waiting ?? 0) + ofConsumer;
    return { waiting, inFlight: this.#messages.size, redelivered: this.#redelivered };
  }

  /**
   * Returns the number of messages that the servers had not yet delivered to a consumer when its last one arrived;
   * undefined before that.
   */
  waitingOf(consumer: string): number | undefined {
    return this.#waiting.get(consumer);
  }

  /**
   * Resolves when a consumer has no message in flight and all acknowledgements are confirmed, or after `milliseconds`.
   */
  async rests(consumer: string, milliseconds: number): Promise<void> {
    const until = performance.now() + milliseconds;
    while (performance.now() < until && (this.#confirming > 0 || this.sizeOf(consumer) > 0)) {
      await new Promise(resolve => setTimeout(resolve, restPause));
    }
  }

  /** Returns the number of a consumer's messages in flight. */
  sizeOf(consumer: string): number {
    let size = 0;
    for (const { info } of this.#messages.values()) if (info.consumer === consumer) size += 1;
    return size;
  }

  /** Adds a message; returns false if it is already in flight, because the servers had not heard of it for too long. */
  add(message: JsMsg): boolean {
    const { seq, info } = message;
    this.#waiting.set(info.consumer, info.pending);
    if (info.deliveryCount > 1) this.#redelivered += 1;
    const known = this.#messages.has(seq);
    // Only the newest delivery can be acknowledged.
    this.#messages.set(seq, message);
    return !known;
  }

  /** Acknowledges a message, or terminates it if its records were rejected. */
  settle(sequence: number, how: 'handled' | 'rejected', requests: Requests): void {
    const message = this.#messages.get(sequence);
    if (message === undefined) return;
    this.#messages.delete(sequence);
    if (how === 'rejected') message.term();
    else this.#confirm(message, requests);
  }

  /** Returns a message to the servers, so that another run gets it immediately. */
  giveBack(message: JsMsg): void {
    this.#messages.delete(message.seq);
    message.nak();
  }

  /**
   * Resolves when each acknowledgement is confirmed or abandoned; unacknowledged messages are returned to the servers.
   */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const message of this.#messages.values()) message.nak();
    this.#messages.clear();
    await new Promise<void>(resolve => {
      this.#onConfirmed = resolve;
      if (this.#confirming === 0) resolve();
    });
  }

  /** Repeats an acknowledgement until the servers answer: if it were lost, the message would be redelivered. */
  #confirm(message: JsMsg, requests: Requests, attempt = 1): void {
    // The client's message object has it, although its interface does not.
    const { reply: subject } = message as JsMsg & { readonly reply: string };
    this.#confirming += 1;
    const again = () => {
      // A message left unconfirmed is redelivered and recognized by its id.
      if (attempt < attempts) this.#confirm(message, requests, attempt + 1);
      this.#confirmed();
    };
    const asker = { resolve: this.#confirmed, reject: again };
    requests.askFor(asker, { subject, bytes: acknowledgement });
  }

  readonly #confirmed = (): void => {
    this.#confirming -= 1;
    if (this.#confirming === 0) this.#onConfirmed();
  };

  #report(): void {
    for (const message of this.#messages.values()) message.working();
  }
}

/** Data that results inherit from a message: its headers and subject. */
type Carried = Pick<JsMsg, 'headers' | 'subject'> & {
  /** Resolves when all results of the message so far are stored; absent if their order is free. */
  sent?: Promise<unknown>;
};

/** Data of each message in flight, by source name in the positions of its records. */
const carried = new Map<string, Carried>();

/** Returns the name of a message in its records' positions, as errors and dead letters show it. */
export function messageName(transport: string, sequence: number): string {
  return `${transport}#${sequence}`;
}

/**
 * Returns when a message was stored, which distinguishes it from one that had the same number in an earlier stream of
 * the same name.
 */
export function storedAt({ info }: Pick<JsMsg, 'info'>): string {
  return info.timestampNanos.toString(36);
}

/**
 * Keeps headers and subject of a message until `dropHeaders`.
 *
 * @param isOrdered whether the results are stored one after the other
 */
export function carryHeaders(
  name: string,
  { headers, subject }: Pick<Carried, 'headers' | 'subject'>,
  isOrdered = false,
): void {
  carried.set(name, { headers, subject, ...(isOrdered ? { sent: Promise.resolve() } : {}) });
}

export function dropHeaders(name: string): void {
  carried.delete(name);
}

/** Stores a result of a message; if order is kept, waits until the results before it are stored. */
export function inTurn(name: string, store: () => Promise<unknown>): Promise<unknown> {
  const message = carried.get(name);
  if (message?.sent === undefined) return store();
  message.sent = message.sent.then(store);
  return message.sent;
}

/** Returns the subject of the message that contained a record. */
export function subjectOfMessage(name: string): string | undefined {
  return carried.get(name)?.subject;
}

/** Returns the headers of the message that contained a record, without those of NATS itself. */
export function headersOf(name: string): readonly (readonly [name: string, value: string])[] {
  const headers = carried.get(name)?.headers;
  if (headers === undefined) return [];
  return headers
    .keys()
    .filter(key => !key.startsWith('Nats-'))
    .flatMap(key => headers.values(key).map(value => [key, value] as const));
}
