import type { JsMsg } from '@nats-io/jetstream';
import type { MessagesOnTheWay } from '../../../core/run-status.js';
import type { Requests } from '../connection/requests.js';

/** What says that a message is handled. */
const acknowledgement = new TextEncoder().encode('+ACK');

/** Milliseconds between two looks whether all is done. */
const restPause = 10;

/** Attempts to have an acknowledgement confirmed; without it the message comes again, and its results with their ids. */
const attempts = 3;

/**
 * The messages that a run has received and not yet acknowledged. It reports to the servers that they are worked on,
 * as long as the process lives and turns its event loop.
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

  /** Messages of a consumer that the servers have not given out yet, when the last one came; undefined before that. */
  waitingOf(consumer: string): number | undefined {
    return this.#waiting.get(consumer);
  }

  /** Resolves when no message of a consumer is in flight and all acknowledgements are confirmed, or after some time. */
  async rests(consumer: string, milliseconds: number): Promise<void> {
    const until = performance.now() + milliseconds;
    while (performance.now() < until && (this.#confirming > 0 || this.sizeOf(consumer) > 0)) {
      await new Promise(resolve => setTimeout(resolve, restPause));
    }
  }

  /** Those of a consumer. */
  sizeOf(consumer: string): number {
    let size = 0;
    for (const { info } of this.#messages.values()) if (info.consumer === consumer) size += 1;
    return size;
  }

  /** False for a message that is in flight already: the servers had not heard of it for too long. */
  add(message: JsMsg): boolean {
    const { seq, info } = message;
    this.#waiting.set(info.consumer, info.pending);
    if (info.deliveryCount > 1) this.#redelivered += 1;
    const known = this.#messages.has(seq);
    // The newest delivery is the one that can be acknowledged.
    this.#messages.set(seq, message);
    return !known;
  }

  /** Acknowledges a message, or says that it is not to come again although its records were rejected. */
  settle(sequence: number, how: 'handled' | 'rejected', requests: Requests): void {
    const message = this.#messages.get(sequence);
    if (message === undefined) return;
    this.#messages.delete(sequence);
    if (how === 'rejected') message.term();
    else this.#confirm(message, requests);
  }

  /** Gives a message back, so that another run has it at once. */
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

  /** An acknowledgement that is lost would bring the message again: it is repeated until the servers have answered. */
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
