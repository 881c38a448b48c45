import type { KV } from '@nats-io/kv';
import type { ObjectStore } from '@nats-io/obj';
import { TagstreamError } from '../../engine/core/errors.js';
import type { ServerOptions } from '../../engine/interfaces/server-options.js';
import { bucketClient } from '../connection/client.js';
import { isMissing, keepTrying } from '../connection/keep-trying.js';
import { type Connection, openConnection } from '../connection/open-connection.js';

/** Location of stored models, and options for connecting to the servers. */
export interface RegistryOptions extends ServerOptions {
  /** Name of the registry's two buckets, one of objects and one of keys. */
  readonly bucket: string;
  /** Whether missing buckets are created. */
  readonly create?: boolean | undefined;
  /** Number of replicas of created buckets. */
  readonly replicas?: number | undefined;
}

/** Models with their versions and aliases: files in a bucket of objects, entries in a bucket of keys. */
export interface ModelRegistry {
  readonly connection: Connection;
  readonly bucket: string;
  /** Bucket of keys: `NAME.version.NUMBER`, and `NAME.alias.ALIAS` with their history. */
  readonly keys: KV;
  /** Bucket of model files by their SHA-256. */
  readonly objects: ObjectStore;
  close(): Promise<void>;
}

/** Default bucket of models. */
export const defaultBucket = 'tagstream_models';

/** Number of changes kept per alias: the maximum that a bucket allows. */
export const keptChanges = 64;

/**
 * Opens a registry.
 *
 * @param path resolves a path relative to the folder of the options' files
 * @throws (rejects with) TagstreamError `config` if the registry is missing and `create` is not set, or for a missing
 *   secret; `connection`
 */
export async function openRegistry(
  options: RegistryOptions,
  path: (file: string) => string,
): Promise<ModelRegistry> {
  const { bucket } = options;
  const connection = await openConnection(options, path);
  try {
    const client = await bucketClient();
    const kvm = new client.kv.Kvm(connection.stream);
    const objm = new client.objects.Objm(connection.stream);
    await requireBuckets(connection, options, async () => {
      const replicas = options.replicas ?? 1;
      await kvm.create(bucket, { history: keptChanges, replicas, allow_direct: false });
      await objm.create(bucket, { replicas });
    });
    const [keys, objects] = await Promise.all([
      // A follower may be out of date, so entries are read from the leader.
      kvm.open(bucket, { allow_direct: false }),
      objm.open(bucket, false),
    ]);
    return { connection, bucket, keys, objects, close: () => connection.core.close() };
  } catch (thrown) {
    await connection.core.close();
    throw thrown;
  }
}

/** Returns the stream of the bucket's objects. */
export function objectStream(bucket: string): string {
  return `OBJ_${bucket}`;
}

async function requireBuckets(
  connection: Connection,
  { bucket, create }: RegistryOptions,
  createBoth: () => Promise<void>,
): Promise<void> {
  const { manager, client } = connection;
  const areThere = await keepTrying(connection, `find the bucket ${bucket}`, async () => {
    try {
      await manager.streams.info(`KV_${bucket}`);
      await manager.streams.info(objectStream(bucket));
      return true;
    } catch (thrown) {
      if (!isMissing(thrown, client, 'stream')) throw thrown;
      if (create === true) await createBoth();
      return create === true;
    }
  });
  if (areThere) return;
  throw new TagstreamError('config', `there is no registry of models in the bucket ${bucket}`, {
    fix: 'correct the bucket or the servers, or create it: tagstream models push FILE NAME --create',
  });
}
