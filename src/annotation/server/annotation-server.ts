import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { TagstreamError } from '../../core/errors.js';
import type { AnnotationSession } from '../session/session.js';
import { routes, type ServedOptions } from './routes.js';

/** Where and how a session is served. */
export interface AnnotationPlace extends Pick<ServedOptions, 'guidelines' | 'saveModel'> {
  /** 0 for any that is free. */
  readonly port: number;
  /** Default 127.0.0.1, which only this machine reaches. */
  readonly host?: string | undefined;
  /** Needed for every other address. */
  readonly token?: string | undefined;
}

const thisMachine = new Set(['127.0.0.1', '::1', 'localhost']);

/** Milliseconds within which a request has to be there, and that a person may think without having to connect anew. */
const patience = { headersTimeout: 10_000, requestTimeout: 60_000, keepAliveTimeout: 600_000 };

/** Serves the page of a session over HTTP, to this machine alone unless a token is given. */
export class AnnotationServer {
  /** With the token, where there is one. */
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  /** @throws (rejects with) TagstreamError `usage` for another address without a token, or if it cannot listen there */
  static async start(
    session: AnnotationSession,
    { port, host = '127.0.0.1', token, guidelines, saveModel }: AnnotationPlace,
  ): Promise<AnnotationServer> {
    const isLocal = thisMachine.has(host);
    if (!isLocal && (token === undefined || token.length < 8)) {
      throw new TagstreamError('usage', `--host ${host} lets others reach the page`, {
        fix: 'give --token with 8 characters or more, which everybody has to know',
      });
    }
    const hosts = isLocal ? new Set<string>() : undefined;
    const app = routes(session, { hosts, token, guidelines, saveModel });
    const server = createAdaptorServer({
      fetch: app.fetch,
      serverOptions: patience,
      overrideGlobalObjects: false,
    }) as Server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', cause => reject(listenError(cause, port, host)));
      server.listen(port, host, resolve);
    });
    const actual = (server.address() as AddressInfo).port;
    for (const name of ['127.0.0.1', 'localhost', '[::1]']) hosts?.add(`${name}:${actual}`);
    const shown = host.includes(':') ? `[${host}]` : host;
    const secret = token === undefined ? '' : `?token=${encodeURIComponent(token)}`;
    return new AnnotationServer(server, `http://${shown}:${actual}/${secret}`);
  }

  /** Resolves when nothing listens any more. */
  close(): Promise<void> {
    return new Promise(resolve => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

function listenError(cause: Error, port: number, host: string): TagstreamError {
  const { code = cause.message } = cause as NodeJS.ErrnoException;
  const problem = code === 'EADDRINUSE' ? 'something else listens there' : code;
  return new TagstreamError('usage', `cannot show the page on ${host}:${port}: ${problem}`, {
    fix: 'give another --port, or 0 for any that is free',
    cause,
  });
}
