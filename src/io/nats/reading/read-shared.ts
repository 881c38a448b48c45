import type { Consumer, JsMsg } from '@nats-io/jetstream';
import { TagstreamError } from '../../../core/errors.js';
import type { Message, MessageRequest } from '../../../plugins/messages.js';
import { carryHeaders, dropHeaders, messageName } from '../carried-headers.js';
import { keepTrying } from '../connection/keep-trying.js';
import type { Connection } from '../connection/open-connection.js';
import type { Requests } from '../connection/requests.js';
import { requireStream } from '../connection/require-stream.js';
import type { TransportOptions } from '../transport-options.js';
import { MessageBuffer } from './message-buffer.js';
import type { MessagesInFlight } from './messages-in-flight.js';
import { requireConsumer } from './require-consumer.js';

/** Messages that wait in this process at most: more would be kept from other runs. */
const mostWaiting = 256;

/** Milliseconds that a request for messages stands. */
const standing = 5_000;

/** The same where the run ends at the end of the stream. */
const atTheEnd = 1_000;

/** Milliseconds for messages to arrive that were sent before the run was stopped: they are given back. */
const arriving = 200;

/** A run's part in the work of a durable consumer. */
interface Share {
  readonly connection: Connection;
  readonly options: TransportOptions & { readonly stream: string; readonly consumer: string };
  readonly inFlight: MessagesInFlight;
  readonly signal: AbortSignal;
}

/**
 * The messages of a durable consumer, whose work all runs that name it share. A message is acknowledged when all that
 * comes of it is durable; the servers give it to another run if this one dies. One that has been tried too often is
 * rejected and does not come again.
 *
 * @param name of the transport, for positions
 */
export async function* readShared(
  connection: Connection,
  options: Share['options'],
  inFlight: MessagesInFlight,
  { budget, signal }: MessageRequest,
  name: string,
): AsyncGenerator<Message, void, undefined> {
  const { stream, consumer, deliveries } = options;
  const { requests } = connection;
  const subjects = options.subject === undefined ? [stream] : [options.subject];
  await requireStream(connection, { ...options, name: stream, subjects });
  await requireConsumer(connection, options, budget);
  const source = await keepTrying(connection, `find the consumer ${consumer}`, () =>
    connection.stream.consumers.get(stream, consumer),
  );
  const buffer = new MessageBuffer<JsMsg>();
  collect(source, buffer, { connection, options, inFlight, signal }).then(
    () => buffer.end(),
    (failure: unknown) => buffer.end(failure),
  );
  for (;;) {
    const message = await buffer.take();
    if (message === undefined) return;
    if (signal.aborted) inFlight.giveBack(message);
    else yield messageOf(message, inFlight, { deliveries, name, requests });
  }
}

/** Asks for messages as long as there is room; what arrives is in flight at once, and reported so. */
async function collect(
  source: Consumer,
  buffer: MessageBuffer<JsMsg>,
  { connection, options, inFlight, signal }: Share,
): Promise<void> {
  const { consumer, follow } = options;
  const expires = follow ? standing : atTheEnd;
  let stop = () => {};
  signal.addEventListener('abort', () => stop(), { once: true });
  for (;;) {
    await buffer.atMost(mostWaiting / 2);
    if (signal.aborted) return;
    const request = { max_messages: mostWaiting - buffer.size, expires };
    const messages = await keepTrying(connection, `read the consumer ${consumer}`, () =>
      source.fetch(request),
    );
    stop = () => void setTimeout(() => messages.stop(), arriving);
    let received = 0;
    try {
      for await (const message of messages) {
        received += 1;
        if (inFlight.add(message)) buffer.put(message);
      }
    } catch {
      // A request ends with the server that it stands at: the next one says what is wrong, if anything is.
    }
    if (signal.aborted) return;
    if (received > 0) continue;
    // It also finds out whether the consumer is still there.
    const atEnd = await isAtEnd(connection, source, inFlight);
    if (!follow && atEnd) return;
  }
}

/** What is the same of each message. */
interface Reading {
  readonly deliveries: number;
  readonly name: string;
  readonly requests: Requests;
}

function messageOf(
  message: JsMsg,
  inFlight: MessagesInFlight,
  { deliveries, name, requests }: Reading,
): Message {
  const { seq, data, info } = message;
  const own = messageName(name, seq);
  carryHeaders(own, message);
  const tried = info.deliveryCount - 1;
  const rejected = tried < deliveries ? undefined : triedTooOften(tried);
  const ack = () => {
    dropHeaders(own);
    inFlight.settle(seq, rejected === undefined ? 'handled' : 'rejected', requests);
  };
  return { bytes: data, cursor: seq, ack, rejected };
}

/** Whether nothing is left of the stream but what this run has in flight. */
async function isAtEnd(
  connection: Connection,
  source: Consumer,
  inFlight: MessagesInFlight,
): Promise<boolean> {
  const { num_pending, num_ack_pending } = await keepTrying(
    connection,
    'look at the consumer',
    () => source.info(),
  );
  return num_pending === 0 && num_ack_pending <= inFlight.size;
}

function triedTooOften(tried: number): TagstreamError {
  return new TagstreamError('quarantined', `the message was tried ${tried} times without an end`, {
    fix: 'keep the record with --dead-letter, and report it; deliveries sets how often it is tried',
  });
}
