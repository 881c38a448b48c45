import type { Msg, MsgHdrs } from '@nats-io/transport-node';
import { type ErrorPlace, TagstreamError } from '../../engine/core/errors.js';
import { keepTrying } from '../connection/keep-trying.js';
import type { Connection } from '../connection/open-connection.js';

/** A message for a stream to store. */
export interface StoredMessage {
  readonly subject: string;
  readonly bytes: Uint8Array;
  readonly headers?: MsgHdrs | undefined;
  /** Id by which the stream recognizes the message within its duplicate window. */
  readonly id?: string | undefined;
  /** Stream that must store the message, if it matters. */
  readonly stream?: string | undefined;
}

/** Maximum number of bytes in a protocol line, by the servers' default: a longer one ends the connection. */
const longestLine = 4_096;

/** Number of bytes in such a line for the answer's inbox and the byte counts. */
const otherInLine = 128;

/** A stream's answer. */
interface Acknowledgement {
  readonly stream?: string;
  readonly duplicate?: boolean;
  readonly error?: object;
}

/**
 * Sends a message until a stream has acknowledged it, for at most `giveUp` seconds. A message with an id is stored
 * once, however often it is sent. The first attempt is a bare request; without a plain acknowledgement, the message is
 * resent through the client, whose errors are specific.
 *
 * @returns whether the stream already had the message
 * @throws (rejects with) TagstreamError `connection`
 */
export function storeMessage(connection: Connection, message: StoredMessage): Promise<boolean> {
  const { subject, bytes, headers = connection.client.transport.headers(), id, stream } = message;
  if (id === undefined) return publish(connection, message);
  headers.append('Nats-Msg-Id', id);
  if (stream !== undefined) headers.append('Nats-Expected-Stream', stream);
  const again = () => publish(connection, message);
  return connection.requests
    .ask({ subject, bytes, headers })
    .then(answer => knownBefore(answer) ?? again(), again);
}

/**
 * Checks a message against the servers' limits: on the total size of headers and bytes, and on its subject, which must
 * fit into one line of the protocol.
 *
 * @throws TagstreamError `too-large`
 */
export function requireStorable(
  { core }: Pick<Connection, 'core'>,
  { subject, bytes, headers, id, stream }: StoredMessage,
): void {
  const inSubject = Buffer.byteLength(subject);
  if (inSubject + otherInLine > longestLine) {
    throw new TagstreamError('too-large', `the subject of a message has ${inSubject} bytes`, {
      fix: `the servers accept ${longestLine - otherInLine}; use shorter ids, or remove {id} and {label} from the subject`,
    });
  }
  const most = core.info?.max_payload ?? Number.POSITIVE_INFINITY;
  const inHeaders = headerBytes({ headers, id, stream });
  if (inHeaders + bytes.length <= most) return;
  throw new TagstreamError(
    'too-large',
    `the message has ${bytes.length} bytes and ${inHeaders} bytes of headers, but the servers accept ${most}`,
    { fix: 'raise max_payload of the servers, or put less text in a record' },
  );
}

/** Returns the size of the headers on the wire: a first line, one line per header, and a blank line. */
function headerBytes({
  headers,
  id,
  stream,
}: Pick<StoredMessage, 'headers' | 'id' | 'stream'>): number {
  const empty = 'NATS/1.0\r\n\r\n'.length;
  let bytes = empty;
  const add = (name: string, value: string) => {
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value) + ': \r\n'.length;
  };
  for (const name of headers?.keys() ?? []) {
    for (const value of headers!.values(name)) add(name, value);
  }
  if (id !== undefined) add('Nats-Msg-Id', id);
  if (stream !== undefined) add('Nats-Expected-Stream', stream);
  return bytes === empty ? 0 : bytes;
}

/**
 * Returns whether the stream already had the message, according to a plain acknowledgement. Undefined for any other
 * answer.
 */
function knownBefore(answer: Msg): boolean | undefined {
  try {
    const { error, stream, duplicate = false } = answer.json<Acknowledgement>();
    return error === undefined && stream !== undefined && stream !== '' ? duplicate : undefined;
  } catch {
    return undefined;
  }
}

async function publish(
  connection: Connection,
  { subject, bytes, headers, id, stream }: StoredMessage,
): Promise<boolean> {
  const { duplicate } = await keepTrying(connection, `send to ${subject}`, () =>
    connection.stream.publish(subject, bytes, {
      ...(headers === undefined ? {} : { headers }),
      ...(id === undefined ? {} : { msgID: id }),
      ...(stream === undefined ? {} : { expect: { streamName: stream } }),
    }),
  );
  return duplicate;
}

/** Maximum number of messages in flight. */
const mostInFlight = 1_000;

/** Counts of stored messages. */
interface PutCounts {
  readonly messages: number;
  /** Number of messages that the stream already had, by their ids. */
  readonly known: number;
}

/** A message to store. */
export interface PutMessage {
  readonly subject: string;
  readonly bytes: Uint8Array;
  readonly id: string;
  /** Where the message comes from, for errors. */
  readonly place: ErrorPlace;
}

/**
 * Stores messages in order under ids, by which a stream recognizes duplicates within its duplicate window: a message
 * resent after a failure is stored once.
 *
 * @param isOrdered whether a message waits until earlier messages of its subject are stored; otherwise a message
 *   resent after a failure may follow later ones
 * @throws (rejects with) TagstreamError `connection` after `giveUp` seconds without an answer, `too-large` for a
 *   message that the servers reject
 */
export async function putRecords(
  connection: Connection,
  messages: AsyncIterable<PutMessage>,
  { isOrdered = false } = {},
): Promise<PutCounts> {
  let stored = 0;
  let known = 0;
  const failures: unknown[] = [];
  const inFlight = new Set<Promise<void>>();
  const last = new Map<string, Promise<boolean>>();
  const begin = ({ subject, bytes, id }: PutMessage) => {
    const store = () => storeMessage(connection, { subject, bytes, id });
    const before = isOrdered ? last.get(subject) : undefined;
    const put = before === undefined ? store() : before.then(store);
    if (isOrdered) last.set(subject, put);
    const done = put
      .then(isKnown => {
        stored += 1;
        if (isKnown) known += 1;
      })
      .catch((error: unknown) => {
        failures.push(error);
      })
      .finally(() => inFlight.delete(done));
    inFlight.add(done);
  };
  try {
    for await (const message of messages) {
      const { subject, bytes, id, place } = message;
      try {
        requireStorable(connection, { subject, bytes, id });
      } catch (thrown) {
        throw TagstreamError.from(thrown, 'too-large', place);
      }
      begin(message);
      if (inFlight.size >= mostInFlight) await Promise.all(inFlight);
      if (failures.length > 0) break;
    }
  } finally {
    // Every message sent must be stored, or known not to be, before the connection is closed.
    await Promise.all(inFlight);
  }
  if (failures.length > 0) throw failures[0];
  return { messages: stored, known };
}
