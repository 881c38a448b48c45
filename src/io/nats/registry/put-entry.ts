import type { KvEntry } from '@nats-io/kv';
import { keepTrying } from '../connection/keep-trying.js';
import type { ModelRegistry } from './open-registry.js';

/** An entry of the bucket of keys. */
export type StoredEntry = Pick<KvEntry, 'key' | 'value' | 'revision'>;

/** The newest state of an entry; undefined where there is none. */
export async function entryOf(
  { connection, keys }: ModelRegistry,
  key: string,
  revision?: number,
): Promise<StoredEntry | undefined> {
  const entry = await keepTrying(connection, `read ${key}`, () =>
    keys.get(key, revision === undefined ? undefined : { revision }),
  );
  return entry === null || entry.operation !== 'PUT' ? undefined : entry;
}

/** The newest states of all entries whose keys match, by their keys. */
export async function entriesOf(
  { connection, keys }: ModelRegistry,
  filter: string,
): Promise<Map<string, StoredEntry>> {
  return keepTrying(connection, `read ${filter}`, async () => {
    const found = new Map<string, StoredEntry>();
    for await (const entry of await keys.history({ key: filter })) {
      if (entry.operation === 'PUT') found.set(entry.key, entry);
      else found.delete(entry.key);
    }
    return found;
  });
}

/**
 * Writes an entry if it is still as it was read. Of several who write at the same time one succeeds.
 *
 * @param before the revision that was read; 0 where there was no entry
 * @param value distinguishes this write from those of others
 * @returns whether it was written
 * @throws (rejects with) TagstreamError `connection`
 */
export async function putEntry(
  registry: ModelRegistry,
  key: string,
  value: object,
  before: number,
): Promise<boolean> {
  const { connection, keys } = registry;
  const { StreamWrongLastSequence, StreamWrongLastSequenceUnknown } =
    connection.client.jetstream.JetStreamApiCodes;
  const text = JSON.stringify(value);
  const isWritten = await keepTrying(connection, `write ${key}`, async () => {
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
  if (isWritten) return true;
  // It may have been this very write, whose acknowledgement was lost.
  const now = await entryOf(registry, key);
  return now !== undefined && new TextDecoder().decode(now.value) === text;
}
