import type { MsgHdrs } from '@nats-io/transport-node';
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
export async function storeMessage(
  connection: Connection,
  message: StoredMessage,
): Promise<boolean> {
  const known = await acknowledged(connection, message);
  if (known !== undefined) return known;
  const { subject, bytes, headers, id, stream } = message;
  const { duplicate } = await keepTrying(connection, `send to ${subject}`, () =>
    connection.stream.publish(subject, bytes, {
      ...(headers === undefined ? {} : { headers }),
      ...(id === undefined ? {} : { msgID: id }),
      ...(stream === undefined ? {} : { expect: { streamName: stream } }),
    }),
  );
  return duplicate;
}

/** Whether the stream had it already; undefined where it is not sure to be stored. */
async function acknowledged(
  { client, requests }: Connection,
  { subject, bytes, headers = client.transport.headers(), id, stream }: StoredMessage,
): Promise<boolean | undefined> {
  if (id === undefined) return undefined;
  headers.set('Nats-Msg-Id', id);
  if (stream !== undefined) headers.set('Nats-Expected-Stream', stream);
  try {
    const answer = await requests.ask({ subject, bytes, headers });
    const { error, stream: by, duplicate = false } = answer.json<Acknowledgement>();
    return error === undefined && by !== undefined && by !== '' ? duplicate : undefined;
  } catch {
    return undefined;
  }
}
