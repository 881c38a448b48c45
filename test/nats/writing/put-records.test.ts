import { expect, it } from 'vitest';
import type { Connection } from '../../../src/nats/connection/open-connection.js';
import { type PutMessage, putRecords } from '../../../src/nats/writing/store-message.js';

const bytes = Buffer.from('{}');

/** Servers that take messages of 300 bytes and answer when they are let. */
function servers(answer: (asked: number) => Promise<object>) {
  let asked = 0;
  const connection = {
    core: { info: { max_payload: 300 }, isClosed: () => true },
    client: {
      transport: {
        headers: () => Object.assign(new Map(), { append() {} }),
        PermissionViolationError: class extends Error {},
        UserAuthenticationExpiredError: class extends Error {},
      },
      jetstream: { JetStreamApiError: class extends Error {} },
    },
    requests: {
      ask: () => {
        asked += 1;
        return answer(asked).then(content => ({ json: () => content }));
      },
    },
    stream: { publish: () => Promise.reject(new Error('closed')) },
    giveUp: 0,
  };
  return { connection: connection as unknown as Connection, asked: () => asked };
}

async function* messages(...sizes: readonly number[]): AsyncGenerator<PutMessage> {
  for (const [i, size] of sizes.entries()) {
    yield {
      subject: 'texts',
      id: `texts:${i + 1}`,
      place: { source: 'texts', line: i + 1 },
      bytes: size === 0 ? bytes : Buffer.alloc(size),
    };
  }
}

it('ends after what was sent is answered, where a later message is too large', async () => {
  let answered = 0;
  const { connection } = servers(async () => {
    await new Promise(resolve => setTimeout(resolve, 20));
    answered += 1;
    return { stream: 'TEXTS' };
  });
  const failed = await putRecords(connection, messages(0, 0, 0, 1_000)).catch(error => error);
  expect(failed).toMatchObject({ code: 'too-large', place: { source: 'texts', line: 4 } });
  expect(answered).toBe(3);
});

it('ends after what was sent is answered, where the input fails', async () => {
  let answered = 0;
  const { connection } = servers(async () => {
    await new Promise(resolve => setTimeout(resolve, 20));
    answered += 1;
    return { stream: 'TEXTS' };
  });
  async function* failing(): AsyncGenerator<PutMessage> {
    yield* messages(0, 0);
    throw new Error('unreadable');
  }
  await expect(putRecords(connection, failing())).rejects.toThrow('unreadable');
  expect(answered).toBe(2);
});

it('rejects with the first error, and leaves no other unhandled', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  const { connection } = servers(() => Promise.reject(new Error('no answer')));
  async function* slowly(): AsyncGenerator<PutMessage> {
    for await (const message of messages(0, 0, 0)) {
      yield message;
      await new Promise(resolve => setTimeout(resolve, 20));
    }
  }
  await expect(putRecords(connection, slowly())).rejects.toMatchObject({ code: 'connection' });
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

it('counts what was stored and what the stream had', async () => {
  const { connection } = servers(async asked => ({ stream: 'TEXTS', duplicate: asked % 3 === 0 }));
  const counts = await putRecords(connection, messages(...Array<number>(3_000).fill(0)));
  expect(counts).toEqual({ messages: 3_000, known: 1_000 });
});
