import type { Msg, MsgHdrs } from '@nats-io/transport-node';
import { keepTrying } from '../connection/keep-trying.js';
import type { Connection } from '../connection/open-connection.js';

/** A message for a stream to store. */
export interface StoredMessage {
  readonly subject: string;
  readonly bytes: Uint8Array;
  readonly headers?: MsgHdrs | undefined;
  /** By which the stream recognizes it within its duplicate window. */
  readonly id?: string | undefined;
  /** The stream that has to store it, where that matters. */
  readonly stream?: string | undefined;
}

/** What a stream answers. */
interface Acknowledgement {
  readonly stream?: string;
  readonly duplicate?: boolean;
  readonly error?: object;
}

/**
 * Sends a message until a stream has acknowledged it, for `giveUp` seconds at most. With an id it is stored once, however
 * often it is sent.
 *
 * The first attempt is a bare request; whatever does not come back as a plain acknowledgement is sent again by the
 * client, whose errors say what is wrong.
 *
 * @returns whether the stream had it already
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

/** What a plain acknowledgement says: whether the stream had the message already. Undefined for any other answer. */
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
