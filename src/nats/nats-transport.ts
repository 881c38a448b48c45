import type { NatsConnection } from '@nats-io/transport-node';
import type { Position } from '../engine/core/delivery/delivery.js';
import { TagstreamError } from '../engine/core/errors.js';
import type { Document } from '../engine/core/sentence/document.js';
import type { TaggedDocument } from '../engine/core/sentence/tagged-document.js';
import type {
  MessageOrigin,
  MessageTarget,
  TransportComponent,
} from '../engine/interfaces/loaded-plugin.js';
import type {
  Message,
  MessageRequest,
  MessageWriter,
  TransportSetting,
} from '../engine/interfaces/messages.js';
import { resultId } from '../formats/result-id.js';
import { keepTrying } from './connection/keep-trying.js';
import { type Connection, openConnection, requireStream } from './connection/open-connection.js';
import { startOf, subjectRead } from './reading/consumers.js';
import {
  carryHeaders,
  dropHeaders,
  headersOf,
  inTurn,
  MessagesInFlight,
  messageName,
  storedAt,
  subjectOfMessage,
} from './reading/messages-in-flight.js';
import { readShared } from './reading/read-shared.js';
import { type TransportOptions, transportShape } from './transport-options.js';
import { requireStorable, storeMessage } from './writing/store-message.js';

/** Streams of NATS JetStream as sources and sinks. */
export const natsTransport: TransportComponent = {
  name: 'nats',
  summary: 'a NATS JetStream stream; taggers share a consumer, a learner reads the stream in order',
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
      'a durable consumer, whose messages are acknowledged once their results are stored; without one, follow: false reads the whole stream once',
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
    `a learner cannot share the consumer ${consumer}: it learns from each message once, in order`,
    { fix: 'remove consumer; checkpoints store the position in the stream' },
  );
}

function ofSeveralSubjects(subject: string): TagstreamError {
  return new TagstreamError(
    'config',
    `cannot read the partitions of ${subject}: partitions are the subjects below a single subject`,
    { fix: 'give the subject without * and >, or remove partition' },
  );
}

function ofSeveral(subject: string): TagstreamError {
  return new TagstreamError(
    'config',
    `the subject ${subject} depends on one record, but together sends the results of several`,
    { fix: 'remove {label} and {id} from the subject, or remove together' },
  );
}

/** Maximum milliseconds for the servers to accept unsent data. */
const patience = 5_000;

/**
 * Ends a connection once everything is sent, or earlier if no server accepts it: results that must arrive have already
 * been acknowledged.
 */
async function leave(core: NatsConnection): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('timeout')), patience);
  });
  try {
    await Promise.race([core.drain(), late]);
  } catch {
    await core.close();
  } finally {
    clearTimeout(timer);
  }
}

/** Number of messages requested at a time. */
const together = 256;

/**
 * Yields the messages of a stream in order, each once, from the position of a checkpoint: the stream's sequence number
 * is its cursor. The servers keep no state of this run, and nothing is acknowledged.
 *
 * @throws (rejects with) TagstreamError `checkpoint` if messages after the cursor have since been deleted; `config`
 *   for a stream that deletes acknowledged messages
 */
async function* readInOrder(
  connection: Connection,
  options: TransportOptions & { readonly stream: string },
  { from, signal }: MessageRequest,
  name: string,
): AsyncGenerator<Message, void, undefined> {
  const { stream, start, follow } = options;
  const subject = subjectRead(options);
  const wanted = { ...options, name: stream, subjects: [subject ?? stream] };
  const { config, state } = await requireStream(connection, wanted);
  if (config.retention !== 'limits') throw notKept(stream, config.retention);
  const after = typeof from === 'number' ? from : undefined;
  if (after !== undefined && state.first_seq > after + 1)
    throw deleted(stream, after, state.first_seq);
  if (after !== undefined && state.last_seq < after) throw replaced(stream, after, state.last_seq);
  const { jetstream } = connection.client;
  const begin = after ?? start;
  const consumer = await keepTrying(connection, `read the stream ${stream}`, () =>
    connection.stream.consumers.get(stream, {
      ...(subject === undefined ? {} : { filter_subjects: subject }),
      ...startOf(begin, jetstream),
    }),
  );
  const { num_pending } = await keepTrying(connection, `read the stream ${stream}`, () =>
    consumer.info(),
  );
  if (num_pending === 0 && !follow) return;
  const messages = await keepTrying(connection, `read the stream ${stream}`, () =>
    consumer.consume({ max_messages: together, abort_on_missing_resource: true }),
  );
  signal.addEventListener('abort', () => messages.stop(), { once: true });
  for await (const message of messages) {
    if (signal.aborted) return;
    const { seq, data, info } = message;
    const own = messageName(name, seq);
    carryHeaders(own, message);
    yield { bytes: data, cursor: seq, identity: storedAt(message), ack: () => dropHeaders(own) };
    if (!follow && info.pending === 0) return;
  }
}

function notKept(stream: string, retention: string): TagstreamError {
  return new TagstreamError(
    'config',
    `the stream ${stream} deletes its messages (retention ${retention}), so a learner cannot resume`,
    { fix: 'mirror it into a stream with retention limits, and read that one' },
  );
}

function deleted(stream: string, after: number, first: number): TagstreamError {
  return new TagstreamError(
    'checkpoint',
    `the run was at message ${after} of ${stream}, which now begins at ${first}`,
    { fix: 'raise the limits of the stream, and train again without --resume' },
  );
}

function replaced(stream: string, after: number, last: number): TagstreamError {
  return new TagstreamError(
    'checkpoint',
    `the run was at message ${after} of ${stream}, which now ends at ${last}: it was replaced`,
    { fix: 'give the same stream, or train again without --resume' },
  );
}

/**
 * Sends records to a subject, each with an id by which a stream recognizes duplicates. A record is durable when a
 * stream has acknowledged it; until then it is resent, for up to `giveUp` seconds.
 *
 * @throws (rejects with) TagstreamError `config` if no stream takes the subject; `too-large` (from `send`) for a record
 *   that the servers reject
 */
export async function sendResults(
  connection: Connection,
  options: TransportOptions & { readonly subject: string },
): Promise<MessageWriter> {
  const { subject } = options;
  const stream = await streamFor(connection, options);
  const { client } = connection;
  const sendTo = (
    bytes: Uint8Array,
    position: Position | undefined,
    document: Document | undefined,
    subjectFor: (incoming: string | undefined) => string,
  ): Promise<unknown> => {
    const message = position?.source ?? '';
    const headers = client.transport.headers();
    for (const [name, value] of headersOf(message)) headers.append(name, value);
    const to = subjectFor(subjectOfMessage(message));
    const id = position === undefined ? undefined : resultId(position, document);
    const stored = { subject: to, bytes, headers, id, stream };
    try {
      // Before its turn, so that the messages after it continue.
      requireStorable(connection, stored);
    } catch (thrown) {
      return Promise.reject(thrown);
    }
    return inTurn(message, () => storeMessage(connection, stored));
  };
  return {
    send: (bytes, _, record) => {
      const { document } = record;
      return sendTo(bytes, document.delivery?.position, document, incoming =>
        subjectOf(subject, record, incoming),
      );
    },
    sendPiece: (bytes, position) =>
      sendTo(bytes, position, undefined, incoming => subjectOf(subject, undefined, incoming)),
  };
}

/** Returns the stream that stores the results, if one is named; otherwise checks that the subject has a stream. */
async function streamFor(
  connection: Connection,
  options: TransportOptions & { readonly subject: string },
): Promise<string | undefined> {
  const { stream, subject } = options;
  const subjects = [subjectsOf(subject)];
  if (stream !== undefined) {
    await requireStream(connection, { ...options, name: stream, subjects });
    return stream;
  }
  const names = await keepTrying(connection, `find a stream for ${subject}`, () =>
    connection.manager.streams.names(subjects[0]!).next(),
  );
  if (names.length > 0) return undefined;
  throw new TagstreamError('config', `no stream stores the subject ${subject}`, {
    fix: 'create one, or name it in stream and set create: true',
  });
}

/** Matches a placeholder in a subject. */
const placeholder = /\{(label|id|subject)\}/g;

/** Replaces a value that a record lacks in a subject. */
const none = 'none';

/**
 * Returns the subject to which a record is sent: `{label}` is the most frequent label of its spans, or its most
 * frequent tag if tags are not spans (the first if tied, `none` without any), `{id}` its id, `{subject}` that of its
 * message. Characters that are invalid in subjects become `_`.
 *
 * @example
 * const record = { document: { id: 'a.1' }, tokens: ['Oslo'], tags: ['B-LOC'], spans: [{ start: 0, end: 1, label: 'LOC' }] };
 * subjectOf('tagged.{label}.{id}', record, undefined) // => 'tagged.LOC.a_1'
 */
export function subjectOf(
  template: string,
  record: TaggedDocument | undefined,
  incoming: string | undefined,
): string {
  if (!template.includes('{')) return template;
  return template.replace(placeholder, (_, part: string) => {
    if (part === 'subject') return incoming ?? none;
    if (record === undefined) return none;
    const value = part === 'id' ? record.document.id : mostFrequent(labelsOf(record));
    return value === undefined || value === '' ? none : value.replace(/[\s.*>]/g, '_');
  });
}

/** Whether a template uses values of the record. */
export function needsRecord(template: string): boolean {
  return /\{(?:label|id)\}/.test(template);
}

/** Returns the subjects that a template can yield, with a wildcard for each variable part. */
export function subjectsOf(template: string): string {
  return template
    .split('.')
    .map(part => (part.includes('{subject}') ? '>' : part.includes('{') ? '*' : part))
    .join('.')
    .replace(/>.*/, '>');
}

function labelsOf({ spans, tags }: TaggedDocument): readonly string[] {
  return spans === undefined ? tags : spans.map(({ label }) => label);
}

function mostFrequent(labels: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  let best: string | undefined;
  for (const [label, count] of counts) {
    if (best === undefined || count > counts.get(best)!) best = label;
  }
  return best;
}
