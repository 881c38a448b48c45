import { TagstreamError } from '../../../core/errors.js';

type Transport = typeof import('@nats-io/transport-node');
type JetStream = typeof import('@nats-io/jetstream');
type KeyValue = typeof import('@nats-io/kv');
type Objects = typeof import('@nats-io/obj');

/** The packages of the NATS client. */
export interface Client {
  readonly transport: Transport;
  readonly jetstream: JetStream;
}

/** Those for buckets of keys and objects. */
export interface BucketClient {
  readonly kv: KeyValue;
  readonly objects: Objects;
}

/**
 * The client of NATS, which is loaded when it is first needed: its packages are optional.
 *
 * @throws (rejects with) TagstreamError `config` if they are not installed
 */
export async function natsClient(): Promise<Client> {
  const [transport, jetstream] = await installed(() =>
    Promise.all([import('@nats-io/transport-node'), import('@nats-io/jetstream')]),
  );
  return { transport, jetstream };
}

/** The part of the client for buckets, loaded likewise. */
export async function bucketClient(): Promise<BucketClient> {
  const [kv, objects] = await installed(() =>
    Promise.all([import('@nats-io/kv'), import('@nats-io/obj')]),
  );
  return { kv, objects };
}

async function installed<Modules>(load: () => Promise<Modules>): Promise<Modules> {
  try {
    return await load();
  } catch (cause) {
    throw new TagstreamError('config', 'the client of NATS is not installed', {
      fix: 'npm install @nats-io/transport-node @nats-io/jetstream @nats-io/kv @nats-io/obj',
      cause,
    });
  }
}
