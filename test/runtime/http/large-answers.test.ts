// @module-tag slow
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Listening, listen } from '../../../src/runtime/http/listen.js';

const size = 48 << 20;
let listening: Listening;
let stalled = 0;

afterEach(() => listening.close());

/** A server that answers with one large chunk. */
async function serve(stallTimeout: number): Promise<void> {
  stalled = 0;
  const body = new Uint8Array(size);
  listening = await listen(
    () => new Response(body),
    { port: 0, host: '127.0.0.1' },
    {
      ...{ shows: 'the answer', limits: {}, stallTimeout },
      onStalled: () => {
        stalled += 1;
      },
    },
  );
}

function ask(): Socket {
  const socket = connect(listening.port, '127.0.0.1');
  socket.pause();
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  return socket;
}

describe('a server with a large answer', () => {
  it('sends all of it to a client that reads slowly, although it is a single chunk', async () => {
    // The answer takes more than twice as long, and systems take a part of it every 100 ms.
    await serve(1500);
    const socket = ask();
    let read = 0;
    const ended = new Promise(resolve => socket.on('close', resolve));
    const timer = setInterval(() => {
      const part = (socket.read(1 << 20) ?? socket.read()) as Buffer | null;
      read += part?.length ?? 0;
      if (read > size) socket.destroy();
    }, 70);
    socket.on('readable', () => undefined);
    await ended;
    clearInterval(timer);
    expect(read).toBeGreaterThan(size);
    expect(stalled).toBe(0);
  });

  it('disconnects a client that does not read', async () => {
    await serve(1000);
    const socket = ask();
    while (stalled === 0) await new Promise(resolve => setTimeout(resolve, 10));
    socket.resume();
    await new Promise(resolve => socket.on('close', resolve));
    expect(stalled).toBe(1);
  });

  it('keeps a connection on which nothing waits', async () => {
    let end!: () => void;
    listening = await listen(
      () =>
        new Response(
          new ReadableStream<Uint8Array>({
            start: controller => {
              end = () => {
                controller.enqueue(Buffer.from('late'));
                controller.close();
              };
            },
          }),
        ),
      { port: 0, host: '127.0.0.1' },
      { shows: 'a stream', limits: {}, stallTimeout: 1000 },
    );
    const answer = await fetch(listening.url);
    await new Promise(resolve => setTimeout(resolve, 1500));
    end();
    expect(await answer.text()).toBe('late');
  });
});
