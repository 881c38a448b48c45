import { TagstreamError } from '../../engine/core/errors.js';

type Transport = typeof import('@nats-io/transport-node');
type JetStream = typeof import('@nats-io/jetstream');
type KeyValue = typeof import('@nats-io/kv');
type Objects = typeof import('@nats-io/obj');

/** The packages of the NATS client. */
export interface Client {
  readonly transport: Transport;
  readonly jetstream: JetStream;
}

/** The packages for buckets of keys and objects. */
export interface BucketClient {
  readonly kv: KeyValue;
  readonly objects: Objects;
}

/**
 * Loads the NATS client when it is first needed: its packages are optional.
 *
 * @throws (rejects with) TagstreamError `config` if they are not installed
 */
export async function natsClient(): Promise<Client> {
  // Caught one by one, so that bundlers skip packages that are not installed.
  const [transport, jetstream] = await Promise.all([
    import('@nats-io/transport-node').catch(notInstalled),
    import('@nats-io/jetstream').catch(notInstalled),
  ]);
  return { transport, jetstream };
}

/** Loads the client's packages for buckets when they are first needed. */
export async function bucketClient(): Promise<BucketClient> {
  const [kv, objects] = await Promise.all([
    import('@nats-io/kv').catch(notInstalled),
    import('@nats-io/obj').catch(notInstalled),
  ]);
  return { kv, objects };
}

function notInstalled(cause: unknown): never {
  throw new TagstreamError('config', 'the NATS client is not installed', {
    fix: 'npm install @nats-io/transport-node @nats-io/jetstream @nats-io/kv @nats-io/obj',
    cause,
  });
}
