import { isUint8Array } from 'node:util/types';
import { TagstreamError } from '../../engine/core/errors.js';
import { Problem } from './problem.js';

/**
 * Returns the declared body length of a request; undefined if there is none.
 *
 * @throws Problem 400 for an invalid length, 413 for more than `most` bytes
 */
export function saidLength(request: Request, most: number): number | undefined {
  const said = request.headers.get('content-length');
  if (said === null) return undefined;
  if (!/^\d{1,15}$/.test(said)) {
    throw new Problem(new TagstreamError('usage', 'Content-Length is not a number'));
  }
  const length = Number(said);
  if (length > most) throw tooLong(length, most);
  return length;
}

/**
 * Returns a chunk of a body.
 *
 * @throws TagstreamError `usage` for anything else than bytes, which a body of your own making may contain
 */
export function bytesOf(chunk: unknown): Uint8Array {
  if (isUint8Array(chunk)) return chunk;
  throw unreadable(`a chunk is a ${typeof chunk} instead of bytes`);
}

/**
 * Requires that nothing has read the body of a request.
 *
 * @throws TagstreamError `usage`
 */
export function requireUnread({ bodyUsed, body }: Pick<Request, 'bodyUsed' | 'body'>): void {
  if (bodyUsed || body?.locked === true) throw unreadable('it was read before');
}

/** Number of chunks allowed for a body, plus one per `bytesOfChunk`: reading a chunk costs as much as reading 1 kB. */
const chunksFree = 1000;
const bytesOfChunk = 64;

/** Maximum announced length of a body that is read at once: until it has arrived, none of it counts as received. */
const smallBody = 16_384;

/** Initial room for the body of a request. */
const firstRoom = 65_536;

/**
 * Reads the body of a request, up to `most` bytes.
 *
 * @param onBytes called with the number of bytes that have arrived, of a small body when all have
 * @throws (rejects with) Problem 413, 400 for a body in thousands of tiny chunks, that was read before or is not of bytes,
 *   errors of reading, and what `onBytes` throws
 */
export async function readBody(
  request: Request,
  most: number,
  onBytes: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const length = saidLength(request, most);
  if (length !== undefined && length <= smallBody) {
    const bytes = new Uint8Array(await wholeBody(request));
    if (bytes.length > most) throw tooLong(bytes.length, most);
    onBytes(bytes.length);
    return bytes;
  }
  requireUnread(request);
  let bytes = new Uint8Array(firstRoom);
  let size = 0;
  let chunks = 0;
  for await (const given of (request.body ?? []) as AsyncIterable<unknown>) {
    const chunk = bytesOf(given);
    const end = size + chunk.length;
    chunks += 1;
    if (end > most) throw tooLong(end, most);
    if (length === undefined && chunks > chunksFree + end / bytesOfChunk) {
      throw tooManyChunks(chunks);
    }
    onBytes(chunk.length);
    if (end > bytes.length) {
      const larger = new Uint8Array(Math.max(end, Math.min(2 * bytes.length, length ?? most)));
      larger.set(bytes.subarray(0, size));
      bytes = larger;
    }
    bytes.set(chunk, size);
    size = end;
  }
  return size === bytes.length ? bytes : bytes.slice(0, size);
}

/**
 * Returns the milliseconds within which a body must arrive, or more of it: a time for the first bytes, and the time that
 * those received and announced small ones take at the least rate of sending.
 *
 * @param rate bytes per second
 * @example
 * dueOfBody({ received: 5000, announced: undefined, grace: 10_000, rate: 1000 }) // => 15_000
 */
export function dueOfBody({
  received,
  announced,
  grace,
  rate,
}: {
  readonly received: number;
  readonly announced: number | undefined;
  readonly grace: number;
  readonly rate: number;
}): number {
  const counted = announced !== undefined && announced <= smallBody ? announced : received;
  return grace + (1000 * counted) / rate;
}

async function wholeBody(request: Request): Promise<ArrayBuffer> {
  try {
    return await request.arrayBuffer();
  } catch (thrown) {
    // A TypeError is about the body itself; all others are about the connection.
    if (thrown instanceof TypeError) throw unreadable(thrown.message);
    throw thrown;
  }
}

function unreadable(why: string): TagstreamError {
  return new TagstreamError('usage', `the body cannot be read: ${why}`, {
    fix: 'pass a request whose body is unread and made of bytes: send copies elsewhere with request.clone(), and texts through a TextEncoderStream',
  });
}

function tooManyChunks(count: number): Problem {
  return new Problem(
    new TagstreamError('usage', `the body has ${count} chunks of a few bytes`, {
      fix: 'send it with Content-Length, or in larger chunks',
    }),
    { headers: { Connection: 'close' } },
  );
}

function tooLong(length: number, most: number): Problem {
  return new Problem(
    new TagstreamError('too-long', `the body has at least ${length} bytes`, {
      fix: `the limit is ${most}; send smaller requests, or stream NDJSON`,
    }),
    { headers: { Connection: 'close' } },
  );
}
