import type { Position } from '../../../core/delivery/delivery.js';
import { TagstreamError } from '../../../core/errors.js';
import type { MessageWriter } from '../../../plugins/messages.js';
import { headersOf, inTurn, subjectOfMessage } from '../carried-headers.js';
import { keepTrying } from '../connection/keep-trying.js';
import type { Connection } from '../connection/open-connection.js';
import { requireStream } from '../connection/require-stream.js';
import type { TransportOptions } from '../transport-options.js';
import { resultId } from './result-id.js';
import { storeMessage } from './store-message.js';
import { subjectOf, subjectsOf } from './subject-of.js';

/** Bytes of headers that are allowed for beside those of a message itself. */
const headerBytes = 4_096;

/**
 * Sends records to a subject, each with an id by which a stream recognizes one that was sent before. A record is durable
 * when a stream has acknowledged it; until then it is sent again and again, for `giveUp` seconds at most.
 *
 * @throws (rejects with) TagstreamError `config` if no stream takes the subject; `too-large` (from `send`) for a record
 *   that the servers do not take
 */
export async function sendResults(
  connection: Connection,
  options: TransportOptions & { readonly subject: string },
): Promise<MessageWriter> {
  const { subject } = options;
  const stream = await streamFor(connection, options);
  const { core, client } = connection;
  const sendTo = (
    bytes: Uint8Array,
    position: Position | undefined,
    subjectFor: (incoming: string | undefined) => string,
  ): Promise<unknown> => {
    const message = position?.source ?? '';
    const carried = headersOf(message);
    const size = carried.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    const most = core.info?.max_payload ?? Number.POSITIVE_INFINITY;
    if (bytes.length + size + headerBytes > most) {
      return Promise.reject(tooLarge(bytes.length, most));
    }
    const headers = client.transport.headers();
    for (const [name, value] of carried) headers.append(name, value);
    const to = subjectFor(subjectOfMessage(message));
    const id = position === undefined ? undefined : resultId(position);
    return inTurn(message, () =>
      storeMessage(connection, { subject: to, bytes, headers, id, stream }),
    );
  };
  return {
    send: (bytes, _, record) =>
      sendTo(bytes, record.document.delivery?.position, incoming =>
        subjectOf(subject, record, incoming),
      ),
    sendPiece: (bytes, position) =>
      sendTo(bytes, position, incoming => subjectOf(subject, undefined, incoming)),
  };
}

/** The stream that stores the results, where one is named; otherwise there has to be one for the subject. */
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
    fix: 'create one that does, or give its name as stream and create: true',
  });
}

function tooLarge(bytes: number, most: number): TagstreamError {
  return new TagstreamError(
    'too-large',
    `the result has ${bytes} bytes, and the servers take ${most} a message`,
    { fix: 'raise max_payload of the servers, or put less text into a record' },
  );
}
