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

/** Milliseconds between two attempts. */
const pause = 250;

/**
 * Does what may fail while a server restarts, a leader is elected or a connection is made again, until it succeeds.
 *
 * @param doing for the error, as in `send to tagged.PER`
 * @throws (rejects with) TagstreamError `connection` after `giveUp` seconds without success, and at once for what no
 *   repetition mends: a stream or consumer that is not there, no permission, a connection that was closed for good
 */
export async function keepTrying<Result>(
  { core, client, giveUp }: Reached,
  doing: string,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const { PermissionViolationError, UserAuthenticationExpiredError } = client.transport;
  const hopeless = [PermissionViolationError, UserAuthenticationExpiredError, TagstreamError];
  const until = Date.now() + giveUp * 1000;
  for (;;) {
    try {
      return await attempt();
    } catch (thrown) {
      const missing = isMissing(thrown, client, 'stream') || isMissing(thrown, client, 'consumer');
      const final = missing || hopeless.some(kind => thrown instanceof kind);
      if (final || core.isClosed() || Date.now() > until) throw natsFault(thrown, doing);
      await new Promise(resolve => setTimeout(resolve, pause));
    }
  }
}
