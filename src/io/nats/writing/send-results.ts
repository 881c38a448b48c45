import type { Position } from '../../../core/delivery/delivery.js';
import { TagstreamError } from '../../../core/errors.js';
import type { MessageWriter } from '../../../plugins/messages.js';
import { headersOf, inTurn, subjectOfMessage } from '../carried-headers.js';
import { keepTrying } from '../connection/keep-trying.js';
import type { Connection } from '../connection/open-connection.js';
import { requireStream } from '../connection/require-stream.js';
import type { TransportOptions } from '../transport-options.js';
import { resultId } from './result-id.js';
import { requireStorable, storeMessage } from './store-message.js';
import { subjectOf, subjectsOf } from './subject-of.js';

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
  const { client } = connection;
  const sendTo = (
    bytes: Uint8Array,
    position: Position | undefined,
    subjectFor: (incoming: string | undefined) => string,
  ): Promise<unknown> => {
    const message = position?.source ?? '';
    const headers = client.transport.headers();
    for (const [name, value] of headersOf(message)) headers.append(name, value);
    const to = subjectFor(subjectOfMessage(message));
    const id = position === undefined ? undefined : resultId(position);
    const stored = { subject: to, bytes, headers, id, stream };
    try {
      // Before its turn: those after it go on.
      requireStorable(connection, stored);
    } catch (thrown) {
      return Promise.reject(thrown);
    }
    return inTurn(message, () => storeMessage(connection, stored));
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
