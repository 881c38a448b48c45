import type { JsMsg } from '@nats-io/jetstream';
import type { MessagesOnTheWay } from '../../../core/run-status.js';
import type { Requests } from '../connection/requests.js';

/** The body of an acknowledgement. */
const acknowledgement = new TextEncoder().encode('+ACK');

/** Milliseconds between checks whether all is done. */
const restPause = 10;

/**
 * Attempts to have an acknowledgement confirmed; otherwise the message comes again, and its results under the same ids.
 */
const attempts = 3;

/**
 * The messages that a run has received and not yet acknowledged. It reports them to the servers as in progress for
 * as long as the event loop of the process turns.
 */
export class MessagesInFlight {
  readonly #messages = new Map<number, JsMsg>();
  /** Acknowledgements that are not confirmed yet. */
  #confirming = 0;
  #onConfirmed = () => {};
  readonly #timer: NodeJS.Timeout;
  /** By the consumer. */
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
   * Returns how many messages of a consumer the servers had not delivered yet when the last one came; undefined before
   * that.
   */
  waitingOf(consumer: string): number | undefined {
    return this.#waiting.get(consumer);
  }

  /**
   * Resolves when no message of a consumer is in flight and all acknowledgements are confirmed, or after
   * `milliseconds`.
   */
  async rests(consumer: string, milliseconds: number): Promise<void> {
    const until = performance.now() + milliseconds;
    while (performance.now() < until && (this.#confirming > 0 || this.sizeOf(consumer) > 0)) {
      await new Promise(resolve => setTimeout(resolve, restPause));
    }
  }

  /** Returns the number of messages in flight of a consumer. */
  sizeOf(consumer: string): number {
    let size = 0;
    for (const { info } of this.#messages.values()) if (info.consumer === consumer) size += 1;
    return size;
  }

  /**
   * Returns false for a message that is in flight already: the servers had not heard of it for too
   * long.
   */
  add(message: JsMsg): boolean {
    const { seq, info } = message;
    this.#waiting.set(info.consumer, info.pending);
    if (info.deliveryCount > 1) this.#redelivered += 1;
    const known = this.#messages.has(seq);
    // The newest delivery is the one that can be acknowledged.
    this.#messages.set(seq, message);
    return !known;
  }

  /** Acknowledges a message, or terminates it, if its records were rejected. */
  settle(sequence: number, how: 'handled' | 'rejected', requests: Requests): void {
    const message = this.#messages.get(sequence);
    if (message === undefined) return;
    this.#messages.delete(sequence);
    if (how === 'rejected') message.term();
    else this.#confirm(message, requests);
  }

  /** Gives a message back, so that another run gets it at once. */
  giveBack(message: JsMsg): void {
    this.#messages.delete(message.seq);
    message.nak();
  }

  /** Resolves when each acknowledgement is confirmed or given up, and gives back what is not acknowledged. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const message of this.#messages.values()) message.nak();
    this.#messages.clear();
    await new Promise<void>(resolve => {
      this.#onConfirmed = resolve;
      if (this.#confirming === 0) resolve();
    });
  }

  /** Repeats an acknowledgement until the servers have answered: if it was lost, the message would come again. */
  #confirm(message: JsMsg, requests: Requests, attempt = 1): void {
    // The client's own message has it; the interface does not show it.
    const { reply: subject } = message as JsMsg & { readonly reply: string };
    this.#confirming += 1;
    const again = () => {
      // What is not confirmed in the end comes again and is recognized by its id.
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

/** What results inherit from a message: its headers and subject. */
type Carried = Pick<JsMsg, 'headers' | 'subject'> & {
  /** Resolves when all its results so far are stored; absent if their order is free. */
  sent?: Promise<unknown>;
};

/** By source name in the positions of the records of each message in flight. */
const carried = new Map<string, Carried>();

/**
 * Returns the name of a message in positions of its records, as errors and dead letters show it.
 */
export function messageName(transport: string, sequence: number): string {
  return `${transport}#${sequence}`;
}

/**
 * Keeps headers and subject of a message until `dropHeaders`.
 *
 * @param isOrdered whether its results are stored one after the other
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

/** Stores a result of a message; if order is kept, once those before it are stored. */
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
