import { timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';

/** Who may ask. */
export interface GuardOptions {
  /** The names of this server, with its port: `127.0.0.1:8080`. None: any, as the token says enough. */
  readonly hosts: ReadonlySet<string> | undefined;
  readonly token: string | undefined;
}

const cookie = 'tagstream';

/**
 * Refuses requests that no person in front of this page makes: for another host (DNS rebinding), from a page of another
 * origin, or without the token where there is one. The token comes once in the address, and then as a cookie.
 */
export function guard({ hosts, token }: GuardOptions): MiddlewareHandler {
  return async (context, next) => {
    const { req } = context;
    const host = req.header('host') ?? '';
    if (hosts !== undefined && !hosts.has(host)) return context.text('another host', 403);
    const origin = req.header('origin');
    const site = req.header('sec-fetch-site');
    const foreign = origin !== undefined && origin !== `http://${host}`;
    const crossed = site !== undefined && site !== 'same-origin' && site !== 'none';
    const isPage = req.method === 'GET' && req.path === '/';
    if (foreign || (crossed && !isPage)) return context.text('another origin', 403);
    if (req.method === 'POST' && req.header('content-type') !== 'application/json') {
      return context.text('JSON is expected', 415);
    }
    if (token === undefined) return next();
    const given = isPage ? req.query('token') : undefined;
    if (given !== undefined && isSame(given, token)) {
      setCookie(context, cookie, token, { httpOnly: true, sameSite: 'Strict', path: '/' });
      const rest = new URLSearchParams(req.query());
      rest.delete('token');
      return context.redirect(`/${rest.size === 0 ? '' : `?${rest}`}`);
    }
    return isSame(getCookie(context, cookie) ?? '', token)
      ? next()
      : context.text('the token is missing: open the address that the terminal shows', 401);
  };
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
