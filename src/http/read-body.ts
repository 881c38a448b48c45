import { isUint8Array } from 'node:util/types';
import { TagstreamError } from '../core/errors.js';
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

/**
 * Reads the body of a request, up to `most` bytes.
 *
 * @param onChunk called with the bytes of each part of a body of unknown length
 * @throws (rejects with) Problem 413, 400 for a body in thousands of tiny chunks, that was read before or is not of bytes, and
 *   errors of reading
 */
export async function readBody(
  request: Request,
  most: number,
  onChunk: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  if (saidLength(request, most) !== undefined) {
    const bytes = new Uint8Array(await wholeBody(request));
    if (bytes.length > most) throw tooLong(bytes.length, most);
    return bytes;
  }
  requireUnread(request);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const given of (request.body ?? []) as AsyncIterable<unknown>) {
    const chunk = bytesOf(given);
    length += chunk.length;
    if (length > most) throw tooLong(length, most);
    if (chunks.length > chunksFree + length / bytesOfChunk) throw tooManyChunks(chunks.length);
    onChunk(chunk.length);
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
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
