import { createHash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { TagstreamError } from '../../engine/core/errors.js';

/** Names under which requests reach a server. */
export interface OwnNames {
  /**
   * The authorities of this server, normalized: `127.0.0.1:8080`, `localhost`. Undefined: any, because the token
   * protects it.
   */
  readonly hosts: ReadonlySet<string> | undefined;
  /** The address of the page behind a proxy. */
  readonly published?: PublishedAddress | undefined;
}

/** Options of `guard`. */
export interface GuardOptions extends OwnNames {
  readonly token: string | undefined;
}

/** The address under which a proxy publishes the page. */
export interface PublishedAddress {
  /** Origin as sent by browsers: `https://label.example.com`. */
  readonly origin: string;
  /** Path prefix of the page, without a trailing slash; empty for none. */
  readonly prefix: string;
}

/**
 * Parses the value of `--origin`.
 *
 * @throws TagstreamError `usage` for an invalid address of a page
 * @example
 * publishedAddress('https://Label.example.com:443/team/') // => ({ origin: 'https://label.example.com', prefix: '/team' })
 */
export function publishedAddress(text: string): PublishedAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const fits =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.username + url.password + url.search + url.hash === '';
  if (!fits) {
    throw new TagstreamError('usage', `--origin ${text} is not a valid origin`, {
      fix: 'copy it from the address bar of the browser, such as https://label.example.com or https://example.com/label',
    });
  }
  return {
    origin: `${url.protocol}//${authorityOf(url.host, url.protocol)}`,
    prefix: url.pathname.replace(/(?<!\/)\/+$/, ''),
  };
}

/**
 * Returns a path without the prefix under which a proxy publishes the page.
 *
 * @example
 * pathWithin('/label', '/label/api/start') // => '/api/start'
 * pathWithin('/label', '/labels') // => '/labels'
 */
export function pathWithin(prefix: string, path: string): string {
  return prefix !== '' && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
}

/**
 * Normalises a `Host` header to the authority that browsers use in an origin: in lower case, without the default
 * port of the scheme, without the final dot of a fully qualified name. Undefined if it is not an authority.
 *
 * @example
 * authorityOf('LocalHost.:80', 'http:') // => 'localhost'
 * authorityOf('[0:0:0:0:0:0:0:1]:443', 'https:') // => '[::1]'
 * authorityOf('user@localhost', 'http:') // => undefined
 */
export function authorityOf(host: string, protocol: string): string | undefined {
  if (!/^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.test(host)) return undefined;
  const address = `${protocol}//${host.replace(/\.(?=:\d+$|$)/, '')}`;
  return URL.canParse(address) ? new URL(address).host : undefined;
}

/** The part of a request that `foreignRequest` checks. */
export interface GuardedRequest {
  /** Returns the header with a lower-case name. */
  header(name: string): string | undefined;
  /** Whether the request is for the page itself, which other sites may link to. */
  readonly isPage: boolean;
}

/**
 * Returns why a request cannot come from the server's own page or a program without a browser: it names another host
 * (DNS rebinding), or comes from a page of another origin (CSRF). Undefined if it is allowed.
 *
 * @param allows whether pages of another origin are allowed; default: none
 * @example
 * const hosts = new Set(['localhost:80']);
 * foreignRequest({ header: () => 'evil.example', isPage: false }, { hosts })?.slice(0, 12) // => 'another host'
 */
export function foreignRequest(
  { header, isPage }: GuardedRequest,
  { hosts, published }: OwnNames,
  allows: (origin: string) => boolean = () => false,
): string | undefined {
  const host = header('host') ?? '';
  const authority = authorityOf(host, 'http:') ?? '';
  const isNamed = isPublished(authority, published);
  if (hosts !== undefined && !hosts.has(authority) && !isNamed) {
    return `another host: ${hint(host, published)}`;
  }
  const origin = header('origin');
  if (origin !== undefined && allows(origin)) return undefined;
  const isOwn =
    origin === undefined ||
    origin === published?.origin ||
    (!(isNamed && hosts?.has(authority) !== true) && isOfHost(origin, host, hosts === undefined));
  if (!isOwn) return `another origin: ${hint(origin, published)}`;
  const site = header('sec-fetch-site');
  const isCrossed = site !== undefined && site !== 'same-origin' && site !== 'none';
  return isCrossed && !isPage ? 'another origin: a page of another site' : undefined;
}

/**
 * Rejects requests that do not come from this page (`foreignRequest`), or lack the token if there is one. The token is
 * passed once in the address, and as a cookie from then on.
 */
export function guard({ hosts, token, published }: GuardOptions): MiddlewareHandler {
  const cookie = token === undefined ? '' : cookieOf(token);
  const isSecure = published?.origin.startsWith('https:') === true;
  const home = `${published?.prefix ?? ''}/`;
  return async (context, next) => {
    const { req } = context;
    const isPage = req.method === 'GET' && req.path === '/';
    const asked = { header: (name: string) => req.header(name), isPage };
    const foreign = foreignRequest(asked, { hosts, published });
    if (foreign !== undefined) return context.text(foreign, 403);
    if (req.method === 'POST' && req.header('content-type') !== 'application/json') {
      return context.text('JSON is expected', 415);
    }
    if (token === undefined) return next();
    const given = isPage ? req.query('token') : undefined;
    if (given !== undefined && isSameText(given, token)) {
      const authority = authorityOf(req.header('host') ?? '', 'http:') ?? '';
      setCookie(context, cookie, token, {
        httpOnly: true,
        sameSite: 'Strict',
        path: home,
        secure: isSecure && hosts?.has(authority) !== true,
      });
      const rest = new URLSearchParams(req.query());
      rest.delete('token');
      return context.redirect(rest.size === 0 ? home : `${home}?${rest}`);
    }
    return isSameText(getCookie(context, cookie) ?? '', token)
      ? next()
      : context.text('the token is missing: open the address that the terminal shows', 401);
  };
}

/**
 * Returns the name of the token's cookie. Cookies ignore ports: servers of one host, or behind one proxy, share a
 * cookie only if they share the token.
 *
 * @example
 * cookieOf('correct horse') === cookieOf('battery staple') // => false
 */
export function cookieOf(token: string): string {
  return `tagstream-${createHash('sha256').update(token).digest('hex').slice(0, 16)}`;
}

/**
 * Whether an `Origin` header names the host of the request.
 *
 * @param behindTls this server speaks HTTP, but a proxy in front of it may terminate TLS and pass the
 * host on
 */
function isOfHost(origin: string, host: string, behindTls: boolean): boolean {
  const [, protocol, authority] = /^(https?:)\/\/([^/]+)$/.exec(origin) ?? [];
  if (protocol === undefined || (protocol === 'https:' && !behindTls)) return false;
  const own = authorityOf(host, protocol);
  return own !== undefined && authorityOf(authority!, protocol) === own;
}

/**
 * Whether a host is the one that a proxy sends for the published page, with or without its port (nginx's `$host` has
 * none).
 */
function isPublished(authority: string, published: PublishedAddress | undefined): boolean {
  if (published === undefined) return false;
  const { protocol, host, hostname } = new URL(published.origin);
  const port = protocol === 'https:' ? 443 : 80;
  return [host, hostname, `${hostname}:${port}`].some(
    each => authorityOf(each, 'http:') === authority,
  );
}

/** Returns the suggested fix for a server behind a proxy. */
function hint(name: string, published: PublishedAddress | undefined): string {
  const shown = JSON.stringify(name.slice(0, 200));
  return published === undefined
    ? `${shown} is not the address that the terminal shows; behind a proxy, start it with --origin and the address that the browser shows`
    : `${shown} is neither this server nor ${published.origin}, which --origin names`;
}

/** Whether two texts are equal, compared in constant time. */
function isSameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
