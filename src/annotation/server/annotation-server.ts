import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { TagstreamError } from '../../core/errors.js';
import type { AnnotationSession } from '../session/session.js';
import { authorityOf, type PublishedAddress, publishedAddress } from './guard.js';
import { routes, type ServedOptions } from './routes.js';

/** Where and how a session is served. */
export interface AnnotationPlace extends Pick<ServedOptions, 'guidelines' | 'saveModel'> {
  /** 0 for any that is free. */
  readonly port: number;
  /** Default 127.0.0.1, which only this machine reaches. */
  readonly host?: string | undefined;
  /** Needed for every other address. */
  readonly token?: string | undefined;
  /** The address of the page behind a proxy, as the browser shows it; needs a token too, where others can reach it. */
  readonly origin?: string | undefined;
}

/** Names of this machine, which no other reaches. */
const thisMachine = /^(?:localhost|::1|127(?:\.\d{1,3}){3})$/;

/** Milliseconds within which a request has to be there, and that a person may think without having to connect anew. */
const patience = { headersTimeout: 10_000, requestTimeout: 60_000, keepAliveTimeout: 600_000 };

/** Serves the page of a session over HTTP, to this machine alone unless a token is given. */
export class AnnotationServer {
  /** The address of the page, with the token where there is one. */
  readonly url: string;
  /** Where it listens. */
  readonly own: string;
  readonly #server: Server;

  private constructor(server: Server, url: string, own: string) {
    this.#server = server;
    this.url = url;
    this.own = own;
  }

  /**
   * @throws (rejects with) TagstreamError `usage` for an address of others without a token, for an `origin` that is none,
   *   or if it cannot listen there
   */
  static async start(
    session: AnnotationSession,
    { port, host = '127.0.0.1', token, origin, guidelines, saveModel }: AnnotationPlace,
  ): Promise<AnnotationServer> {
    const isLocal = thisMachine.test(host);
    const published = origin === undefined ? undefined : publishedAddress(origin);
    const opens = isLocal ? openTo(published) : `--host ${host}`;
    if (opens !== undefined && (token === undefined || token.length < 8)) {
      throw new TagstreamError('usage', `${opens} lets others reach the page`, {
        fix: 'give --token with 8 characters or more, which everybody has to know',
      });
    }
    const hosts = isLocal ? new Set<string>() : undefined;
    const app = routes(session, { hosts, token, published, guidelines, saveModel });
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
    const shown = host.includes(':') ? `[${host}]` : host;
    for (const name of ['127.0.0.1', 'localhost', '[::1]', shown]) {
      hosts?.add(authorityOf(`${name}:${actual}`, 'http:')!);
    }
    const secret = token === undefined ? '' : `?token=${encodeURIComponent(token)}`;
    const own = `http://${shown}:${actual}`;
    const page = published === undefined ? own : published.origin + published.prefix;
    return new AnnotationServer(server, `${page}/${secret}`, `${own}/`);
  }

  /** Resolves when nothing listens any more. */
  close(): Promise<void> {
    return new Promise(resolve => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

/** What opens the page to others where it listens to this machine alone: a proxy under another name. */
function openTo(published: PublishedAddress | undefined): string | undefined {
  if (published === undefined) return undefined;
  const { hostname } = new URL(published.origin);
  return thisMachine.test(hostname.replace(/^\[|\]$/g, ''))
    ? undefined
    : `--origin ${published.origin}`;
}

function listenError(cause: Error, port: number, host: string): TagstreamError {
  const { code = cause.message } = cause as NodeJS.ErrnoException;
  const problem = code === 'EADDRINUSE' ? 'something else listens there' : code;
  return new TagstreamError('usage', `cannot show the page on ${host}:${port}: ${problem}`, {
    fix: 'give another --port, or 0 for any that is free',
    cause,
  });
}
