import type { ConsumerConfig, ConsumerInfo, JsMsg } from '@nats-io/jetstream';
import { TagstreamError } from '../../engine/core/errors.js';
import { fnv1a } from '../../engine/text/fnv1a.js';
import { isMissing, keepTrying } from '../connection/keep-trying.js';
import type { Connection } from '../connection/open-connection.js';
import type { TransportOptions } from '../transport-options.js';

const nanoseconds = 1e9;

/** Maximum number of messages in flight over all runs, if a run's budget sets no limit. */
const mostPending = 10_000;

/**
 * Returns the durable pull consumer that several runs share; creates it if it is missing and `create` is set.
 *
 * @param budget maximum number of records that this run may have in flight
 * @throws (rejects with) TagstreamError `config` if the consumer does not exist or cannot share work
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
    // The next message of a partition is delivered when the results of this one are stored.
    max_ack_pending: partition === undefined ? budget : 1,
    ...(subject === undefined ? {} : { filter_subject: subject }),
    ...startOf(start, jetstream),
  };
}

/** Returns a consumer's start in JetStream's terms. */
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

/** Returns the setting that prevents a consumer from sharing work, if any. */
function faultOf(config: ConsumerConfig, options: TransportOptions): string | undefined {
  if (config.deliver_subject !== undefined) return 'is a push consumer, not a pull consumer';
  if (config.ack_policy !== 'explicit') return 'does not acknowledge each message explicitly';
  const most = config.max_deliver ?? -1;
  if (most > 0 && most <= options.deliveries) {
    return `delivers a message at most ${most} times and then drops it`;
  }
  if (options.partition !== undefined && config.max_ack_pending !== 1) {
    return `allows ${config.max_ack_pending} messages in flight, which does not keep their order`;
  }
  if (options.subject !== undefined && (config.filter_subject ?? '>') !== options.subject) {
    return `reads the subject ${config.filter_subject ?? '>'} instead of ${options.subject}`;
  }
  return undefined;
}

/** Number of messages requested at a time. */
const together = 1_000;

/**
 * Yields the messages of a stream in order, from its beginning to its current end.
 *
 * @param headersOnly whether to fetch only headers, without the messages' bytes
 */
export async function* eachStored(
  { stream }: Connection,
  from: { readonly stream: string; readonly subject?: string | undefined },
  { headersOnly = false } = {},
): AsyncGenerator<JsMsg, void, undefined> {
  const consumer = await stream.consumers.get(from.stream, {
    ...(from.subject === undefined ? {} : { filter_subjects: from.subject }),
    headers_only: headersOnly,
  });
  if ((await consumer.info()).num_pending === 0) return;
  for await (const message of await consumer.consume({ max_messages: together })) {
    yield message;
    if (message.info.pending === 0) return;
  }
}

/** Options that select the messages of a stream, and how they are read. */
type Choice = Pick<TransportOptions, 'subject' | 'partition' | 'partitions'> & {
  readonly stream: string;
};

/** A part of a stream with its own consumer. */
export interface Partition {
  readonly consumer: string;
  /** Subject of its messages; undefined: the whole stream. */
  readonly subject: string | undefined;
}

/**
 * Returns a key's partition number: FNV-1a (32 bits) of its UTF-8 bytes, modulo the number of partitions. Equals
 * `{{partition(N,1)}}` in nats-server's mappings.
 *
 * @example
 * partitionOf('order 17', 16) // => 1
 */
export function partitionOf(key: string, partitions: number): number {
  return fnv1a(key) % partitions;
}

/** Returns the subject of a partition's messages. */
export function partitionSubject({ stream, subject = stream }: Choice, partition: number): string {
  return `${subject}.${partition}`;
}

/** Returns the subject of all messages read, with `*` for the partition number; undefined for the whole stream. */
export function subjectRead({ stream, subject, partition }: Choice): string | undefined {
  return partition === undefined ? subject : `${subject ?? stream}.*`;
}

/** Returns the partitions, each with its own consumer; only the consumer itself if there are none. */
export function partitionsOf(
  options: Choice & { readonly consumer: string },
): readonly Partition[] {
  const { consumer, subject, partition, partitions } = options;
  if (partition === undefined) return [{ consumer, subject }];
  return Array.from({ length: partitions }, (_, i) => ({
    consumer: `${consumer}-${i}`,
    subject: partitionSubject(options, i),
  }));
}
