import type { NatsConnection } from '@nats-io/transport-node';
import { TagstreamError } from '../../engine/core/errors.js';
import type { Client } from './client.js';

/** A connection to servers, and the time for which a run waits for their answers. */
export interface Reached {
  readonly core: NatsConnection;
  readonly client: Client;
  /** Seconds without an answer after which a run gives up. */
  readonly giveUp: number;
}

/** Context of a retried request; it has no connection if the request is to connect. */
type Asked = Omit<Reached, 'core'> & Partial<Pick<Reached, 'core'>>;

/** Milliseconds between two attempts. */
const pause = 250;

/**
 * Retries a request, which may fail while a server restarts, a leader is elected or a connection is re-established,
 * until it succeeds. Times are measured by the process, because the clock may jump.
 *
 * @param doing description for the error, such as `send to tagged.PER`
 * @throws (rejects with) TagstreamError `connection` after `giveUp` seconds without success, and immediately if no
 *   retry can help: a missing stream or consumer, no permission, a connection that was closed for good
 */
export async function keepTrying<Result>(
  { core, client, giveUp }: Asked,
  doing: string,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const until = performance.now() + giveUp * 1000;
  for (;;) {
    try {
      return await attempt();
    } catch (thrown) {
      const isOver = core?.isClosed() === true || performance.now() >= until;
      const isRefused = core === undefined && thrown instanceof client.transport.AuthorizationError;
      if (isOver || isRefused || isHopeless(thrown, client)) throw natsFault(thrown, doing);
      await new Promise(resolve => setTimeout(resolve, pause));
    }
  }
}

/** Whether no retry can help. */
function isHopeless(thrown: unknown, client: Client): boolean {
  const { PermissionViolationError, UserAuthenticationExpiredError } = client.transport;
  const hopeless = [PermissionViolationError, UserAuthenticationExpiredError, TagstreamError];
  const isOfKind = hopeless.some(kind => thrown instanceof kind);
  return isOfKind || isMissing(thrown, client, 'stream') || isMissing(thrown, client, 'consumer');
}

/** Whether an error reports that a stream or consumer does not exist. */
export function isMissing(
  thrown: unknown,
  { jetstream }: Client,
  what: 'stream' | 'consumer',
): boolean {
  if (!(thrown instanceof jetstream.JetStreamApiError)) return false;
  const { StreamNotFound, ConsumerNotFound } = jetstream.JetStreamApiCodes;
  return thrown.code === (what === 'stream' ? StreamNotFound : ConsumerNotFound);
}

/** Fixes for errors of the servers and the client, by their names or texts. */
const meanings: readonly (readonly [test: RegExp, fix: string])[] = [
  [
    /authoriz|authent|nkey|credential/i,
    'check the user, token, nkey or credentials under auth, and that the servers know the account',
  ],
  [/permission/i, 'allow the account to publish and subscribe to this subject'],
  [
    /certificate|self.signed|altname|tls|ssl|unable to verify/i,
    'check that the server certificate names the address, and give its authority under tls: { ca: FILE }',
  ],
  [
    /econnrefused|enotfound|eai_again|connection refused|etimedout|ehostunreach|disconnect|closed/i,
    'check that the servers are running at this address',
  ],
  [
    /jetstream.{0,40}not enabled|no responders|503/i,
    'start the servers with JetStream (nats-server -js), and create a stream that stores the subject',
  ],
  [
    /insufficient|no space|resource|maximum (?:messages|bytes)/i,
    'free disk space on the servers, or raise the limits of the stream',
  ],
  [
    /timeout|timed out/i,
    'check that the servers are running and that the cluster has a leader: see the nats-server logs',
  ],
];

/**
 * Converts an error of the client or the servers to a TagstreamError with a fix.
 *
 * @param doing the failed action, such as `connect to nats://localhost:4222`
 */
export function natsFault(thrown: unknown, doing: string): TagstreamError {
  if (thrown instanceof TagstreamError) return thrown;
  const texts = textsOf(thrown);
  const fix = meanings.find(([test]) => texts.some(text => test.test(text)))?.[1];
  return new TagstreamError('connection', `could not ${doing}: ${texts[0]}`, {
    ...(fix === undefined ? {} : { fix }),
    cause: thrown,
  });
}

/** Returns the texts of an error and its causes, outermost first. */
function textsOf(thrown: unknown): string[] {
  const texts: string[] = [];
  for (let at = thrown; at !== undefined && at !== null; at = (at as Error).cause) {
    const { message, code } = at as { message?: unknown; code?: unknown };
    const text = typeof message === 'string' && message !== '' ? message : String(code ?? at);
    texts.push(text);
    if (at instanceof AggregateError) texts.push(...at.errors.map(error => String(error.message)));
  }
  return texts;
}
