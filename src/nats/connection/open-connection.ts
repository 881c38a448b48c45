import { isIP } from 'node:net';
import type { JetStreamClient, JetStreamManager, StreamInfo } from '@nats-io/jetstream';
import type { ConnectionOptions } from '@nats-io/transport-node';
import { TagstreamError } from '../../engine/core/errors.js';
import { keepSecret, keepSecretsIn } from '../../engine/core/secrets.js';
import type { Secret, ServerOptions } from '../../engine/interfaces/server-options.js';
import { readBytes } from '../../formats/reading/read-bytes.js';
import { type Client, natsClient } from './client.js';
import { isMissing, keepTrying, natsFault, type Reached } from './keep-trying.js';
import { Requests } from './requests.js';

/** A connection to the servers, and JetStream over it. */
export interface Connection extends Reached {
  readonly stream: JetStreamClient;
  readonly manager: JetStreamManager;
  /** Requester for requests made once per record. */
  readonly requests: Requests;
}

/**
 * Maximum seconds for a cluster to elect a leader, and for a server to become ready, which it never does without
 * JetStream.
 */
const [election, readiness] = [30, 15];

/** Milliseconds between two attempts to connect to the same server. */
const reconnectPause = 250;

/** Maximum milliseconds until the servers answer. */
const patience = 5_000;

/**
 * Connects to the first server that answers. A lost connection is re-established, to any server of the cluster, until
 * the run gives up.
 *
 * @param path resolves a path relative to the folder of the pipeline file
 * @throws (rejects with) TagstreamError `config` for a missing secret or file, `connection` if no server answers or
 *   accepts the credentials
 */
export async function openConnection(
  options: ServerOptions,
  path: (file: string) => string,
): Promise<Connection> {
  const client = await natsClient();
  const servers = [options.servers].flat();
  keepSecretsIn(options);
  const given = {
    ...{ servers, name: 'tagstream', timeout: patience },
    ...{ maxReconnectAttempts: -1, ignoreAuthErrorAbort: true, ...pacedByProcess() },
    // A stack trace per request would cost a third of the total time.
    noAsyncTraces: true,
    ...authOf(options, path, client),
    ...tlsOf(options, path),
  };
  // One server of a cluster may be leaving while others are not up yet.
  const patient = { client, giveUp: servers.length > 1 ? election : 0 };
  const core = await keepTrying(patient, `connect to ${servers.join(', ')}`, () =>
    client.transport.connect(given),
  );
  const { jetstream, jetstreamManager } = client.jetstream;
  const waiting = { timeout: patience };
  const reached = { core, client, giveUp: options.giveUp };
  try {
    // A starting cluster has no leader yet.
    const longest = servers.length > 1 ? election : readiness;
    const starting = { ...reached, giveUp: Math.min(options.giveUp, longest) };
    const manager = await keepTrying(starting, `use JetStream at ${servers.join(', ')}`, () =>
      jetstreamManager(core, waiting),
    );
    const requests = new Requests(core, client, patience);
    return { ...reached, manager, requests, stream: jetstream(core, waiting) };
  } catch (thrown) {
    await core.close();
    throw thrown;
  }
}

/**
 * Returns options that time the pauses between connection attempts by the process. The client uses the clock: if it is
 * set back, it would wait until the old time is reached again.
 */
function pacedByProcess(): Pick<ConnectionOptions, 'reconnectDelayHandler' | 'reconnectToServer'> {
  let last = Number.NEGATIVE_INFINITY;
  return {
    // As far as the clock is concerned, it is always time.
    reconnectDelayHandler: () => Number.NEGATIVE_INFINITY,
    reconnectToServer: servers => {
      const next = last + reconnectPause / Math.max(1, servers.length);
      const now = performance.now();
      last = Math.max(now, next);
      // The first server is the next in turn.
      return { server: servers[0]!, delay: last - now };
    },
  };
}

function authOf(
  { auth }: ServerOptions,
  path: (file: string) => string,
  { transport }: Client,
): Partial<ConnectionOptions> {
  if (auth === undefined) return {};
  const { token, user, password, nkey, credentials } = auth;
  if (token !== undefined) return { token: secretOf(token, 'token', path) };
  if (user !== undefined) return { user, pass: secretOf(password!, 'password', path) };
  const bytes = (text: string) => new TextEncoder().encode(text);
  if (nkey !== undefined) {
    return { authenticator: transport.nkeyAuthenticator(bytes(secretOf(nkey, 'nkey', path))) };
  }
  // Its last line must be terminated.
  const text = `${secretOf({ file: credentials! }, 'credentials', path)}\n`;
  return { authenticator: transport.credsAuthenticator(bytes(text)) };
}

function tlsOf(
  { servers, tls }: ServerOptions,
  path: (file: string) => string,
): Partial<ConnectionOptions> {
  for (const address of [servers].flat()) {
    if (tls !== undefined || address.startsWith('tls:')) requireHostName(address);
  }
  if (tls === undefined) return {};
  const given = Object.entries(tls) as [string, string | undefined][];
  const files = given.flatMap(([name, file]) =>
    file === undefined ? [] : [[name, readNamedFile(path(file), `tls: ${name}`)]],
  );
  return { tls: Object.fromEntries(files) };
}

/** Rejects IP addresses, with which the client does not compare certificates. */
function requireHostName(address: string): void {
  const { hostname } = new URL(address.includes('://') ? address : `nats://${address}`);
  if (isIP(hostname.replace(/[[\]]/g, '')) === 0) return;
  throw new TagstreamError(
    'config',
    `TLS cannot verify the name of ${address}: it is an IP address`,
    { fix: 'give the host name in the certificate of the server' },
  );
}

/**
 * Reads a secret from its file or variable.
 *
 * @param path resolves a path relative to the folder of the pipeline file
 * @throws TagstreamError `config` that names the place of the secret, never the secret
 */
function secretOf(secret: Secret, what: string, path: (file: string) => string): string {
  const value =
    'file' in secret
      ? readNamedFile(path(secret.file), `the ${what}`)
      : process.env[secret.variable];
  const found = value?.trim();
  if (found !== undefined && found !== '') {
    keepSecret(found);
    return found;
  }
  const place = 'file' in secret ? `the file ${secret.file}` : `the variable ${secret.variable}`;
  throw new TagstreamError('config', `${place} has no ${what}`, {
    fix: 'file' in secret ? 'put the secret on its first line' : 'set it before the run starts',
  });
}

/**
 * Returns the text of a file that options name.
 *
 * @param what description of the contents for the error, such as `the password`
 * @throws TagstreamError `config` that names the file, but quotes none of its contents
 */
function readNamedFile(file: string, what: string): string {
  try {
    return new TextDecoder().decode(readBytes(file));
  } catch (cause) {
    throw new TagstreamError(
      'config',
      `${what} cannot be read: ${TagstreamError.from(cause, 'file').problem}`,
      {
        place: { source: file },
        fix: 'check the path and the permissions of the file',
      },
    );
  }
}

/** A required stream. */
interface WantedStream {
  readonly name: string;
  /** Subjects of the stream if it is created. */
  readonly subjects: readonly string[];
  readonly create: boolean;
  readonly replicas: number;
  /** Seconds within which the stream recognizes duplicates. */
  readonly window: number;
}

const nanoseconds = 1e9;

/**
 * Returns the stream with a name; creates it if it is missing and `create` is set.
 *
 * @throws (rejects with) TagstreamError `config` if it is missing, `connection`
 */
export function requireStream(
  connection: Connection,
  { name, subjects, create, replicas, window }: WantedStream,
): Promise<StreamInfo> {
  const { streams } = connection.manager;
  return required(connection, {
    what: `stream ${name}`,
    info: () => streams.info(name),
    make: () =>
      streams.add({
        ...{ name, subjects: [...subjects], num_replicas: replicas },
        duplicate_window: window * nanoseconds,
      }),
    create,
    fix: 'correct the name, create the stream, or let the run create it with create: true',
  });
}

/** A part that the servers must have, such as a stream. */
interface Part<Info> {
  readonly what: string;
  readonly create: boolean;
  readonly fix: string;
  info(): Promise<Info>;
  make(): Promise<Info>;
}

/**
 * Returns the servers' information on a part; creates it if it is missing and `create` is set.
 *
 * @throws (rejects with) TagstreamError `config` if it is missing, `connection`
 */
export async function required<Info>(
  connection: Connection,
  { what, info, make, create, fix }: Part<Info>,
): Promise<Info> {
  const { client } = connection;
  const missing = (thrown: unknown) =>
    isMissing(thrown, client, 'stream') || isMissing(thrown, client, 'consumer');
  try {
    return await keepTrying(connection, `find the ${what}`, async () => {
      try {
        return await info();
      } catch (thrown) {
        // Several runs may create it at the same time, all in the same way.
        if (!create || !missing(thrown)) throw thrown;
        return await make();
      }
    });
  } catch (cause) {
    if (!missing((cause as TagstreamError).cause)) throw natsFault(cause, `find the ${what}`);
    throw new TagstreamError('config', `there is no ${what}`, { fix, cause });
  }
}
