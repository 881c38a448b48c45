import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as later } from 'node:timers/promises';
import { afterAll } from 'vitest';

/** A file as a server gives it, with what goes wrong on the way. */
export interface ServedFile {
  body: Buffer;
  etag?: string;
  /** Whether parts can be asked for; yes by default. */
  ranges?: boolean;
  /** Bytes after which the connection breaks, for the next requests one after the other. */
  breaks?: number[];
  /** File of the client that has to have those bytes before the connection breaks. */
  part?: string;
  /** Answers before the file, for the next requests one after the other. */
  statuses?: number[];
  redirect?: string;
  /** Sends this many bytes, and then nothing more. */
  silentAfter?: number;
  /** Bytes of a chunk, with a turn of the event loop between two. */
  chunk?: number;
  /** Says nothing of its length. */
  unsized?: boolean;
}

export interface FileServer {
  readonly url: string;
  readonly files: Map<string, ServedFile>;
  /** What was asked for: path and range. */
  readonly requests: string[];
}

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A server on this machine, closed after the tests of the file. */
export async function fileServer(): Promise<FileServer> {
  const files = new Map<string, ServedFile>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push([request.url, request.headers.range].filter(Boolean).join(' '));
    void answer(files.get(request.url!), request, response);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, files, requests };
}

async function answer(
  file: ServedFile | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const status = file?.statuses?.shift();
  if (file === undefined || status !== undefined) {
    response.writeHead(status ?? 404).end('no');
    return;
  }
  if (file.redirect !== undefined) {
    response.writeHead(302, { location: file.redirect }).end();
    return;
  }
  const { body, etag, ranges = true } = file;
  const asked = /^bytes=(\d+)-$/.exec(request.headers.range ?? '');
  const fresh = request.headers['if-range'] === undefined || request.headers['if-range'] === etag;
  const start = asked !== null && ranges && fresh ? Number(asked[1]) : 0;
  if (etag !== undefined) response.setHeader('etag', etag);
  if (start > 0 && start >= body.length) {
    response.writeHead(416, { 'content-range': `bytes */${body.length}` }).end();
    return;
  }
  const part = body.subarray(start);
  if (file.unsized !== true) response.setHeader('content-length', part.length);
  if (start > 0) {
    const range = `bytes ${start}-${body.length - 1}/${body.length}`;
    response.writeHead(206, { 'content-range': range });
  } else response.writeHead(200);
  const stop = file.breaks?.shift();
  const end = stop ?? file.silentAfter ?? part.length;
  const step = file.chunk ?? 65_536;
  for (let at = 0; at < Math.min(end, part.length); at += step) {
    response.write(part.subarray(at, Math.min(at + step, end)));
    await new Promise(resolve => setImmediate(resolve));
  }
  if (stop !== undefined) {
    // What the client has not read when the connection breaks is lost.
    await arrived(file.part, start + stop);
    response.destroy();
  } else if (file.silentAfter === undefined) response.end();
}

async function arrived(part: string | undefined, bytes: number): Promise<void> {
  if (part === undefined) throw new Error('name the part of the client');
  while ((statSync(part, { throwIfNoEntry: false })?.size ?? 0) < bytes) await later(2);
}
