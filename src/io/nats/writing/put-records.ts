import { TagstreamError } from '../../../core/errors.js';
import type { Connection } from '../connection/open-connection.js';
import { requireStorable, storeMessage } from './store-message.js';

/** Messages in flight at a time. */
const mostInFlight = 1_000;

/** What was stored. */
export interface PutCounts {
  readonly messages: number;
  /** Messages that the stream had already, by their ids. */
  readonly known: number;
}

/** A message to store. */
export interface PutMessage {
  readonly subject: string;
  readonly bytes: Uint8Array;
  readonly id: string;
}

/**
 * Stores messages in their order under ids, by which a stream knows those again that it has been sent within its
 * duplicate window: what is put once more after a failure is stored once.
 *
 * @param isOrdered whether a message waits until those of its subject before it are stored: one that is sent again after
 *   a failure comes behind those that were sent after it
 * @throws (rejects with) TagstreamError `connection` after `giveUp` seconds without an answer, `too-large` for what the
 *   servers do not take
 */
export async function putRecords(
  connection: Connection,
  messages: AsyncIterable<PutMessage>,
  { isOrdered = false } = {},
): Promise<PutCounts> {
  let stored = 0;
  let known = 0;
  let inFlight: Promise<void>[] = [];
  const last = new Map<string, Promise<boolean>>();
  for await (const { subject, bytes, id } of messages) {
    try {
      requireStorable(connection, { subject, bytes, id });
    } catch (thrown) {
      throw TagstreamError.from(thrown, 'too-large', { source: id });
    }
    const store = () => storeMessage(connection, { subject, bytes, id });
    const before = isOrdered ? last.get(subject) : undefined;
    const put = before === undefined ? store() : before.then(store);
    if (isOrdered) last.set(subject, put);
    inFlight.push(
      put.then(isKnown => {
        stored += 1;
        if (isKnown) known += 1;
      }),
    );
    if (inFlight.length < mostInFlight) continue;
    await Promise.all(inFlight);
    inFlight = [];
  }
  await Promise.all(inFlight);
  return { messages: stored, known };
}
