import type { NatsConnection } from '@nats-io/transport-node';
import { expect, it } from 'vitest';
import { natsClient } from '../../../src/nats/connection/client.js';
import { Requests } from '../../../src/nats/connection/requests.js';
import { describeNats, natsServers } from '../server.js';

describeNats('requests by one subscription', () => {
  const servers = natsServers({ servers: 1 });
  const bytes = new TextEncoder().encode('?');

  async function connected(use: (core: NatsConnection, requests: Requests) => Promise<void>) {
    const client = await natsClient();
    const core = await client.transport.connect({ servers: [...servers().urls] });
    try {
      await use(core, new Requests(core, client, 500));
    } finally {
      await core.close();
    }
  }

  it('give each question its own answer, in whatever order they come', () =>
    connected(async (core, requests) => {
      const waiting: (() => void)[] = [];
      core.subscribe('echo.*', {
        callback: (_, message) => {
          waiting.push(() => message.respond(message.subject.slice('echo.'.length)));
          if (waiting.length === 100) for (const answer of waiting.reverse()) answer();
        },
      });
      const numbers = Array.from({ length: 100 }, (_, i) => i);
      const answers = await Promise.all(
        numbers.map(number => requests.ask({ subject: `echo.${number}`, bytes })),
      );
      expect(answers.map(answer => Number(answer.string()))).toEqual(numbers);
    }));

  it('fail at once where nobody listens, and in time where nobody answers', () =>
    connected(async (core, requests) => {
      core.subscribe('silent', { callback: () => undefined });
      const both = [
        requests.ask({ subject: 'silent', bytes }),
        requests.ask({ subject: 'nowhere', bytes }),
      ];
      const order: string[] = [];
      both.forEach((asked, i) => void asked.catch(() => order.push(['silent', 'nowhere'][i]!)));
      const [silent, nowhere] = await Promise.allSettled(both);
      expect(order).toEqual(['nowhere', 'silent']);
      expect(silent).toMatchObject({ status: 'rejected', reason: { name: 'TimeoutError' } });
      expect(nowhere).toMatchObject({ reason: { cause: { message: 'no responders' } } });
    }));

  it('fail when the connection is closed', () =>
    connected(async (core, requests) => {
      core.subscribe('silent', { callback: () => undefined });
      const asked = requests.ask({ subject: 'silent', bytes });
      await core.flush();
      await Promise.all([core.close(), expect(asked).rejects.toThrow('timeout')]);
      await expect(requests.ask({ subject: 'silent', bytes })).rejects.toThrow('closed');
    }));
});
