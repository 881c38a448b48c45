import { TagstreamError } from '../../core/errors.js';
import type { MessageRequest, TransportSetting } from '../../plugins/messages.js';
import type {
  MessageOrigin,
  MessageTarget,
  TransportComponent,
} from '../../plugins/transport-component.js';
import { leave } from './connection/leave.js';
import { type Connection, openConnection } from './connection/open-connection.js';
import { MessagesInFlight } from './reading/messages-in-flight.js';
import { readInOrder } from './reading/read-in-order.js';
import { readShared } from './reading/read-shared.js';
import { type TransportOptions, transportShape } from './transport-options.js';
import { sendResults } from './writing/send-results.js';
import { needsRecord } from './writing/subject-of.js';

/** Streams of NATS JetStream as sources and sinks. */
export const natsTransport: TransportComponent = {
  name: 'nats',
  summary:
    'a stream of NATS JetStream; taggers share a consumer, a learner reads the stream in its order',
  example:
    'source: { ndjson: { from: { nats: { servers: "localhost:4222", stream: TEXTS, consumer: taggers } } } }',
  options: transportShape,
  reading: (options, setting) => origin(options as TransportOptions, setting),
  writing: (options, setting) => target(options as TransportOptions, setting),
};

function origin(options: TransportOptions, { trains, path }: TransportSetting): MessageOrigin {
  const { stream, consumer } = options;
  if (stream === undefined) throw missing('stream', 'the stream to read');
  if (trains && consumer !== undefined) throw learnsInOrder(consumer);
  if (!trains && consumer === undefined && options.follow)
    throw missing(
      'consumer',
      'a durable consumer, whose messages are acknowledged when their results are stored; follow: false reads the whole stream once without one',
    );
  const { subject = stream, partition } = options;
  if (partition !== undefined && /[*>]/.test(subject)) throw ofSeveralSubjects(subject);
  const name = `nats ${stream}`;
  const inFlight = new MessagesInFlight(options.ackWait * 1000);
  let opening: Promise<Connection> | undefined;
  async function* read(request: MessageRequest) {
    opening ??= openConnection(options, path);
    const connection = await opening;
    if (consumer === undefined)
      yield* readInOrder(connection, { ...options, stream: stream! }, request, name);
    else
      yield* readShared(
        connection,
        { ...options, stream: stream!, consumer },
        inFlight,
        request,
        name,
      );
  }
  const close = async () => {
    await inFlight.close();
    const connection = await opening?.catch(() => undefined);
    if (connection !== undefined) await leave(connection.core);
  };
  return { name, read, state: () => inFlight.state, close };
}

function target(options: TransportOptions, { path }: TransportSetting): MessageTarget {
  const { subject, together } = options;
  if (subject === undefined) throw missing('subject', 'where the records go');
  if (together && needsRecord(subject)) throw ofSeveral(subject);
  const write = async () => {
    const connection = await openConnection(options, path);
    try {
      const writer = await sendResults(connection, { ...options, subject });
      return { ...writer, close: () => leave(connection.core) };
    } catch (thrown) {
      await connection.core.close();
      throw thrown;
    }
  };
  const takes = together ? 'messages' : needsRecord(subject) ? 'records' : 'pieces';
  return { name: `nats ${subject}`, write, takes };
}

function missing(option: string, what: string): TagstreamError {
  return new TagstreamError('config', `the transport nats needs ${option}: ${what}`, {
    fix: `add ${option} to its options`,
  });
}

function learnsInOrder(consumer: string): TagstreamError {
  return new TagstreamError(
    'config',
    `a learner cannot share the consumer ${consumer}: it learns each message of a stream once, in order`,
    { fix: 'leave consumer out; the place in the stream is kept in the checkpoints' },
  );
}

function ofSeveralSubjects(subject: string): TagstreamError {
  return new TagstreamError(
    'config',
    `the partitions of ${subject} cannot be read: they are the subjects below a single one`,
    { fix: 'give the subject without * and >, or leave partition out' },
  );
}

function ofSeveral(subject: string): TagstreamError {
  return new TagstreamError(
    'config',
    `the subject ${subject} needs one record, and together sends the results of several`,
    { fix: 'leave {label} and {id} out of the subject, or leave out together' },
  );
}
