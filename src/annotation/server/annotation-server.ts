import { TagstreamError } from '../../engine/core/errors.js';
import { type PublishedAddress, publishedAddress } from '../../runtime/http/guard.js';
import { isLocal, type Listening, listen, ownAuthorities } from '../../runtime/http/listen.js';
import type { AnnotationSession } from '../session/session.js';
import { routes, type ServedOptions } from './routes.js';

/** Address at which a session is served. */
export interface AnnotationPlace
  extends Pick<ServedOptions, 'guidelines' | 'saveModel' | 'modelFile'> {
  /** Port; 0 for any free one. */
  readonly port: number;
  /** Interface. Default 127.0.0.1, which only this machine can reach. */
  readonly host?: string | undefined;
  /** Access token, required for every other interface. */
  readonly token?: string | undefined;
  /**
   * Address of the page behind a proxy, as shown by the browser; requires a token if others can
   * reach it.
   */
  readonly origin?: string | undefined;
}

/** Milliseconds within which a request must arrive, and for which an idle connection stays open. */
const patience = { headersTimeout: 10_000, requestTimeout: 60_000, keepAliveTimeout: 600_000 };

/** Serves the page of a session over HTTP, only to this machine unless a token is given. */
export class AnnotationServer {
  /** Address of the page, including the token if there is one. */
  readonly url: string;
  /** Address at which the server listens. */
  readonly own: string;
  readonly #listening: Listening;

  private constructor(listening: Listening, url: string, own: string) {
    this.#listening = listening;
    this.url = url;
    this.own = own;
  }

  /**
   * @throws (rejects with) TagstreamError `usage` for a public address without a token, for an
   * invalid `origin`, or if the server cannot listen at the address
   */
  static async start(
    session: AnnotationSession,
    { port, host = '127.0.0.1', token, origin, ...served }: AnnotationPlace,
  ): Promise<AnnotationServer> {
    const published = origin === undefined ? undefined : publishedAddress(origin);
    const opens = isLocal(host) ? openTo(published) : `--host ${host}`;
    if (opens !== undefined && (token === undefined || token.length < 8)) {
      throw new TagstreamError('usage', `${opens} lets others reach the page`, {
        fix: 'give a shared secret of at least 8 characters with --token',
      });
    }
    const hosts = isLocal(host) ? new Set<string>() : undefined;
    const app = routes(session, { hosts, token, published, ...served });
    const place = { port, host };
    const listening = await listen(request => app.fetch(request), place, {
      ...{ shows: 'the page', limits: patience },
    });
    if (hosts !== undefined) {
      for (const name of ownAuthorities(host, listening.port, 'http')) hosts.add(name);
    }
    const shown = host.includes(':') ? `[${host}]` : host;
    const secret = token === undefined ? '' : `?token=${encodeURIComponent(token)}`;
    const own = `http://${shown}:${listening.port}`;
    const page = published === undefined ? own : published.origin + published.prefix;
    return new AnnotationServer(listening, `${page}/${secret}`, `${own}/`);
  }

  /** Closes the server; resolves when it no longer listens. */
  close(): Promise<void> {
    return this.#listening.close();
  }
}

/**
 * Returns the option that exposes a local page to others, such as a proxy under another name;
 * undefined if there is none.
 */
function openTo(published: PublishedAddress | undefined): string | undefined {
  if (published === undefined) return undefined;
  return isLocal(new URL(published.origin).hostname) ? undefined : `--origin ${published.origin}`;
}
