import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService, type Service } from '../../../src/service/serve/service.js';
import type { ServiceOptions } from '../../../src/service/serve/service-options.js';
import { workspace } from '../../cli/commands/workspace.js';
import { writeModels } from './served.js';

const folder = workspace();
let names: string;
const open: Service[] = [];

beforeAll(() => {
  ({ names } = writeModels(folder));
});
afterAll(() => Promise.all(open.map(service => service.close())));

async function serve(options: Partial<ServiceOptions> = {}): Promise<Service> {
  const service = await createService({
    ...{ models: { names }, threads: 1, maxWait: 100_000 },
    ...options,
  });
  open.push(service);
  return service;
}

interface Sent {
  readonly path?: string;
  readonly body: BodyInit;
  readonly type?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

const requestOf = ({ path = '/v1/tag', body, type, accept, headers, signal }: Sent): Request =>
  new Request(`http://localhost${path}`, {
    ...{ method: 'POST', body, duplex: 'half' },
    headers: {
      'content-type': type ?? 'application/json',
      ...(accept && { accept }),
      ...headers,
    },
    ...(signal && { signal }),
  } as RequestInit);

/** A body that stays open, with what was sent of it and whether it was read. */
function openBody(sent = '') {
  const state = { isRead: false, end: () => undefined as unknown };
  const body = new ReadableStream<Uint8Array>(
    {
      start: controller => {
        state.end = () => controller.close();
        if (sent !== '') controller.enqueue(Buffer.from(sent));
      },
      pull: () => {
        state.isRead = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, state };
}

const texts = Array.from({ length: 120 }, (_, i) =>
  `${'Anna saw Oslo and Ben lives in New York '.repeat(9 + (i % 7))}${i}.`.trim(),
);
const ndjson = 'application/x-ndjson';

describe('a request of more than a block', () => {
  let service: Service;
  beforeAll(async () => {
    service = await serve({ maxWork: 1e9 });
  });

  it.each([
    ...['', 'marginals=true', 'marginals=all', 'marginals=pairs', 'nbest=3', 'probability=true'],
    ...['spanProbabilities=true', 'scores=true', 'decoding=posterior', 'redact=X', 'output=tags'],
  ])('is answered as its records are one by one: %s', async query => {
    const ask = async (body: unknown) => {
      const sent = { path: `/v1/tag?${query}`, body: JSON.stringify(body), accept: ndjson };
      return (await service.fetch(requestOf(sent))).text();
    };
    const before = service.status.records;
    const single: string[] = [];
    for (const text of texts.slice(0, 20)) single.push(await ask([text]));
    const all = await ask(texts);
    expect(all.split('\n')).toHaveLength(121);
    expect(all.startsWith(single.join(''))).toBe(true);
    expect(service.status.records - before).toBe(140);
    expect(service.status.held).toBe(0);
  });

  it.each(['text/x-conll', 'text/x-conllu', 'text/html'])('has one frame as %s', async accept => {
    const ask = async (records: readonly string[]) => {
      const answer = await service.fetch(requestOf({ body: JSON.stringify(records), accept }));
      return answer.text();
    };
    const all = await ask(texts);
    if (accept === 'text/html') {
      expect(all.split('<!doctype html>')).toHaveLength(2);
      expect(all.endsWith('</html>\n')).toBe(true);
      return;
    }
    // Less than a block; without ids, records are named by their places.
    expect(all.startsWith(await ask(texts.slice(0, 30)))).toBe(true);
    const names = all.match(/^# sent_id = .*$/gm) ?? [];
    expect(new Set(names).size).toBe(names.length);
    expect(all.match(/^# newdoc$/gm)?.length ?? 0).toBeLessThan(2);
  });

  it('is a JSON list, and tells which record is bad', async () => {
    const sent = { path: '/v1/tag?marginals=all', body: JSON.stringify(texts) };
    const records = (await (await service.fetch(requestOf(sent))).json()) as { text: string }[];
    expect(records.map(({ text }) => text)).toEqual(texts);
    const body = JSON.stringify(texts.map((text, i) => (i === 110 ? { tokens: 5 } : { text })));
    const refused = await service.fetch(requestOf({ ...sent, body }));
    expect([refused.status, ((await refused.json()) as { record: number }).record]).toEqual([
      422, 110,
    ]);
    expect(service.status.held).toBe(0);
  });
});

describe('work without proportion', () => {
  it('is refused before it is read, with what to send instead', async () => {
    const service = await serve();
    const { body, state } = openBody('["');
    const sent = { path: '/v1/explain', body, headers: { 'content-length': '475000' } };
    const answer = await service.fetch(requestOf(sent));
    expect([answer.status, state.isRead]).toEqual([413, false]);
    expect(await answer.json()).toMatchObject({
      code: 'too-large',
      detail: 'about 95,000 tokens, each as much work as 104 tokens with plain tags',
      fix: 'send at most 48,540 bytes at a time, or ask for fewer results',
    });
    expect(
      (await service.fetch(requestOf({ ...sent, body: '["Anna"]', headers: {} }))).status,
    ).toBe(200);
  });

  it('ends a stream at its record, after those before it', async () => {
    const service = await serve({ maxWork: 1000 });
    const body = `{"text":"Anna"}\n{"text":"${'Ben '.repeat(2000)}"}\n`;
    const answer = await service.fetch(requestOf({ body, type: ndjson }));
    const [first, last] = (await answer.text()).trim().split('\n');
    expect(first).toContain('"PER"');
    expect(JSON.parse(last!).nlp.error.code).toBe('too-large');
    expect([service.status.streams, service.status.held]).toEqual([0, 0]);
  });

  it('has no answer above the limit', async () => {
    const service = await serve({ maxAnswer: 5000 });
    const body = JSON.stringify(texts);
    const answer = await service.fetch(requestOf({ body }));
    expect([answer.status, (await answer.json()).code]).toEqual([413, 'too-large']);
    const lines = texts.map(text => `${JSON.stringify({ text })}\n`).join('');
    const streamed = await service.fetch(requestOf({ body: lines, type: ndjson }));
    expect((await streamed.text()).trim().split('\n').at(-1)).toContain('"too-large"');
    expect(service.status.held).toBe(0);
  });

  it('stops when its client goes, and the next one is answered', async () => {
    const deaths: unknown[] = [];
    const service = await serve({ events: { onDeath: (_, error) => deaths.push(error) } });
    const path = '/v1/explain';
    const body = JSON.stringify([texts.slice(0, 40).join(' ')]);
    for (let i = 0; i < 3; i += 1) {
      const gone = new AbortController();
      const answer = service.fetch(requestOf({ path, body, signal: gone.signal }));
      await new Promise(resolve => setTimeout(resolve, 20 * i));
      gone.abort();
      await answer;
    }
    expect(service.status.abandoned).toBe(3);
    const answer = await service.fetch(requestOf({ path, body }));
    expect([answer.status, service.status.held > 0]).toEqual([200, true]);
    await answer.body!.cancel();
    expect([service.status.held, deaths]).toEqual([0, []]);
  });
});

describe('what clients hold', () => {
  it('is what they sent, not what they announce', async () => {
    const service = await serve({ maxHeld: 100_000 });
    const announced = Array.from({ length: 64 }, () => {
      const { body, state } = openBody('a');
      const sent = { body, type: 'text/plain', headers: { 'content-length': '1000000' } };
      return { answer: service.fetch(requestOf(sent)), state };
    });
    await new Promise(resolve => setImmediate(resolve));
    expect(service.status.held).toBe(64);
    const answer = await service.fetch(requestOf({ body: 'Anna', type: 'text/plain' }));
    expect(answer.status).toBe(200);
    for (const { state } of announced) state.end();
    await Promise.all(announced.map(each => each.answer));
    expect(service.status.held).toBe(0);
  });

  it('includes answers until they are taken', async () => {
    const service = await serve({ maxHeld: 200_000, yieldAfter: 1_000_000 });
    const body = JSON.stringify(texts);
    const large = await service.fetch(requestOf({ body }));
    const held = service.status.held;
    expect(held).toBeGreaterThan(200_000);
    const other = await service.fetch(requestOf({ body }));
    expect(other.status).toBe(503);
    expect((await large.text()).length).toBeGreaterThanOrEqual(held);
    expect(service.status.held).toBe(0);
    expect((await service.fetch(requestOf({ body }))).status).toBe(200);
  });

  it('is limited for each of them', async () => {
    const service = await serve({ maxStreams: 4, maxClientHeld: 300_000, yieldAfter: 1_000_000 });
    const stream = () => requestOf({ body: openBody().body, type: ndjson });
    const statuses: number[] = [];
    for (const client of ['a', 'a', 'a', 'b', 'b', 'b', undefined]) {
      statuses.push((await service.fetch(stream(), client)).status);
    }
    expect(statuses).toEqual([200, 200, 503, 200, 200, 503, 503]);
    const body = JSON.stringify(texts);
    const ask = async (client: string) => (await service.fetch(requestOf({ body }), client)).status;
    expect([await ask('a'), await ask('a'), await ask('b')]).toEqual([200, 503, 200]);
    service.endStreams();
  });

  it('is given up by silent streams, and by readers that are idle, when others need it', async () => {
    const service = await serve({ maxStreams: 1, maxHeld: 200_000, yieldAfter: 1 });
    const silent = await service.fetch(requestOf({ body: openBody().body, type: ndjson }));
    const unread = await service.fetch(requestOf({ body: JSON.stringify(texts) }));
    await new Promise(resolve => setTimeout(resolve, 5));
    const stream = await service.fetch(requestOf({ body: '{"text":"Anna"}\n', type: ndjson }));
    expect(await stream.text()).toContain('"PER"');
    expect(JSON.parse(await silent.text()).nlp.error).toMatchObject({
      code: 'busy',
      message: expect.stringContaining('idle while others waited'),
    });
    const other = await service.fetch(requestOf({ body: JSON.stringify(texts) }));
    expect(await other.json()).toHaveLength(120);
    await expect(unread.text()).rejects.toThrow('did not read');
    expect([service.status.cutOff, service.status.held, service.status.streams]).toEqual([1, 0, 0]);
  });
});
