import type { Msg, MsgHdrs, NatsConnection } from '@nats-io/transport-node';
import type { Client } from './client.js';

/** A message that expects an answer. */
export interface Question {
  readonly subject: string;
  readonly bytes: Uint8Array;
  readonly headers?: MsgHdrs | undefined;
}

/** The sender of a question. */
export interface Asker {
  /** Called once, with the answer. */
  resolve(answer: Msg): void;
  /** Called once, with the client's `TimeoutError`, if no answer comes in time or there are no responders. */
  reject(error: Error): void;
}

interface Pending {
  readonly due: number;
  readonly asker: Asker;
}

/** Maximum number of questions sent at a time. */
const together = 64;

/** Milliseconds between checks for overdue answers. */
const interval = 250;

/**
 * Requests that share one subscription for their answers. The client's own requests create a timer, two promises and a
 * random token each, which take most of the time if each record is a message.
 */
export class Requests {
  readonly #core: NatsConnection;
  readonly #prefix: string;
  readonly #patience: number;
  readonly #pending = new Map<string, Pending>();
  readonly #noAnswer: (why: string) => Error;
  #waiting: { readonly question: Question; readonly asker: Asker }[] = [];
  #sending: NodeJS.Immediate | undefined;
  #asked = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param patience maximum milliseconds until an answer */
  constructor(core: NatsConnection, { transport }: Client, patience: number) {
    this.#core = core;
    this.#patience = patience;
    this.#prefix = `${transport.createInbox()}.`;
    this.#noAnswer = why => new transport.TimeoutError({ cause: new Error(why) });
    core.subscribe(`${this.#prefix}*`, {
      callback: (error, message) => this.#answered(error, message),
    });
  }

  /** @throws (rejects with) the client's `TimeoutError` if no answer comes in time, or there are no responders */
  ask(question: Question): Promise<Msg> {
    return new Promise((resolve, reject) => this.askFor({ resolve, reject }, question));
  }

  /** Asks without a promise, of which there would be several per record. */
  askFor(asker: Asker, question: Question): void {
    this.#waiting.push({ question, asker });
    if (this.#waiting.length >= together) this.#send();
    else this.#sending ??= setImmediate(() => this.#send());
  }

  /**
   * Sends the waiting questions together: the client writes all data of one event loop turn at once, and a write per
   * question would take longer than everything else.
   */
  #send(): void {
    clearImmediate(this.#sending);
    this.#sending = undefined;
    const due = performance.now() + this.#patience;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { question, asker } of waiting) {
      const { subject, bytes, headers } = question;
      this.#asked += 1;
      const token = this.#asked.toString(36);
      const reply = this.#prefix + token;
      try {
        this.#core.publish(subject, bytes, headers === undefined ? { reply } : { reply, headers });
        this.#pending.set(token, { due, asker });
      } catch (thrown) {
        asker.reject(thrown as Error);
      }
    }
    if (this.#pending.size > 0) {
      this.#timer ??= setInterval(() => this.#dismissOverdue(), interval);
    }
  }

  #answered(error: Error | null, message: Msg): void {
    if (error !== null) return;
    const token = message.subject.slice(this.#prefix.length);
    const pending = this.#pending.get(token);
    if (pending === undefined) return;
    this.#pending.delete(token);
    if (this.#pending.size === 0) this.#rest();
    const nobody = message.data.length === 0 && message.headers?.code === 503;
    if (nobody) pending.asker.reject(this.#noAnswer('no responders'));
    else pending.asker.resolve(message);
  }

  #dismissOverdue(): void {
    const now = performance.now();
    // Pending questions are in the order of sending.
    for (const [token, { due, asker }] of this.#pending) {
      if (due > now && !this.#core.isClosed()) break;
      this.#pending.delete(token);
      asker.reject(this.#noAnswer('no answer in time'));
    }
    if (this.#pending.size === 0) this.#rest();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
