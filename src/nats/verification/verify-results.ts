import { pastMarks } from '../../formats/lines/line-bytes.js';
import { type ResultPart, resultPartOf } from '../../formats/result-id.js';
import type { Connection } from '../connection/open-connection.js';
import { eachStored } from '../reading/consumers.js';
import { storedAt } from '../reading/messages-in-flight.js';

/** A stream of records, and the stream of their results. */
export interface VerifiedStreams {
  readonly input: { readonly stream: string; readonly subject?: string | undefined };
  readonly output: { readonly stream: string; readonly subject?: string | undefined };
  /** Returns the bytes of a message as they were read for its records, decompressed if needed. */
  unpacked(bytes: Uint8Array): Uint8Array;
  /** Rejected records, which need no result, by message number. */
  readonly rejected: ReadonlyMap<number, readonly RejectedPart[]>;
}

/** A rejected record of a message. */
export interface RejectedPart extends Stretch {
  /** The record's bytes, or their beginning: a message of the same number may have other records. */
  readonly raw: Uint8Array;
}

/** A part of a message that does not have exactly one result. */
export interface Misplaced extends Stretch {
  /** Sequence number of the message in its stream. */
  readonly sequence: number;
}

/** Findings about a stream of results. */
export interface Verification {
  /** Number of messages with records. */
  readonly messages: number;
  /** Number of results for records of these messages. */
  readonly results: number;
  /** Number of rejected records. */
  readonly rejected: number;
  /** Number of results for other streams, or for messages that no longer exist. */
  readonly foreign: number;
  /** Parts of messages without a result. */
  readonly missing: readonly Misplaced[];
  /** Parts with more than one result. */
  readonly doubled: readonly Misplaced[];
}

/**
 * Compares a stream of results with the stream of its records: each record of each message must have exactly one
 * result, matched by the position in the result's id, or be rejected. Reads both streams once, from their beginnings to
 * their current ends.
 *
 * Takes some hundred bytes of memory per result.
 */
export async function verifyResults(
  connection: Connection,
  { input, output, unpacked, rejected }: VerifiedStreams,
): Promise<Verification> {
  const parts = new Map<number, ResultPart[]>();
  let results = 0;
  let foreign = 0;
  for await (const { headers } of eachStored(connection, output, { headersOnly: true })) {
    const id = headers?.get('Nats-Msg-Id');
    const part = id === undefined ? undefined : resultPartOf(id);
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
  for await (const message of eachStored(connection, input)) {
    const { seq: sequence, data } = message;
    messages += 1;
    const bytes = unpacked(data);
    const identity = storedAt(message);
    const all = parts.get(sequence) ?? [];
    const own = all.filter(part => part.identity === identity);
    const lost = (rejected.get(sequence) ?? []).filter(part => beginsWith(bytes, part));
    handled += lost.length;
    foreign += all.length - own.length;
    results -= all.length - own.length;
    const found = coveredBytes(bytes, [...own, ...lost]);
    parts.delete(sequence);
    missing.push(...found.missing.map(stretch => ({ sequence, ...stretch })));
    doubled.push(...found.doubled.map(({ start, end }) => ({ sequence, start, end })));
  }
  for (const left of parts.values()) {
    foreign += left.length;
    results -= left.length;
  }
  return { messages, results, rejected: handled, foreign, missing, doubled };
}

const LF = 10;

/** A range `[start, end)` of a message's bytes. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the nonblank stretches of a message that no result covers, and those covered by more than one result. Cost
 * O(n log n) for n results of the message.
 *
 * @example
 * const bytes = new TextEncoder().encode('{"a": 1}\n{"b": 2}\n');
 * coveredBytes(bytes, [{ start: 0, end: 9 }]) // => ({ missing: [{ start: 9, end: 17 }], doubled: [] })
 */
export function coveredBytes(
  bytes: Uint8Array,
  results: readonly Stretch[],
): { missing: Stretch[]; doubled: Stretch[] } {
  const missing: Stretch[] = [];
  const doubled: Stretch[] = [];
  let at = 0;
  for (const { start, end } of [...results].sort((a, b) => a.start - b.start || a.end - b.end)) {
    if (start < at) doubled.push({ start, end });
    else missing.push(...written(bytes, { start: at, end: start }));
    at = Math.max(at, end);
  }
  missing.push(...written(bytes, { start: at, end: bytes.length }));
  return { missing, doubled };
}

/** Returns whether a message has the bytes of a rejected record at its place. */
function beginsWith(bytes: Uint8Array, { start, raw }: RejectedPart): boolean {
  return Buffer.compare(bytes.subarray(start, start + raw.length), raw) === 0;
}

/**
 * Trims a stretch: removes blanks at its ends, and byte order marks at line beginnings before it, which belong to no
 * record.
 */
function written(bytes: Uint8Array, { start, end }: Stretch): Stretch[] {
  let from = start;
  let to = Math.min(end, bytes.length);
  for (let past = -1; past !== from; ) {
    while (from < to && isBlank(bytes[from]!)) from += 1;
    past = from;
    if (from === 0 || bytes[from - 1] === LF) from = pastMarks(bytes, from, to);
  }
  while (to > from && isBlank(bytes[to - 1]!)) to -= 1;
  return from < to ? [{ start: from, end: to }] : [];
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}
