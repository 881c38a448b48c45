import type { JsMsg } from '@nats-io/jetstream';
import type { Connection } from '../connection/open-connection.js';

/** Messages that are asked for at a time. */
const together = 1_000;

/**
 * The messages of a stream in their order, from its beginning to what is its end now.
 *
 * @param headersOnly leaves the bytes of the messages at the servers
 */
export async function* eachStored(
  { stream }: Connection,
  from: { readonly stream: string; readonly subject?: string | undefined },
  { headersOnly = false } = {},
): AsyncGenerator<JsMsg, void, undefined> {
  const consumer = await stream.consumers.get(from.stream, {
    ...(from.subject === undefined ? {} : { filter_subjects: from.subject }),
    headers_only: headersOnly,
  });
  if ((await consumer.info()).num_pending === 0) return;
  for await (const message of await consumer.consume({ max_messages: together })) {
    yield message;
    if (message.info.pending === 0) return;
  }
}
