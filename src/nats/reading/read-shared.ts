import type { Consumer, JsMsg } from '@nats-io/jetstream';
import { TagstreamError } from '../../engine/core/errors.js';
import type { Message, MessageRequest } from '../../engine/interfaces/messages.js';
import { keepTrying } from '../connection/keep-trying.js';
import { type Connection, requireStream } from '../connection/open-connection.js';
import type { Requests } from '../connection/requests.js';
import type { TransportOptions } from '../transport-options.js';
import { type Partition, partitionsOf, requireConsumer, subjectRead } from './consumers.js';
import { MessageBuffer } from './message-buffer.js';
import {
  carryHeaders,
  dropHeaders,
  type MessagesInFlight,
  messageName,
  storedAt,
} from './messages-in-flight.js';

/** Maximum number of messages that wait in this process: more would be withheld from other runs. */
const mostWaiting = 256;

/** Milliseconds until a request for messages expires. */
const standing = 5_000;

/** Milliseconds until a request for messages expires if the run ends at the end of the stream. */
const atTheEnd = 1_000;

/** Milliseconds after its expiry until an unanswered request is abandoned. */
const overdue = 2_000;

/** Milliseconds to wait, when the run is stopped, for messages already sent, which are then returned to the servers. */
const arriving = 200;

/** A run's share of the work of a durable consumer. */
interface Share {
  readonly connection: Connection;
  readonly options: TransportOptions & { readonly stream: string; readonly consumer: string };
  readonly inFlight: MessagesInFlight;
  readonly signal: AbortSignal;
  /** Functions that end open requests when the run is stopped. */
  readonly stops: Set<() => void>;
}

/**
 * Yields the messages of a durable consumer, whose work is shared by all runs that name it. A message is acknowledged
 * when all its results are durable; the servers give it to another run if this one dies. A message that has been tried
 * too often is rejected and not redelivered.
 *
 * Each partition is a consumer that delivers one message at a time, to any of the runs. So the run that has a message
 * knows that all results of earlier messages are stored, and need only store its own in order. No other order can
 * arise, even if a paused run wakes and stores results again, under the same ids.
 *
 * @param name of the transport, for positions
 */
export async function* readShared(
  connection: Connection,
  options: Share['options'],
  inFlight: MessagesInFlight,
  { budget, signal }: MessageRequest,
  name: string,
): AsyncGenerator<readonly Message[], void, undefined> {
  const { stream, deliveries } = options;
  const { requests } = connection;
  await requireStream(connection, {
    ...{ ...options, name: stream, subjects: [subjectRead(options) ?? stream] },
  });
  if (options.partition !== undefined) await requirePartitions(connection, options);
  const isOrdered = options.partition !== undefined;
  const buffer = new MessageBuffer<JsMsg>();
  const stops = new Set<() => void>();
  const share = { connection, options, inFlight, signal, stops };
  const stopAll = () => {
    for (const stop of stops) stop();
  };
  signal.addEventListener('abort', () => setTimeout(stopAll, arriving), { once: true });
  const collected = partitionsOf(options).map(async partition => {
    const source = await consumerOf(partition, share, budget);
    await collect(source, buffer, { ...share, ...partition });
  });
  Promise.all(collected).then(
    () => buffer.end(),
    (failure: unknown) => buffer.end(failure),
  );
  const reading = { deliveries, name, requests, isOrdered };
  for (;;) {
    const messages = await buffer.take();
    if (messages.length === 0) return;
    if (signal.aborted) for (const message of messages) inFlight.giveBack(message);
    else yield messages.map(message => messageOf(message, inFlight, reading));
  }
}

async function consumerOf(
  { consumer, subject }: Partition,
  { connection, options }: Share,
  budget: number | undefined,
): Promise<Consumer> {
  await requireConsumer(connection, { ...options, consumer, subject }, budget);
  return keepTrying(connection, `find the consumer ${consumer}`, () =>
    connection.stream.consumers.get(options.stream, consumer),
  );
}

/** Requests messages as long as there is room; arriving messages are in flight, and reported as such, immediately. */
async function collect(
  source: Consumer,
  buffer: MessageBuffer<JsMsg>,
  { connection, options, inFlight, signal, stops, consumer }: Share & Partition,
): Promise<void> {
  const { follow } = options;
  const expires = follow ? standing : atTheEnd;
  for (;;) {
    await buffer.atMost(mostWaiting / 2);
    if (signal.aborted) return;
    const waiting = follow ? undefined : inFlight.waitingOf(consumer);
    if (waiting === 0) {
      // These were the last messages: when they are done, nothing is left, unless another run has some.
      await inFlight.rests(consumer, expires);
      if (await isAtEnd(connection, source, inFlight.sizeOf(consumer))) return;
    }
    const room = mostWaiting - buffer.size;
    // A request for more messages than are available stays open until it expires.
    const request = { max_messages: waiting ? Math.min(room, waiting) : room, expires };
    const messages = await keepTrying(connection, `read the consumer ${consumer}`, () =>
      source.fetch(request),
    );
    const stop = () => messages.stop();
    stops.add(stop);
    // If no server ends the request, the client does so by the clock, which may have been set back.
    const late = setTimeout(stop, expires + overdue);
    let received = 0;
    try {
      for await (const message of messages) {
        received += 1;
        if (inFlight.add(message)) buffer.put(message);
      }
    } catch {
      // A request ends with its server: the next request reports any persistent fault.
    }
    clearTimeout(late);
    stops.delete(stop);
    if (signal.aborted) return;
    if (received > 0) continue;
    // This also detects whether the consumer still exists.
    const atEnd = await isAtEnd(connection, source, inFlight.sizeOf(consumer));
    if (!follow && atEnd) return;
  }
}

/** Settings shared by all messages. */
interface Reading {
  readonly deliveries: number;
  readonly name: string;
  readonly requests: Requests;
  /** Whether the results of a message are stored in order. */
  readonly isOrdered: boolean;
}

function messageOf(
  message: JsMsg,
  inFlight: MessagesInFlight,
  { deliveries, name, requests, isOrdered }: Reading,
): Message {
  const { seq, data, info } = message;
  const own = messageName(name, seq);
  carryHeaders(own, message, isOrdered);
  const tried = info.deliveryCount - 1;
  const rejected = tried < deliveries ? undefined : triedTooOften(tried);
  const ack = () => {
    dropHeaders(own);
    inFlight.settle(seq, rejected === undefined ? 'handled' : 'rejected', requests);
  };
  const identity = storedAt(message);
  return { bytes: data, cursor: seq, identity, ack, rejected, ordered: isOrdered };
}

/** Returns whether a consumer has no messages left except those in flight in this run. */
async function isAtEnd(
  connection: Connection,
  source: Consumer,
  inFlight: number,
): Promise<boolean> {
  const { num_pending, num_ack_pending } = await keepTrying(
    connection,
    'look at the consumer',
    () => source.info(),
  );
  return num_pending === 0 && num_ack_pending <= inFlight;
}

function triedTooOften(tried: number): TagstreamError {
  return new TagstreamError(
    'quarantined',
    `the message was tried ${tried} times and never finished`,
    {
      fix: 'keep the record with --dead-letter and report it; deliveries limits the attempts',
    },
  );
}

/** Maximum number of subjects named in an error. */
const named = 3;

/**
 * Checks that every message is read by some partition.
 *
 * @throws (rejects with) TagstreamError `config` if the stream has messages that no partition would read
 */
async function requirePartitions(
  { manager, ...connection }: Connection,
  options: TransportOptions & { readonly stream: string },
): Promise<void> {
  const { stream, partitions } = options;
  const filter = subjectRead(options)!;
  const { state } = await keepTrying(connection, `look at the subjects of ${stream}`, () =>
    manager.streams.info(stream, { subjects_filter: filter.replace(/\*$/, '>') }),
  );
  const known = new Set(
    Array.from({ length: partitions }, (_, i) => filter.replace(/\*$/, String(i))),
  );
  const others = Object.keys(state.subjects ?? {}).filter(subject => !known.has(subject));
  if (others.length === 0) return;
  const list = others.slice(0, named).join(', ');
  throw new TagstreamError(
    'config',
    `${stream} has messages of ${others.length === 1 ? 'a subject' : `${others.length} subjects`} that no partition reads: ${list}`,
    {
      fix: `set partitions to the number that the sender used (now ${partitions}), or store them under ${filter.replace(/\*$/, '')}0 to ${filter.replace(/\*$/, '')}${partitions - 1}`,
    },
  );
}
