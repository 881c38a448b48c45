import { setTimeout as pause } from 'node:timers/promises';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, headers, type NatsConnection } from '@nats-io/transport-node';

/** A stored message. */
export interface Stored {
  readonly sequence: number;
  readonly subject: string;
  readonly id: string | undefined;
  readonly text: string;
  header(name: string): string | undefined;
}

/** What tests do with streams, by a connection of their own. */
export class StreamClient {
  readonly core: NatsConnection;

  private constructor(core: NatsConnection) {
    this.core = core;
  }

  static async open(servers: string | readonly string[]): Promise<StreamClient> {
    return new StreamClient(
      await connect({
        servers: [servers].flat(),
        maxReconnectAttempts: -1,
        reconnectTimeWait: 100,
      }),
    );
  }

  /** Resolves when it is connected again. */
  async ready(): Promise<void> {
    while ((await this.core.flush().catch(() => 'away')) === 'away') await pause(50);
  }

  manager() {
    return jetstreamManager(this.core);
  }

  async create(name: string, subject: string, replicas = 1): Promise<void> {
    const manager = await this.manager();
    await manager.streams.add({ name, subjects: [subject], num_replicas: replicas });
  }

  /** Stores messages in order. */
  async put(
    subject: string,
    messages: readonly (string | Uint8Array)[],
    given: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const stream = jetstream(this.core);
    for (let i = 0; i < messages.length; i += 500) {
      const some = messages.slice(i, i + 500).map(message => {
        const carried = headers();
        for (const [name, value] of Object.entries(given)) carried.set(name, value);
        return stream.publish(subject, message, { headers: carried });
      });
      await Promise.all(some);
    }
  }

  /** Stores messages under their ids, each until the stream does not recognize it any more. */
  async putAgain(subject: string, messages: readonly Stored[]): Promise<void> {
    const stream = jetstream(this.core);
    for (let i = 0; i < messages.length; i += 500) {
      const some = messages.slice(i, i + 500).map(async ({ id, text }) => {
        while ((await stream.publish(subject, text, { msgID: id! })).duplicate) await pause(100);
      });
      await Promise.all(some);
    }
  }

  /** All messages of a stream, in its order. */
  async all(name: string): Promise<Stored[]> {
    const consumer = await jetstream(this.core).consumers.get(name);
    if ((await consumer.info()).num_pending === 0) return [];
    const found: Stored[] = [];
    for await (const message of await consumer.consume({ max_messages: 1000 })) {
      const value = (key: string) => message.headers?.get(key) || undefined;
      found.push({
        ...{ sequence: message.seq, subject: message.subject, id: value('Nats-Msg-Id') },
        ...{ text: message.string(), header: value },
      });
      if (message.info.pending === 0) break;
    }
    return found;
  }

  async close(): Promise<void> {
    await this.core.close();
  }
}
