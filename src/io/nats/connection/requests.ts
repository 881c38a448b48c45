import type { Msg, MsgHdrs, NatsConnection } from '@nats-io/transport-node';
import type { Client } from './client.js';

/** A message that is to be answered. */
export interface Question {
  readonly subject: string;
  readonly bytes: Uint8Array;
  readonly headers?: MsgHdrs | undefined;
}

interface Pending {
  readonly due: number;
  resolve(answer: Msg): void;
  reject(error: Error): void;
}

/** Milliseconds between two looks for answers that are overdue. */
const interval = 250;

/**
 * Requests whose answers come by one subscription. The client's own requests make a timer, two promises and a random
 * token each, which is most of the time of a record in a message of its own.
 */
export class Requests {
  readonly #core: NatsConnection;
  readonly #prefix: string;
  readonly #patience: number;
  readonly #pending = new Map<string, Pending>();
  readonly #noAnswer: (why: string) => Error;
  #asked = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param patience milliseconds that an answer may take */
  constructor(core: NatsConnection, { transport }: Client, patience: number) {
    this.#core = core;
    this.#patience = patience;
    this.#prefix = `${transport.createInbox()}.`;
    this.#noAnswer = why => new transport.TimeoutError({ cause: new Error(why) });
    core.subscribe(`${this.#prefix}*`, {
      callback: (error, message) => this.#answered(error, message),
    });
  }

  /** @throws (rejects with) the client's `TimeoutError` if nobody answers in time, or nobody listens */
  ask({ subject, bytes, headers }: Question): Promise<Msg> {
    return new Promise((resolve, reject) => {
      this.#asked += 1;
      const token = this.#asked.toString(36);
      const reply = this.#prefix + token;
      this.#core.publish(subject, bytes, headers === undefined ? { reply } : { reply, headers });
      this.#pending.set(token, { due: Date.now() + this.#patience, resolve, reject });
      this.#timer ??= setInterval(() => this.#dismissOverdue(), interval);
    });
  }

  #answered(error: Error | null, message: Msg): void {
    if (error !== null) return;
    const token = message.subject.slice(this.#prefix.length);
    const pending = this.#pending.get(token);
    if (pending === undefined) return;
    this.#pending.delete(token);
    if (this.#pending.size === 0) this.#rest();
    const nobody = message.data.length === 0 && message.headers?.code === 503;
    if (nobody) pending.reject(this.#noAnswer('nobody listens'));
    else pending.resolve(message);
  }

  #dismissOverdue(): void {
    const now = Date.now();
    // They stand in the order in which they were asked.
    for (const [token, { due, reject }] of this.#pending) {
      if (due > now && !this.#core.isClosed()) break;
      this.#pending.delete(token);
      reject(this.#noAnswer('no answer in time'));
    }
    if (this.#pending.size === 0) this.#rest();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
