import { TagstreamError } from '../../../core/errors.js';
import type { Message, MessageRequest } from '../../../plugins/messages.js';
import { carryHeaders, dropHeaders, messageName } from '../carried-headers.js';
import { keepTrying } from '../connection/keep-trying.js';
import type { Connection } from '../connection/open-connection.js';
import { requireStream } from '../connection/require-stream.js';
import type { TransportOptions } from '../transport-options.js';
import { subjectRead } from './partitions.js';
import { startOf } from './require-consumer.js';

/** Messages that are asked for at a time. */
const together = 256;

/**
 * The messages of a stream in their order, each once, from where a checkpoint stands: the stream's sequence number is
 * its cursor. The servers keep nothing of this run, and nothing is acknowledged.
 *
 * @throws (rejects with) TagstreamError `checkpoint` if messages after the cursor have been deleted meanwhile; `config`
 *   for a stream that deletes what is acknowledged
 */
export async function* readInOrder(
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
    yield { bytes: data, cursor: seq, ack: () => dropHeaders(own) };
    if (!follow && info.pending === 0) return;
  }
}

function notKept(stream: string, retention: string): TagstreamError {
  return new TagstreamError(
    'config',
    `the stream ${stream} deletes its messages (retention ${retention}), so that a learner cannot resume`,
    { fix: 'let a stream of retention limits be its mirror, and read that one' },
  );
}

function deleted(stream: string, after: number, first: number): TagstreamError {
  return new TagstreamError(
    'checkpoint',
    `the run was at message ${after} of ${stream}, whose first one is ${first} now`,
    { fix: 'raise the limits of the stream, and train anew without --resume' },
  );
}
