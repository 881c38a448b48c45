import type { ConsumerConfig, ConsumerInfo } from '@nats-io/jetstream';
import { TagstreamError } from '../../../core/errors.js';
import { isMissing, keepTrying } from '../connection/keep-trying.js';
import type { Connection } from '../connection/open-connection.js';
import type { TransportOptions } from '../transport-options.js';

const nanoseconds = 1e9;

/** Messages in flight of all runs together where the budget of a run sets no limit. */
const mostPending = 10_000;

/**
 * The durable pull consumer that several runs share, created where that is asked for and it is not there.
 *
 * @param budget records that this run may have in flight
 * @throws (rejects with) TagstreamError `config` if it is not there, or is none that work can be shared by
 */
export async function requireConsumer(
  connection: Connection,
  options: TransportOptions & { readonly stream: string; readonly consumer: string },
  budget: number = mostPending,
): Promise<ConsumerInfo> {
  const { stream, consumer, create } = options;
  const { manager, client } = connection;
  const found = await keepTrying(connection, `find the consumer ${consumer}`, async () => {
    try {
      return await manager.consumers.info(stream, consumer);
    } catch (thrown) {
      if (!isMissing(thrown, client, 'consumer')) throw thrown;
      if (create) return await manager.consumers.add(stream, configOf(options, client, budget));
      throw new TagstreamError('config', `the stream ${stream} has no consumer ${consumer}`, {
        fix: 'correct the name, create the consumer, or let the run create it with create: true',
        cause: thrown,
      });
    }
  });
  const wrong = faultOf(found.config, options);
  if (wrong === undefined) return found;
  throw new TagstreamError('config', `the consumer ${consumer} of ${stream} ${wrong}`, {
    fix: 'delete it and let the run create it with create: true, or give another name',
  });
}

function configOf(
  options: TransportOptions & { readonly consumer: string },
  { jetstream }: Connection['client'],
  budget: number,
): Partial<ConsumerConfig> {
  const { consumer, subject, start, ackWait, partition } = options;
  const { AckPolicy } = jetstream;
  return {
    ...{ durable_name: consumer, ack_policy: AckPolicy.Explicit, max_deliver: -1 },
    ack_wait: ackWait * nanoseconds,
    // The next message of a partition comes when the results of this one are stored.
    max_ack_pending: partition === undefined ? budget : 1,
    ...(subject === undefined ? {} : { filter_subject: subject }),
    ...startOf(start, jetstream),
  };
}

/** Where a consumer begins, in the words of JetStream. */
export function startOf(
  start: TransportOptions['start'],
  { DeliverPolicy }: Connection['client']['jetstream'],
): Partial<ConsumerConfig> {
  if (start === 'all') return { deliver_policy: DeliverPolicy.All };
  if (start === 'new') return { deliver_policy: DeliverPolicy.New };
  if (typeof start === 'number') {
    return { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: start };
  }
  return { deliver_policy: DeliverPolicy.StartTime, opt_start_time: start };
}

/** What keeps a consumer from sharing work, if anything does. */
function faultOf(config: ConsumerConfig, options: TransportOptions): string | undefined {
  if (config.deliver_subject !== undefined) return 'pushes its messages, and is no pull consumer';
  if (config.ack_policy !== 'explicit')
    return 'has messages that need not be acknowledged one by one';
  const most = config.max_deliver ?? -1;
  if (most > 0 && most <= options.deliveries) {
    return `delivers a message ${most} times, and then drops it unseen`;
  }
  if (options.partition !== undefined && config.max_ack_pending !== 1) {
    return `gives out ${config.max_ack_pending} messages at a time, which keeps no order`;
  }
  if (options.subject !== undefined && (config.filter_subject ?? '>') !== options.subject) {
    return `reads the subject ${config.filter_subject ?? '>'}, and not ${options.subject}`;
  }
  return undefined;
}
