import type { Connection } from '../connection/open-connection.js';
import { eachStored } from '../reading/each-stored.js';
import { partOf } from '../writing/result-id.js';
import { coveredBytes, type Stretch } from './covered-bytes.js';

/** Two streams: that of the records, and that of their results. */
export interface VerifiedStreams {
  readonly input: { readonly stream: string; readonly subject?: string | undefined };
  readonly output: { readonly stream: string; readonly subject?: string | undefined };
  /** Bytes of a message as its records were read: unpacked where it is compressed. */
  unpacked(bytes: Uint8Array): Uint8Array;
  /** Records that were rejected, by the number of their message; they need no result. */
  readonly rejected: ReadonlyMap<number, readonly Stretch[]>;
}

/** A part of a message that is not there once. */
export interface Misplaced extends Stretch {
  /** The number of the message in its stream. */
  readonly sequence: number;
}

/** What a stream of results holds. */
export interface Verification {
  /** Messages with records. */
  readonly messages: number;
  /** Results of records of these messages. */
  readonly results: number;
  /** Records among the rejected ones. */
  readonly rejected: number;
  /** Results that are of other streams, or of messages that are not there any more. */
  readonly foreign: number;
  /** Parts of messages without a result. */
  readonly missing: readonly Misplaced[];
  /** Results that are there more than once. */
  readonly doubled: readonly Misplaced[];
}

/**
 * Compares a stream of results with the stream of its records: each record of each message has to have one result, by the
 * place in the id of the result, or to be among the rejected ones. Both streams are read once, from their beginnings to
 * what are their ends now.
 *
 * Costs some hundred bytes of memory a result.
 */
export async function verifyResults(
  connection: Connection,
  { input, output, unpacked, rejected }: VerifiedStreams,
): Promise<Verification> {
  const parts = new Map<number, Stretch[]>();
  let results = 0;
  let foreign = 0;
  for await (const { headers } of eachStored(connection, output, { headersOnly: true })) {
    const id = headers?.get('Nats-Msg-Id');
    const part = id === undefined ? undefined : partOf(id);
    if (part === undefined || part.stream !== input.stream) {
      foreign += 1;
      continue;
    }
    results += 1;
    const known = parts.get(part.sequence);
    if (known === undefined) parts.set(part.sequence, [part]);
    else known.push(part);
  }
  let messages = 0;
  let handled = 0;
  const missing: Misplaced[] = [];
  const doubled: Misplaced[] = [];
  for await (const { seq: sequence, data } of eachStored(connection, input)) {
    messages += 1;
    const lost = rejected.get(sequence) ?? [];
    handled += lost.length;
    const found = coveredBytes(unpacked(data), [...(parts.get(sequence) ?? []), ...lost]);
    parts.delete(sequence);
    missing.push(...found.missing.map(stretch => ({ sequence, ...stretch })));
    doubled.push(...found.doubled.map(({ start, end }) => ({ sequence, start, end })));
  }
  for (const left of parts.values()) foreign += left.length;
  return { messages, results, rejected: handled, foreign, missing, doubled };
}
