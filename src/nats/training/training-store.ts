import type { Consumer } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import type { ObjectStore } from '@nats-io/obj';
import type { TrainingStoreOptions } from '../../engine/interfaces/cluster-options.js';
import { bytesOf, entryOf, inTime, putEntry } from '../connection/buckets.js';
import { bucketClient } from '../connection/client.js';
import { keepTrying } from '../connection/keep-trying.js';
import { type Connection, openConnection, required } from '../connection/open-connection.js';

/** A task: a pass over a shard. */
export interface Task {
  readonly run: string;
  readonly pass: number;
  readonly shard: number;
  /** Version of the program: another version may compute different bytes. */
  readonly version: string;
}

/** Location of a key's data. */
interface Stored {
  readonly object: string;
  readonly size: number;
}

/** Milliseconds after its expiry until an unanswered request for a task is abandoned. */
const overdue = 2_000;
const nanoseconds = 1e9;
const consumerName = 'workers';

/**
 * The work queue of tasks, and data by key: large data is in a bucket of objects, under names unique to the writer, and
 * each key has the name of its first object.
 */
export class TrainingStore {
  readonly connection: Connection;
  /** Number of bytes of data stored and read. */
  sent = 0;
  received = 0;
  readonly #name: string;
  readonly #subject: string;
  readonly #consumer: Consumer;
  readonly keys: KV;
  readonly #objects: ObjectStore;
  #written = 0;

  private constructor(connection: Connection, { name, subject, consumer, keys, objects }: Opened) {
    this.connection = connection;
    this.#name = name;
    this.#subject = subject;
    this.#consumer = consumer;
    this.keys = keys;
    this.#objects = objects;
  }

  /**
   * @param path resolves a path relative to the folder of the pipeline file
   * @throws (rejects with) TagstreamError `config` if stream, consumer or buckets are missing and `create` is not
   *   set, `connection`
   */
  static async open(
    options: TrainingStoreOptions,
    path: (file: string) => string,
  ): Promise<TrainingStore> {
    const connection = await openConnection(options, path);
    try {
      return new TrainingStore(connection, await opened(connection, options));
    } catch (thrown) {
      await connection.core.close();
      throw thrown;
    }
  }

  /**
   * Puts a task into the queue, unless it is already there.
   *
   * @param attempt the coordinator's attempt: tasks that were done and removed in an earlier attempt are done again
   *   in the next one
   */
  async add(task: Task, attempt: string): Promise<void> {
    const { run, pass, shard } = task;
    const id = `${run}.${pass}.${shard}.${attempt}`;
    await keepTrying(this.connection, `add the task ${id}`, () =>
      this.connection.stream.publish(`${this.#subject}.${run}`, JSON.stringify(task), {
        msgID: id,
      }),
    );
  }

  /** Returns the next task of the queue as a message; undefined if none arrives in time. */
  async next(milliseconds: number) {
    const next = this.#consumer.next({ expires: milliseconds });
    next.catch(() => undefined);
    // If no server ends the request, the client does so by the clock, which may have been set back.
    return (await inTime(next, 'no task', milliseconds + overdue)) ?? undefined;
  }

  /** Resolves when the servers give information on the queue. */
  async ready(): Promise<void> {
    await keepTrying(this.connection, 'find the work queue', () => this.#consumer.info());
  }

  /** Returns a key's data; undefined if there is none. */
  async read(key: string): Promise<Uint8Array | undefined> {
    return keepTrying(this.connection, `read ${key}`, async () => {
      const entry = await this.entry(key);
      const found = entry && (await this.#objects.get(entry.json<Stored>().object));
      if (!found) return undefined;
      const bytes = await bytesOf(found);
      this.received += bytes.length;
      return bytes;
    });
  }

  /** Returns the size of a key's data in bytes; undefined if there is none. */
  async size(key: string): Promise<number | undefined> {
    return (await this.entry(key))?.json<Stored>().size;
  }

  /** Stores data under a key, unless it already has some: all writers store the same data. */
  async write(key: string, bytes: Uint8Array): Promise<void> {
    await keepTrying(this.connection, `store ${key}`, async () => {
      if ((await this.entry(key)) !== undefined) return;
      this.#written += 1;
      const object = `${key}.${process.pid}-${Date.now()}-${this.#written}`;
      await this.#objects.putBlob({ name: object }, bytes);
      this.sent += bytes.length;
      const stored: Stored = { object, size: bytes.length };
      if (await this.put(key, stored, 0)) return;
      const first = await this.entry(key);
      // The entry may be this very write, whose acknowledgement was lost.
      if (first?.json<Stored>().object !== object) await this.#objects.delete(object);
    });
  }

  /** Returns the newest state of a key. */
  entry(key: string) {
    return entryOf(this, key);
  }

  /**
   * Writes the value of a key if it is unchanged since it was read, or missing if the revision is 0; see `putEntry`.
   *
   * @param giveUp maximum seconds without an answer; 0 for values that are useless later
   */
  put(key: string, value: object, revision: number, { giveUp = this.connection.giveUp } = {}) {
    const { keys, connection } = this;
    const keysFor = { keys, connection: { ...connection, giveUp } };
    return putEntry(keysFor, key, JSON.stringify(value), revision);
  }

  /** Calls `changed` whenever a matching key is written; returns a function that ends this. */
  async watch(filter: string, changed: () => void): Promise<() => void> {
    const entries = await keepTrying(this.connection, `watch ${filter}`, () =>
      this.keys.watch({ key: filter }),
    );
    void (async () => {
      for await (const _ of entries) changed();
    })().catch(() => undefined);
    return () => entries.stop();
  }

  /** Removes all keys of a run and their objects, without deletion markers, which would accumulate. */
  async remove(run: string): Promise<void> {
    const keys = await keepTrying(this.connection, `list the keys of ${run}`, async () => {
      const found: string[] = [];
      for await (const key of await this.keys.keys(`${run}.>`)) found.push(key);
      return found;
    });
    for (const key of keys) await this.forget(key);
    await this.#purge('KV', `$KV.${this.#name}.${run}.>`);
  }

  /**
   * Removes a key and its object. The key goes first: a crash in between leaves an unreferenced object, not a key
   * without an object, which a resuming run would mistake for a result.
   */
  async forget(key: string): Promise<void> {
    const entry = await this.entry(key);
    const { object } = entry?.json<Partial<Stored>>() ?? {};
    await this.#purge('KV', `$KV.${this.#name}.${key}`);
    if (object === undefined) return;
    const info = await keepTrying(this.connection, `look at the object ${object}`, () =>
      this.#objects.info(object),
    );
    if (info === null) return;
    await this.#purge('OBJ', `$O.${this.#name}.C.${info.nuid}`);
    await this.#purge('OBJ', `$O.${this.#name}.M.${encoded(info.name)}`);
  }

  async #purge(kind: 'KV' | 'OBJ', filter: string): Promise<void> {
    await keepTrying(this.connection, `remove ${filter}`, () =>
      this.connection.manager.streams.purge(`${kind}_${this.#name}`, { filter }),
    );
  }

  async close(): Promise<void> {
    await this.connection.core.close();
  }
}

interface Opened {
  readonly name: string;
  readonly subject: string;
  readonly consumer: Consumer;
  readonly keys: KV;
  readonly objects: ObjectStore;
}

async function opened(connection: Connection, options: TrainingStoreOptions): Promise<Opened> {
  const { stream: name, create, replicas, ackWait } = options;
  const { manager, client, stream } = connection;
  const { AckPolicy, RetentionPolicy } = client.jetstream;
  const { kv, objects } = await bucketClient();
  const kvm = new kv.Kvm(stream);
  const objm = new objects.Objm(stream);
  const subject = `${name}.tasks`;
  const parts: readonly [
    what: string,
    info: () => Promise<unknown>,
    make: () => Promise<unknown>,
  ][] = [
    [
      `stream ${name}`,
      () => manager.streams.info(name),
      () =>
        manager.streams.add({
          ...{ name, subjects: [`${subject}.>`], num_replicas: replicas },
          retention: RetentionPolicy.Workqueue,
        }),
    ],
    [
      `consumer ${consumerName} of the stream ${name}`,
      () => manager.consumers.info(name, consumerName),
      () =>
        manager.consumers.add(name, {
          ...{ durable_name: consumerName, ack_policy: AckPolicy.Explicit },
          ...{ ack_wait: ackWait * nanoseconds, max_deliver: -1, max_ack_pending: 10_000 },
        }),
    ],
    [
      `bucket of keys ${name}`,
      () => manager.streams.info(`KV_${name}`),
      () => kvm.create(name, { history: 1, replicas, allow_direct: false }),
    ],
    [
      `bucket of objects ${name}`,
      () => manager.streams.info(`OBJ_${name}`),
      () => objm.create(name, { replicas }),
    ],
  ];
  const fix =
    'correct the name, or create it with train.cluster.create: true (for a worker, --create)';
  for (const [what, info, make] of parts)
    await required(connection, { what, info, make, create, fix });
  return keepTrying(connection, `open ${name}`, async () => ({
    name,
    subject,
    consumer: await stream.consumers.get(name, consumerName),
    // A follower may be out of date, so entries are read from the leader.
    keys: await kvm.open(name, { allow_direct: false }),
    objects: await objm.open(name, false),
  }));
}

/** Returns the name of an object as part of a subject: URL-safe base64. */
function encoded(name: string): string {
  return Buffer.from(name).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}
