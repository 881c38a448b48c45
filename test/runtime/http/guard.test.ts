import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { AnnotationServer } from '../../../src/annotation/server/annotation-server.js';
import type { AnnotationSession } from '../../../src/annotation/session/session.js';
import {
  authorityOf,
  cookieOf,
  type GuardOptions,
  guard,
  pathWithin,
  publishedAddress,
} from '../../../src/runtime/http/guard.js';

const token = 'correct horse';

/** The status of a request to a guarded server. */
async function statusOf(
  options: Partial<GuardOptions>,
  headers: Readonly<Record<string, string>>,
  method = 'POST',
  path = '/api/start',
): Promise<number> {
  const prefix = options.published?.prefix ?? '';
  const app = new Hono({ getPath: request => pathWithin(prefix, new URL(request.url).pathname) });
  app.use(guard({ hosts: undefined, token: undefined, ...options }));
  app.all('*', context => context.text('there'));
  const json = { 'content-type': 'application/json' };
  const request = new Request(`http://x${path}`, { method, headers: { ...json, ...headers } });
  // `Request` takes no host.
  const given = new Proxy(request, {
    get: (target, name) => {
      if (name === 'headers') return new Headers({ ...json, ...headers });
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return (await app.fetch(given)).status;
}

/** What a server that listens to this machine on a port takes as its own names. */
const local = (port: number) =>
  new Set(
    ['127.0.0.1', 'localhost', '[::1]'].map(name => authorityOf(`${name}:${port}`, 'http:')!),
  );

describe('the guard', () => {
  const names = ['127.0.0.1', 'localhost', '[::1]', 'LOCALHOST', 'localhost.', '[0:0:0:0:0:0:0:1]'];
  const cases = [80, 443, 8765].flatMap(port => names.map(name => ({ port, name })));

  it.each(cases)('takes its own names: port $port, $name', async ({ port, name }) => {
    const hosts = local(port);
    const shown = port === 80 ? name : `${name}:${port}`;
    // Browsers write an origin in lower case, and shorten IPv6.
    const origin = new URL(`http://${name}:${port}`).origin;
    expect(await statusOf({ hosts }, { host: shown, origin })).toBe(200);
    expect(await statusOf({ hosts }, { host: `${name}:${port}` })).toBe(200);
    expect(await statusOf({ hosts }, { host: `${name}:${port + 1}` })).toBe(403);
    expect(await statusOf({ hosts }, { host: shown, origin: `${origin}1` })).toBe(403);
    expect(await statusOf({ hosts }, { host: shown, origin: 'null' })).toBe(403);
    expect(await statusOf({ hosts }, { host: shown, origin: `https://${shown}` })).toBe(403);
    if (port !== 80) expect(await statusOf({ hosts }, { host: name, origin })).toBe(403);
  });

  it.each([
    'evil.example',
    'localhost.evil.example',
    'evil@localhost',
    'localhost:80@evil.example',
    'localhost/evil',
    '',
    'localhost:x',
    '[::1',
  ])('refuses the host %s', async host => {
    expect(await statusOf({ hosts: local(80) }, { host })).toBe(403);
  });

  const origins = [
    'https://label.example.com',
    'https://label.example.com:8443',
    'http://label.example.com',
    'https://example.com/team/a',
    'https://[2001:db8::1]',
  ];
  const passed = origins.flatMap(origin =>
    ['the host', '$host of nginx', 'the upstream'].map(form => ({ origin, form })),
  );
  it.each(passed)('takes $origin of a proxy that sends $form', async ({ origin, form }) => {
    const published = publishedAddress(origin);
    const url = new URL(origin);
    const host = { 'the host': url.host, '$host of nginx': url.hostname }[form] ?? 'localhost:8765';
    const cookie = `${cookieOf(token)}=${encodeURIComponent(token)}`;
    for (const hosts of [local(8765), undefined]) {
      const options = { hosts, token, published };
      const own = { host, origin: published.origin, cookie };
      for (const path of ['/api/start', `${published.prefix}/api/start`]) {
        expect(await statusOf(options, own, 'POST', path)).toBe(200);
      }
      expect(await statusOf(options, { ...own, cookie: '' })).toBe(401);
      expect(await statusOf(options, { ...own, origin: 'https://evil.example' })).toBe(403);
      expect(await statusOf(options, { ...own, origin: `${published.origin}1` })).toBe(403);
      expect(await statusOf(options, { ...own, 'sec-fetch-site': 'same-site' })).toBe(403);
      const evil = { ...own, host: 'evil.example' };
      expect(await statusOf(options, evil)).toBe(hosts === undefined ? 200 : 403);
      expect(await statusOf(options, { ...evil, cookie: '' })).toBe(
        hosts === undefined ? 401 : 403,
      );
    }
  });

  it('does not take the published name over HTTP for the one with TLS', async () => {
    const published = publishedAddress('https://label.example.com');
    const cookie = `${cookieOf(token)}=${encodeURIComponent(token)}`;
    const other = { host: 'label.example.com', origin: 'http://label.example.com', cookie };
    expect(await statusOf({ hosts: local(80), token, published }, other)).toBe(403);
    expect(await statusOf({ hosts: undefined, token, published }, other)).toBe(403);
  });

  it('has a cookie of its own for each token, wherever the servers listen', async () => {
    const cookie = (secret: string) => `${cookieOf(secret)}=${encodeURIComponent(secret)}`;
    const both = `${cookie('battery staple')}; ${cookie(token)}`;
    expect(await statusOf({ token }, { host: 'a:1', cookie: both })).toBe(200);
    expect(await statusOf({ token: 'battery staple' }, { host: 'a:2', cookie: both })).toBe(200);
    expect(await statusOf({ token: 'another one' }, { host: 'a:3', cookie: both })).toBe(401);
  });

  it.each(['label.example.com', 'ftp://a', 'https://a?b', 'https://u:p@a', 'https://a#b', 'x'])(
    'refuses the origin %s',
    origin => {
      expect(() => publishedAddress(origin)).toThrow(/is not a valid origin/);
    },
  );

  it('needs a token where a proxy opens the page to others', async () => {
    const place = { port: 0, saveModel: () => '', origin: 'https://label.example.com' };
    // Tests before this one in the same process may have made words of the fix a secret, which messages hide.
    await expect(AnnotationServer.start({} as AnnotationSession, place)).rejects.toThrow(
      '--origin https://label.example.com lets others reach the page',
    );
  });
});
