import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AnnotationServer } from '../../src/annotation/server/annotation-server.js';
import type { AnnotationSession } from '../../src/annotation/session/session.js';
import { workspace } from '../cli/commands/workspace.js';
import { openSample, sampleQueue } from './sample-session.js';

const folder = workspace();
const json = { 'content-type': 'application/json' };
let session: AnnotationSession;
let server: AnnotationServer;

beforeAll(async () => {
  session = await openSample(sampleQueue(folder, 20), join(folder, 'out.ndjson'));
  server = await AnnotationServer.start(session, { port: 0, saveModel: () => 'a.model' });
});
afterAll(async () => {
  await server.close();
  await session.close();
});

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly to?: string;
}

/** Asks as a browser would not let a page: with any headers. */
function ask({
  path = '/api/start',
  method = 'POST',
  headers = {},
  body = '{}',
  to = server.url,
}: Asked) {
  return new Promise<{ status: number; text: string; headers: NodeJS.Dict<string | string[]> }>(
    (resolve, reject) => {
      const sent = request(
        new URL(path, to),
        { method, headers: { ...(method === 'POST' ? json : {}), ...headers } },
        response => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', part => {
            text += part;
          });
          response.on('end', () =>
            resolve({ status: response.statusCode!, text, headers: response.headers }),
          );
        },
      );
      sent.on('error', reject);
      sent.end(method === 'POST' ? body : undefined);
    },
  );
}

const statusOf = async (asked: Asked) => (await ask(asked)).status;

describe('the server of a session', () => {
  it('answers its own page', async () => {
    const { status, text, headers } = await ask({});
    expect(status).toBe(200);
    expect(JSON.parse(text).next.tokens.length).toBeGreaterThan(0);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    expect(await statusOf({ headers: { origin: new URL(server.url).origin } })).toBe(200);
  });

  it('refuses other hosts, origins, kinds of content, methods and paths', async () => {
    expect(await statusOf({ headers: { host: 'evil.example' } })).toBe(403);
    expect(await statusOf({ headers: { host: 'evil.example' }, method: 'GET', path: '/' })).toBe(
      403,
    );
    expect(await statusOf({ headers: { origin: 'http://evil.example' } })).toBe(403);
    expect(await statusOf({ headers: { origin: 'null' } })).toBe(403);
    expect(await statusOf({ headers: { 'sec-fetch-site': 'cross-site' } })).toBe(403);
    expect(await statusOf({ headers: { 'sec-fetch-site': 'same-site' } })).toBe(403);
    expect(await statusOf({ headers: { 'content-type': 'text/plain' } })).toBe(415);
    expect(await statusOf({ method: 'GET' })).toBe(404);
    expect(await statusOf({ path: '/api/../../etc/passwd' })).toBe(404);
  });

  it('refuses what does not fit, and says why', async () => {
    const refused = async (path: string, body: unknown) => {
      const { status, text } = await ask({ path: `/api/${path}`, body: JSON.stringify(body) });
      expect(status).toBe(400);
      return JSON.parse(text).error as string;
    };
    expect(await refused('show', { record: 20 })).toMatch(/there is no record 21/);
    expect(await refused('show', { record: -1 })).toMatch(/record: /);
    expect(await refused('show', { record: 1, more: 1 })).toMatch(/more/);
    expect(await refused('answer', { record: 1, answer: 'accept', corrections: 0 })).toMatch(
      /0 tags for/,
    );
    const tags = Array(session.show(session.annotators[0]!, 1).tokens.length).fill('B-EVIL');
    expect(await refused('answer', { record: 1, answer: 'accept', tags, corrections: 0 })).toMatch(
      /is not allowed at token/,
    );
    expect(await refused('explain', { record: 1, token: 99, fixed: tags.map(() => null) })).toMatch(
      /token 99/,
    );
    expect((await ask({ body: '{' })).status).toBe(400);
    expect(session.annotators[0]!.answers.size).toBe(0);
  });

  it('refuses requests that are too large', async () => {
    const body = JSON.stringify({ text: 'x'.repeat(17 << 20), from: 0 });
    expect(await statusOf({ path: '/api/search', body })).toBe(413);
  });

  it('names every script and style by its hash, and lets nothing else in', async () => {
    const { text } = await ask({ method: 'GET', path: '/' });
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(text)![1]!;
    const parts = policy.split('; ');
    expect(parts[0]).toBe("default-src 'none'");
    expect(parts.filter(part => /unsafe|https?:|\*/.test(part))).toEqual([]);
    expect(parts.filter(part => part.startsWith('script-src'))).toEqual([
      expect.stringMatching(/^script-src 'sha256-\S+'$/),
    ]);
  });

  it('listens for others only with a token, and then answers only those who have it', async () => {
    const place = { port: 0, host: '0.0.0.0', saveModel: () => 'a.model' };
    await expect(AnnotationServer.start(session, place)).rejects.toThrow(
      /lets others reach the page \(give a shared /,
    );
    await expect(AnnotationServer.start(session, { ...place, token: 'short' })).rejects.toThrow(
      /8 characters/,
    );
    const token = 'correct horse';
    const open = await AnnotationServer.start(session, { ...place, token });
    const to = open.url.replace('0.0.0.0', '127.0.0.1');
    expect(await statusOf({ to })).toBe(401);
    expect(await statusOf({ to, headers: { cookie: 'tagstream=wrong' } })).toBe(401);
    expect(await statusOf({ to, method: 'GET', path: '/?token=wrong' })).toBe(401);
    const first = await ask({
      to,
      method: 'GET',
      path: `/?annotator=a&token=${encodeURIComponent(token)}`,
    });
    expect(first).toMatchObject({ status: 302, headers: { location: '/?annotator=a' } });
    const [cookie] = first.headers['set-cookie'] as string[];
    expect(cookie).toMatch(/HttpOnly; SameSite=Strict/);
    expect(await statusOf({ to, headers: { cookie: cookie!.split(';')[0]! } })).toBe(200);
    await open.close();
  });
});
