import { createHash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { TagstreamError } from '../../core/errors.js';

/** Who may ask. */
export interface GuardOptions {
  /** The authorities of this server, normalized: `127.0.0.1:8080`, `localhost`. None: any, as the token protects it. */
  readonly hosts: ReadonlySet<string> | undefined;
  readonly token: string | undefined;
  /** The address of the page behind a proxy. */
  readonly published?: PublishedAddress | undefined;
}

/** The address under which a proxy publishes the page. */
export interface PublishedAddress {
  /** As browsers send it: `https://label.example.com`. */
  readonly origin: string;
  /** Path before all paths of the page, without a slash at its end; empty for none. */
  readonly prefix: string;
}

/**
 * Parses the value of `--origin`.
 *
 * @throws TagstreamError `usage` for what is no address of a page
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
    throw new TagstreamError('usage', `--origin ${text} is not the address of a page`, {
      fix: 'write it as the browser shows it, as https://label.example.com or https://example.com/label',
    });
  }
  return {
    origin: `${url.protocol}//${authorityOf(url.host, url.protocol)}`,
    prefix: url.pathname.replace(/\/+$/, ''),
  };
}

/**
 * The authority of a `Host` header as browsers write it in an origin: in lower case, without the default port of the
 * scheme, without the dot that ends a full name. Undefined for what is no authority.
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

/**
 * Refuses requests that no person in front of this page makes: for another host (DNS rebinding), from a page of another
 * origin (CSRF), or without the token where there is one. The token comes once in the address, and then as a cookie.
 */
export function guard({ hosts, token, published }: GuardOptions): MiddlewareHandler {
  const cookie = token === undefined ? '' : cookieOf(token);
  const isSecure = published?.origin.startsWith('https:') === true;
  const home = `${published?.prefix ?? ''}/`;
  const more = new Set(published === undefined ? [] : hostsOf(published));
  return async (context, next) => {
    const { req } = context;
    const host = req.header('host') ?? '';
    const authority = authorityOf(host, 'http:') ?? '';
    if (hosts !== undefined && !hosts.has(authority) && !more.has(authority)) {
      return context.text(`another host: ${hint(host, published)}`, 403);
    }
    const origin = req.header('origin');
    const site = req.header('sec-fetch-site');
    const isPublished = more.has(authority) && hosts?.has(authority) !== true;
    const isOwn =
      origin === undefined ||
      origin === published?.origin ||
      (!isPublished && isOfHost(origin, host, hosts === undefined));
    const crossed = site !== undefined && site !== 'same-origin' && site !== 'none';
    const isPage = req.method === 'GET' && req.path === '/';
    if (!isOwn) return context.text(`another origin: ${hint(origin, published)}`, 403);
    if (crossed && !isPage) return context.text('another origin: a page of another site', 403);
    if (req.method === 'POST' && req.header('content-type') !== 'application/json') {
      return context.text('JSON is expected', 415);
    }
    if (token === undefined) return next();
    const given = isPage ? req.query('token') : undefined;
    if (given !== undefined && isSame(given, token)) {
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
    return isSame(getCookie(context, cookie) ?? '', token)
      ? next()
      : context.text('the token is missing: open the address that the terminal shows', 401);
  };
}

/**
 * Cookies ignore ports: servers of one host, or behind one proxy, share a cookie only where they share the token.
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
 * @param behindTls this server speaks HTTP, but a proxy before it may hold the TLS and pass the host on
 */
function isOfHost(origin: string, host: string, behindTls: boolean): boolean {
  const [, protocol, authority] = /^(https?:)\/\/([^/]+)$/.exec(origin) ?? [];
  if (protocol === undefined || (protocol === 'https:' && !behindTls)) return false;
  const own = authorityOf(host, protocol);
  return own !== undefined && authorityOf(authority!, protocol) === own;
}

/** What a proxy sends as the host of the published page: with its port, or without as `$host` of nginx. */
function hostsOf({ origin }: PublishedAddress): string[] {
  const { protocol, host, hostname } = new URL(origin);
  const port = protocol === 'https:' ? 443 : 80;
  return [host, hostname, `${hostname}:${port}`].map(each => authorityOf(each, 'http:')!);
}

/** What to do where a proxy stands before the server. */
function hint(name: string, published: PublishedAddress | undefined): string {
  const shown = JSON.stringify(name.slice(0, 200));
  return published === undefined
    ? `${shown} is not the address that the terminal shows; behind a proxy, start annotate with --origin and the address that the browser shows`
    : `${shown} is neither this server nor ${published.origin}, which --origin names`;
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
