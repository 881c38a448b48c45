import type { NatsConnection } from '@nats-io/transport-node';
import { TagstreamError } from '../../../core/errors.js';
import type { Client } from './client.js';
import { isMissing } from './is-missing.js';
import { natsFault } from './nats-fault.js';

/** Servers that were reached, and how long a run waits for them to answer. */
export interface Reached {
  readonly core: NatsConnection;
  readonly client: Client;
  /** Seconds without an answer after which a run ends. */
  readonly giveUp: number;
}

/** Who is asked again and again: without a connection where it is this that is tried. */
type Asked = Omit<Reached, 'core'> & Partial<Pick<Reached, 'core'>>;

/** Milliseconds between two attempts. */
const pause = 250;

/**
 * Does what may fail while a server restarts, a leader is elected or a connection is made again, until it succeeds. The
 * clock may jump meanwhile: the time is that of the process.
 *
 * @param doing for the error, as in `send to tagged.PER`
 * @throws (rejects with) TagstreamError `connection` after `giveUp` seconds without success, and at once for what no
 *   repetition mends: a stream or consumer that is not there, no permission, a connection that was closed for good
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

/** Whether no repetition mends it. */
function isHopeless(thrown: unknown, client: Client): boolean {
  const { PermissionViolationError, UserAuthenticationExpiredError } = client.transport;
  const hopeless = [PermissionViolationError, UserAuthenticationExpiredError, TagstreamError];
  const isOfKind = hopeless.some(kind => thrown instanceof kind);
  return isOfKind || isMissing(thrown, client, 'stream') || isMissing(thrown, client, 'consumer');
}
