import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Listening, listen } from '../../../src/runtime/http/listen.js';

/** The shared listener of the service, the annotation page and the metrics, which says how it understands a request. */
let listening: Listening;
beforeAll(async () => {
  const echo = (request: Request) =>
    new Response(`${request.url} of ${request.headers.get('host')}`);
  const place = { port: 0, host: '127.0.0.1' };
  listening = await listen(echo, place, { shows: 'echoes', limits: {} });
});
afterAll(() => listening.close());

/** Returns the status and the last line of the answer to a request. */
function statusOf(request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(listening.port, '127.0.0.1');
    let answer = '';
    socket.on('data', data => {
      answer += data.toString('latin1');
    });
    socket.on('error', reject);
    socket.on('close', () => {
      resolve(`${answer.split(' ')[1]} ${answer.trimEnd().split('\n').at(-1)}`);
    });
    socket.write(`${request}\r\nConnection: close\r\n\r\n`);
  });
}

describe('a server', () => {
  it.each([
    ['GET /a?b HTTP/1.1\r\nHost: localhost', '200 http://localhost/a?b of localhost'],
    [
      'GET http://a.example/b?c HTTP/1.1\r\nHost: localhost',
      '200 http://a.example/b?c of a.example',
    ],
    ['GET http://a.example HTTP/1.1\r\nX: y\r\nHost: b:1', '200 http://a.example/ of a.example'],
    ['GET HTTP://a.example:81?b HTTP/1.1\r\nHost: b', '200 http://a.example:81/?b of a.example:81'],
    ['GET https://[::1]/b HTTP/1.1\r\nHost: localhost', '200 http://[::1]/b of [::1]'],
    ['GET http://a.example//b HTTP/1.0', '200 http://a.example//b of a.example'],
    ['GET http://a@b/ HTTP/1.1\r\nHost: b', '400 the target is neither a path nor an address'],
    ['GET http:///b HTTP/1.1\r\nHost: b', '400 the target is neither a path nor an address'],
    ['GET http://a:99999/ HTTP/1.1\r\nHost: b', '400 the target is neither a path nor an address'],
    ['GET xhttp://a/ HTTP/1.1\r\nHost: a', '400 the target is neither a path nor an address'],
    ['GET /a HTTP/1.1\r\nHost: a\r\nhost: a', '400 several Host headers'],
    ['GET /a HTTP/1.1', '400 there is no Host header'],
    ['GET /a HTTP/1.0', '400 there is no Host header'],
  ])('answers %j with %s', async (request, answer) => {
    expect(await statusOf(request)).toBe(answer);
  });

  it.each([
    [98, '200 http://a/ of a'],
    [99, '431 more than 100 header lines'],
    [500, '431 more than 100 header lines'],
    [2500, '431 more than 100 header lines'],
  ])(
    'that is sent %i header lines besides Host and Connection answers %s',
    async (count, answer) => {
      for (const lines of ['X: y', 'Set-Cookie: a']) {
        const request = `GET / HTTP/1.1\r\n${`${lines}\r\n`.repeat(count)}Host: a`;
        // Node itself refuses headers of more than 16 kB.
        const isLong = request.length > 16_000;
        expect((await statusOf(request)).slice(0, isLong ? 3 : undefined)).toBe(
          isLong ? '431' : answer,
        );
      }
    },
  );
});
