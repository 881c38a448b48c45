import type { Connection } from '../connection/open-connection.js';
import { storeMessage } from './store-message.js';

/** Messages in flight at a time. */
const mostInFlight = 1_000;

/** What was stored. */
export interface PutCounts {
  readonly messages: number;
  /** Messages that the stream had already, by their ids. */
  readonly known: number;
}

/**
 * Stores messages in their order under ids, by which a stream knows those again that it has been sent within its
 * duplicate window: what is put once more after a failure is stored once.
 *
 * @throws (rejects with) TagstreamError `connection` after `giveUp` seconds without an answer
 */
export async function putRecords(
  connection: Connection,
  subject: string,
  messages: AsyncIterable<{ readonly bytes: Uint8Array; readonly id: string }>,
): Promise<PutCounts> {
  let stored = 0;
  let known = 0;
  let inFlight: Promise<void>[] = [];
  for await (const { bytes, id } of messages) {
    const put = storeMessage(connection, { subject, bytes, id });
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
