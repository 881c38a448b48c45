import type { KV, KvEntry } from '@nats-io/kv';
import type { ObjectResult } from '@nats-io/obj';
import { keepTrying } from './keep-trying.js';
import type { Connection } from './open-connection.js';

/** A bucket of keys, and the connection to its servers. */
export interface Keys {
  readonly connection: Connection;
  readonly keys: KV;
}

/** Returns the newest state of an entry, or a revision of it; undefined if there is none. */
export async function entryOf(
  { connection, keys }: Keys,
  key: string,
  revision?: number,
): Promise<KvEntry | undefined> {
  const options = revision === undefined ? undefined : { revision };
  const entry = await keepTrying(connection, `read ${key}`, () => keys.get(key, options));
  return entry === null || entry.operation !== 'PUT' ? undefined : entry;
}

/**
 * Writes an entry if it is unchanged since it was read: of several simultaneous writers one succeeds. If the servers'
 * answer is lost, the next attempt mistakes the value for another writer's: callers that must know check who wrote it.
 *
 * @param before the revision that was read; 0 if there was no entry
 * @returns whether it was written
 * @throws (rejects with) TagstreamError `connection`
 */
export function putEntry(
  { connection, keys }: Keys,
  key: string,
  text: string,
  before: number,
): Promise<boolean> {
  const { StreamWrongLastSequence, StreamWrongLastSequenceUnknown } =
    connection.client.jetstream.JetStreamApiCodes;
  return keepTrying(connection, `write ${key}`, async () => {
    try {
      if (before === 0) await keys.create(key, text);
      else await keys.update(key, text, before);
      return true;
    } catch (thrown) {
      const { code } = thrown as { code?: number };
      if (code === StreamWrongLastSequence || code === StreamWrongLastSequenceUnknown) return false;
      throw thrown;
    }
  });
}

/** Milliseconds without a byte of an object before it is requested again. */
const stall = 10_000;

/** Returns the bytes of an object that exists. */
export async function bytesOf({ data, error }: ObjectResult): Promise<Uint8Array> {
  error.catch(() => undefined);
  const reader = data.getReader();
  const parts: Uint8Array[] = [];
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read(), 'no byte of an object', stall);
      if (done) return Buffer.concat(parts);
      parts.push(value);
    }
  } catch (thrown) {
    void reader.cancel().catch(() => undefined);
    throw thrown;
  }
}

/** Settles like a promise within a time limit, because the client waits forever for missing parts of an object. */
export async function inTime<Result>(
  work: Promise<Result>,
  what: string,
  milliseconds: number,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`timeout: ${what} arrived`)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
