import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService, type Service } from '../../src/serve/service.js';
import { type StartedService, startService } from '../../src/serve/start-service.js';
import { workspace } from '../cli/commands/workspace.js';
import { writeModels } from './served.js';

const folder = workspace();
let service: Service;
let started: StartedService;

beforeAll(async () => {
  const { names } = writeModels(folder);
  service = await createService({ models: { names }, threads: 1, maxBody: 100_000, timeout: 500 });
  started = await startService(service, { port: 0, host: '127.0.0.1', headersTimeout: 300 });
});
afterAll(() => started.stop(0));

/** Sends bytes as they are; what comes back until the server ends the connection, or for so long. */
function send(text: string | Uint8Array, milliseconds = 5000): Promise<string> {
  return new Promise(resolve => {
    const socket = connect(started.port, '127.0.0.1');
    let answer = '';
    const end = () => {
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(end, milliseconds);
    socket.on('data', data => {
      answer += data.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(answer);
    });
    socket.write(text);
  });
}

const host = 'Host: localhost\r\n';
const post = `POST /v1/tag HTTP/1.1\r\n${host}Connection: close\r\n`;
const plain = `${post}Content-Type: text/plain\r\n`;
const json = `${post}Content-Type: application/json\r\n`;
const body = (head: string, text: string) =>
  `${head}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;

const attacks: readonly (readonly [name: string, bytes: string, answer: RegExp])[] = [
  ['no request', 'hello\r\n\r\n', /^HTTP\/1.1 400/],
  ['TLS to a plain port', '\x16\x03\x01\x02\x00\x01\x00\x01', /^HTTP\/1.1 400/],
  ['slow headers', 'POST /v1/tag HTTP/1.1\r\nHost: loc', /^(?:HTTP\/1.1 408|$)/],
  ['no host', 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n', /^HTTP\/1.1 400/],
  ['two hosts', `GET /livez HTTP/1.1\r\n${host}${host}Connection: close\r\n\r\n`, /^HTTP\/1.1 400/],
  ['a slow body', `${plain}Content-Length: 10\r\n\r\nabc`, /^HTTP\/1.1 408/],
  [
    'a slow chunked body',
    `${plain}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`,
    /^HTTP\/1.1 408/,
  ],
  ['a body of 1 GB', `${plain}Content-Length: 1073741824\r\n\r\nabc`, /^HTTP\/1.1 413/],
  ['a length that is none', `${plain}Content-Length: -5\r\n\r\n`, /^HTTP\/1.1 400/],
  [
    'a length beyond numbers',
    `${plain}Content-Length: ${'9'.repeat(30)}\r\n\r\n`,
    /^HTTP\/1.1 4(?:00|13)/,
  ],
  ['two lengths', `${plain}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`, /^HTTP\/1.1 400/],
  [
    'CL and TE',
    `${plain}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    /^HTTP\/1.1 400/,
  ],
  ['TE twice', `${plain}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`, /^HTTP\/1.1 400/],
  ['TE obscured', `${plain}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`, /^HTTP\/1.1 400/],
  ['bare LF in headers', `POST /v1/tag HTTP/1.1\n${host}\n`, /^HTTP\/1.1 400/],
  [
    'a chunk size that is none',
    `${plain}Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n`,
    /^(?:HTTP\/1.1 4|$)/,
  ],
  [
    'a chunk larger than all',
    `${plain}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\na`,
    /^(?:HTTP\/1.1 4|$)/,
  ],
  [
    'chunks beyond the limit',
    `${plain}Transfer-Encoding: chunked\r\n\r\n${`2710\r\n${'a'.repeat(10_000)}\r\n`.repeat(12)}0\r\n\r\n`,
    /^HTTP\/1.1 413/,
  ],
  [
    'a header of 100 kB',
    `GET /livez HTTP/1.1\r\n${host}X: ${'a'.repeat(100_000)}\r\n\r\n`,
    /^HTTP\/1.1 431/,
  ],
  [
    '10,000 headers',
    `GET /livez HTTP/1.1\r\n${host}${'X: a\r\n'.repeat(10_000)}\r\n`,
    /^HTTP\/1.1 431/,
  ],
  [
    'an address of 100 kB',
    `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n${host}\r\n`,
    /^HTTP\/1.1 4(?:14|31)/,
  ],
  ['a null in a header', `GET /livez HTTP/1.1\r\n${host}X: a\0b\r\n\r\n`, /^HTTP\/1.1 400/],
  [
    'path traversal',
    `GET /../../etc/passwd HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
    /^HTTP\/1.1 40[04]/,
  ],
  [
    'escaped path traversal',
    `GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
    /^HTTP\/1.1 40[04]/,
  ],
  [
    'an escape that is none',
    `GET /%zz HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
    /^HTTP\/1.1 40[04]/,
  ],
  [
    'a proxy request',
    `GET http://evil.example/livez HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
    /^HTTP\/1.1 (?:200|40)/,
  ],
  ['CONNECT', `CONNECT evil.example:80 HTTP/1.1\r\n${host}\r\n`, /^(?:HTTP\/1.1 4|$)/],
  [
    'an unknown method',
    `BREW /v1/tag HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
    /^HTTP\/1.1 400/,
  ],
  ['TRACE', `TRACE /v1/tag HTTP/1.1\r\n${host}Connection: close\r\n\r\n`, /^HTTP\/1.1 40[05]/],
  [
    'deep JSON',
    body(json, `{"text":"a","x":${'['.repeat(45_000)}${']'.repeat(45_000)}}`),
    /^HTTP\/1.1 (?:200|4)/,
  ],
  ['a deep array', body(json, '['.repeat(90_000)), /^HTTP\/1.1 400/],
  ['a prototype', body(json, '{"__proto__":{"x":1},"text":"Anna"}'), /^HTTP\/1.1 (?:200|4)/],
  [
    'bad UTF-8',
    body(json, '{"text":"a"}').replace('"a"', '"\xff"').replace('12\r\n', '12\r\n'),
    /^HTTP\/1.1 4/,
  ],
  ['a packed body', `${body(`${plain}Content-Encoding: gzip\r\n`, 'abc')}`, /^HTTP\/1.1 415/],
  [
    'an option of a prototype',
    body(plain.replace('/v1/tag', '/v1/tag?__proto__=1&constructor=2'), 'a'),
    /^HTTP\/1.1 400/,
  ],
  [
    'an upgrade',
    `GET /livez HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    /^HTTP\/1.1 (?:200|4)/,
  ],
];

describe('a service on a socket', () => {
  it('answers hostile requests, and none disturbs those beside it', async () => {
    let isOver = false;
    let good = 0;
    const beside = (async () => {
      while (!isOver) {
        const answer = await fetch(`${started.url}/v1/tag`, {
          method: 'POST',
          body: 'Anna saw Oslo',
          headers: { 'content-type': 'text/plain' },
        });
        expect([answer.status, (await answer.text()).includes('"Oslo"')]).toEqual([200, true]);
        good += 1;
      }
    })();
    const found = await Promise.all(
      attacks.map(async ([name, bytes, answer]) => {
        const got = await send(Buffer.from(bytes, 'latin1'));
        return answer.test(got) ? [] : [`${name}: ${got.slice(0, 100)}`];
      }),
    );
    isOver = true;
    await beside;
    expect(found.flat()).toEqual([]);
    expect(good).toBeGreaterThan(10);
    expect([service.status.held, service.status.streams]).toEqual([0, 0]);
  });

  it('stops in order: what has come is answered', async () => {
    const { names } = writeModels(folder);
    const own = await createService({ models: { names }, threads: 1, maxWait: 100_000 });
    const server = await startService(own, { port: 0, host: '127.0.0.1' });
    let stopping = false;
    let answered = 0;
    const client = async () => {
      while (!stopping) {
        const answer = await fetch(`${server.url}/v1/tag`, {
          method: 'POST',
          body: 'Anna saw Oslo',
          headers: { 'content-type': 'text/plain' },
        });
        expect(answer.status).toBe(200);
        expect(await answer.text()).toContain('"Oslo"');
        answered += 1;
      }
    };
    const clients = Array.from({ length: 16 }, client);
    while (answered < 100) await new Promise(resolve => setTimeout(resolve, 5));
    stopping = true;
    const stopped = server.stop(100);
    await Promise.all(clients);
    await stopped;
    await expect(fetch(server.url)).rejects.toThrow();
    expect(answered).toBeGreaterThanOrEqual(100);
  });
});
