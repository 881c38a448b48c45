import { copyFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import {
  type ClientOptions,
  createClient,
  type GivenRecord,
  type TaggedRecord,
  TagstreamError,
} from '../../../../src/entries/client.js';
import { type Listening, listen } from '../../../../src/runtime/http/listen.js';
import { createService, type Service } from '../../../../src/service/serve/service.js';
import type { ServiceOptions } from '../../../../src/service/serve/service-options.js';
import { workspace } from '../../../cli/commands/workspace.js';
import { chromiumFile, startChromium } from '../../../reports/chromium.js';
import { namesModel, petsModel, slowModel } from '../served.js';

const root = resolve(import.meta.dirname, '../../../..');
const folder = workspace();
const names = join(folder, 'names.model');
const pets = join(folder, 'pets.model');
const text = 'Anna lives in Oslo.';
const options = {
  ...{ models: { names, pets }, aliases: { ner: 'names' }, threads: 1 },
  ...{ maxBody: 20_000, maxRecords: 50, maxWait: 600_000 },
} satisfies ServiceOptions;

writeFileSync(names, namesModel());
writeFileSync(pets, petsModel());

let service: Service;
let listening: Listening;

beforeAll(async () => {
  service = await createService(options);
  const limits = { requestTimeout: 0 };
  const place = { host: '127.0.0.1', port: 0 };
  listening = await listen(service.fetch, place, { shows: 'the service', limits });
});
afterAll(async () => {
  await listening.close();
  await service.close();
});

/** Ways to the same service. */
const ways = {
  'over a socket': (more: ClientOptions = {}) => createClient(listening.url, more),
  'in the process': (more: ClientOptions = {}) =>
    createClient('http://localhost', { fetch: service.fetch, ...more }),
};

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** What a call rejects with. */
async function failure(call: Promise<unknown>): Promise<TagstreamError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(TagstreamError);
  return error as TagstreamError;
}

/** Reads requests, and answers all of them alike. */
const answering = (body: string) => async (request: Request) => {
  await request.text();
  return new Response(body);
};

/** What the service itself answers. */
async function answered(path: string, body: unknown): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return (await service.fetch(new Request(`http://localhost${path}`, init))).json();
}

describe.each(Object.entries(ways))('a client %s', (way, clientOf) => {
  const client = () => clientOf();

  it('tags a text, a record, and arrays of them as the service does', async () => {
    const record = { id: 7, tokens: ['Ben', 'saw', 'New', 'York'], other: { x: [1] } };
    const one = await client().tag(text);
    expect(one).toEqual(await answered('/v1/tag', text));
    expect(one.spans?.map(({ label }) => label)).toEqual(['PER', 'LOC']);
    const tagged = await client().tag(record);
    expect(tagged).toMatchObject({ ...record, tags: ['B-PER', 'O', 'B-LOC', 'I-LOC'] });
    expect(await client().tag([text, 'Ben'])).toEqual(await answered('/v1/tag', [text, 'Ben']));
    expect(await client().tag([record, { text }])).toEqual([tagged, one]);
    expect(await client().tag([])).toEqual([]);
  });

  it('sends all options', { tags: 'slow' }, async () => {
    const asked = { model: 'pets', nbest: 2, marginals: 'all', probability: true } as const;
    const query = new URLSearchParams(Object.entries(asked).map(([k, v]) => [k, `${v}`]));
    const tagged = await client().tag(text, { ...asked, scores: undefined });
    expect(tagged).toEqual(await answered(`/v1/tag?${query}`, text));
    expect(tagged.nbest!.map(({ length }) => length)).toEqual([2]);
    expect((await client().tag(text, { redact: '[{label}]' })).text).toBe('[PER] lives in [LOC].');
  });

  it('explains, lists models, and knows whether they are ready', async () => {
    const explained = await client().explain(text);
    expect(explained).toEqual(await answered('/v1/explain', text));
    expect(explained.explanations[0]).toMatchObject({ token: 'Anna', tag: 'B-PER' });
    expect(await client().explain([text, 'Ben'])).toHaveLength(2);
    const models = await client().models();
    expect(models.map(({ name, version }) => [name, version])).toEqual(
      Object.entries(service.versions),
    );
    expect(models[0]).toMatchObject({ aliases: ['ner'], default: true, ready: true });
    expect(await client().ready()).toBe(true);
  });

  it('throws the errors of the service with their codes', async () => {
    const unknown = await failure(client().tag(text, { model: 'x' }));
    expect(unknown).toMatchObject({ code: 'usage', problem: 'there is no model with this name' });
    expect(unknown.fix).toContain('names');
    expect(unknown.message).toContain('/v1/tag: ');
    const bad = await failure(client().tag([{ tokens: ['a'] }, { id: 2 }]));
    expect(bad.code).toBe('wrong-shape');
    expect(bad.place.source).toMatch(/\/v1\/tag, record 1$/);
    const passed = await client().tag([{ tokens: ['a'] }, { id: 2 }], { onBad: 'pass' });
    expect(passed[1]!.nlp?.error?.code).toBe('wrong-shape');
    expect((await failure(client().tag('a'.repeat(20_001)))).code).toBe('too-long');
    const option = { nbset: 2 } as object;
    expect((await failure(client().tag(text, option))).fix).toContain('nbest');
    expect((await failure(client().tag(1 as unknown as string))).code).toBe('wrong-shape');
    const circle: Record<string, unknown> = {};
    circle.circle = circle;
    expect((await failure(client().tag(circle))).code).toBe('wrong-shape');
  });

  it('streams: answers come in order, while the stream goes on', async () => {
    let release: ((record: GivenRecord) => void) | undefined;
    async function* asked(): AsyncGenerator<string | GivenRecord> {
      yield text;
      for (let i = 0; i < 3; i += 1) {
        yield await new Promise<GivenRecord>(resolve => {
          release = resolve;
        });
      }
    }
    const answers = client().stream(asked());
    expect((await answers.next()).value).toEqual(await answered('/v1/tag', text));
    for (let id = 0; id < 3; id += 1) {
      // The record is made after the answer to the one before.
      release!({ id, tokens: ['Anna'] });
      expect((await answers.next()).value).toMatchObject({ id, tags: ['B-PER'] });
    }
    expect(await answers.next()).toEqual({ done: true, value: undefined });
  });

  const kinds = [
    ['in one request', false],
    ['in parts', true],
  ] as const;

  it.each(kinds)(
    'streams lists and other iterables %s, each record once',
    { tags: 'slow' },
    async (_, inParts) => {
      const records = Array.from({ length: 2000 }, (_, id) => ({ id, tokens: ['Ben', `w${id}`] }));
      const small = await createService({ ...options, maxRecords: 10_000, maxBody: 1 << 20 });
      const own = createClient('http://localhost', { fetch: small.fetch });
      const asking = way === 'in the process' ? own : client();
      const given = way === 'in the process' || !inParts ? records : records.slice(0, 50);
      const answers = await all(asking.stream(given, { inParts, modelVersion: true }));
      expect(answers.map(({ id }) => id)).toEqual(given.map(({ id }) => id));
      expect(answers.every(({ tags }) => tags![0] === 'B-PER')).toBe(true);
      expect(await all(asking.stream([], { inParts }))).toEqual([]);
      await small.close();
    },
  );

  it.each(kinds)(
    'passes records on that are bad, or ends with their error, %s',
    async (_, inParts) => {
      const records = [{ text }, { id: 1 }, {}, { text: 'Ben' }];
      const answers = await all(client().stream(records, { inParts }));
      expect(answers.map(({ nlp }) => nlp?.error?.code)).toEqual([
        undefined,
        'wrong-shape',
        'wrong-shape',
        undefined,
      ]);
      expect(answers[3]!.tags).toEqual(['B-PER']);
      const failing = client().stream(records, { inParts, onBad: 'fail' });
      expect((await failure(all(failing))).code).toBe('wrong-shape');
      const hidden = client().stream(records, { inParts, redact: '*' });
      expect((await failure(all(hidden))).code).toBe('wrong-shape');
      const unknown = client().stream(records, { inParts, model: 'x' });
      expect((await failure(all(unknown))).problem).toBe('there is no model with this name');
    },
  );

  it('tells which record is too long: in the record, or where it ends the stream', async () => {
    const records = [{ text }, { text: 'a'.repeat(100_000) }, { text }];
    const answers: TaggedRecord[] = [];
    const reading = async () => {
      for await (const answer of client().stream(records)) answers.push(answer);
    };
    // It ends the stream if the service has a piece of it before the rest comes.
    const end = await reading().catch((thrown: TagstreamError) => thrown);
    expect(answers[0]!.tags).toHaveLength(5);
    expect(end?.code ?? answers[1]!.nlp!.error!.code).toBe('too-long');
    expect(answers).toHaveLength(end === undefined ? 3 : answers.length);
  });

  it.each(kinds)(
    'reads little ahead of who takes the answers, %s',
    { tags: 'slow' },
    async (_, inParts) => {
      let given = 0;
      let hasEnded = false;
      async function* endless(): AsyncGenerator<GivenRecord> {
        try {
          for (;;) {
            given += 1;
            yield { id: given, tokens: ['Anna', 'x'.repeat(2000)] };
          }
        } finally {
          hasEnded = true;
        }
      }
      const sizes: number[] = [];
      // A part is no larger than a body may be.
      const large = await createService({ ...options, maxBody: 1 << 20, maxRecords: 10_000 });
      const asking =
        way === 'in the process'
          ? createClient('http://localhost', { fetch: large.fetch })
          : client();
      if (way === 'over a socket' && inParts) return large.close();
      let taken = 0;
      for await (const { id } of asking.stream(endless(), { inParts })) {
        taken += 1;
        expect(id).toBe(taken);
        if (taken === 5) {
          // What has room on the way is filled, and then nothing more is read.
          do {
            sizes.push(given);
            await wait(300);
          } while (given !== sizes.at(-1));
          break;
        }
      }
      // It has stopped, and let the generator know.
      expect(sizes.at(-1)! * 2000).toBeLessThan(30_000_000);
      expect(hasEnded).toBe(true);
      expect(given).toBeLessThanOrEqual(sizes.at(-1)! + 1);
      await large.close();
      return undefined;
    },
  );

  it('throws what the iterable throws', async () => {
    async function* broken(): AsyncGenerator<string> {
      yield text;
      throw new RangeError('no more');
    }
    for (const inParts of [false, true]) {
      await expect(all(client().stream(broken(), { inParts }))).rejects.toThrow(RangeError);
    }
    const wrong = [text, 5] as string[];
    expect((await failure(all(client().stream(wrong)))).code).toBe('wrong-shape');
    const single = 5 as unknown as string[];
    expect((await failure(all(client().stream(single)))).code).toBe('config');
  });

  it('ends when a signal is aborted, its own or that of the call', { tags: 'slow' }, async () => {
    const reason = new Error('enough');
    const never: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
    };
    for (const inParts of [false, true]) {
      for (const isOwn of [false, true]) {
        const end = new AbortController();
        const { signal } = end;
        const asking = clientOf(isOwn ? { signal } : {});
        const reading = all(asking.stream(never, { inParts, ...(isOwn ? {} : { signal }) }));
        setTimeout(() => end.abort(reason), 50);
        await expect(reading).rejects.toBe(reason);
        const call = isOwn ? {} : { signal };
        await expect(asking.tag(text, call)).rejects.toBe(reason);
        await expect(asking.models(call)).rejects.toBe(reason);
        await expect(asking.ready(call)).rejects.toBe(reason);
      }
    }
    // Nothing of them is left at the service.
    await expect.poll(() => service.status.streams).toBe(0);
  });

  it('stays with one version of a model, while others get the new one', {
    tags: 'slow',
  }, async () => {
    const file = join(folder, `changing-${way.replaceAll(' ', '-')}.model`);
    copyFileSync(names, file);
    const changing = await createService({ models: { file }, threads: 1 });
    const limits = { requestTimeout: 0 };
    const place = { host: '127.0.0.1', port: 0 };
    const socket = await listen(changing.fetch, place, { shows: 'the service', limits });
    const asking =
      way === 'in the process'
        ? createClient('http://localhost', { fetch: changing.fetch })
        : createClient(socket.url);
    const first = changing.versions.file!;
    async function* asked(): AsyncGenerator<string> {
      yield text;
      copyFileSync(pets, file);
      await changing.reload();
      for (let i = 0; i < 20; i += 1) yield text;
    }
    const answers = await all(asking.stream(asked(), { modelVersion: true, inParts: false }));
    const second = changing.versions.file!;
    expect(second).not.toBe(first);
    expect(answers).toHaveLength(21);
    expect(new Set(answers.map(({ tags }) => tags!.join(' ')))).toEqual(
      new Set(['B-PER O O B-LOC O']),
    );
    expect((await asking.tag(text)).tags).toEqual(['O', 'B-ACT', 'O', 'O', 'O']);
    expect((await asking.models())[0]!.version).toBe(second);
    await socket.close();
    await changing.close();
  });
});

describe.skipIf(chromiumFile === undefined)('a client in Chromium', () => {
  let browser: Awaited<ReturnType<typeof startChromium>>;
  let own: Service;
  let socket: Listening;

  beforeAll(async () => {
    browser = await startChromium();
    own = await createService({ models: { names }, threads: 1 });
    const place = { host: '127.0.0.1', port: 0 };
    socket = await listen(own.fetch, place, { shows: 'the service', limits: {} });
  });
  afterAll(async () => {
    await browser.close();
    await socket.close();
    await own.close();
  });

  it('does all that it does in Node, from a page of the service', { tags: 'slow' }, async () => {
    const page = await browser.context.newPage();
    const heard: string[] = [];
    page.on('pageerror', ({ message }) => heard.push(message));
    await page.goto(socket.url);
    const input = join(root, 'dist/web/entries/client.js');
    const bundle = await rolldown({ input, platform: 'browser' });
    const { output } = await bundle.generate({ format: 'iife', name: 'library' });
    await bundle.close();
    await page.evaluate(`${output[0].code}; globalThis.library = library;`);
    const found = await page.evaluate(async given => {
      const { library } = globalThis as unknown as {
        library: { createClient: typeof createClient };
      };
      const client = library.createClient('/');
      async function* records() {
        for (let id = 0; id < 300; id += 1) yield { id, text: given };
      }
      const ids: unknown[] = [];
      for await (const { id, tags } of client.stream(records()))
        if (tags !== undefined) ids.push(id);
      const error = await client.tag(given, { model: 'x' }).catch(({ name, code }) => [name, code]);
      const name = (await client.models())[0]!.name;
      const { explanations } = await client.explain(given);
      return { ids, error, name, explained: explanations.length, ready: await client.ready() };
    }, text);
    expect(found.ids).toEqual(Array.from({ length: 300 }, (_, id) => id));
    expect(found).toMatchObject({ error: ['TagstreamError', 'usage'], name: 'names' });
    expect(found).toMatchObject({ explained: 5, ready: true });
    expect(heard).toEqual([]);
  });
});

describe('a client', () => {
  it('sends its token, and headers for a proxy', { tags: 'slow' }, async () => {
    const own = await createService({
      ...{ models: { names }, threads: 1 },
      tokens: { text: 'correct-horse-battery-staple', source: 'tokens' },
    });
    const seen: (string | null)[] = [];
    const fetch = (request: Request) => {
      seen.push(request.headers.get('x-proxy'));
      return own.fetch(request);
    };
    const headers = { 'X-Proxy': 'yes' };
    const token = 'correct-horse-battery-staple';
    const client = createClient(new URL('http://localhost/'), { fetch, token, headers });
    expect((await client.tag('Ben')).tags).toEqual(['B-PER']);
    expect(await all(client.stream(['Ben']))).toHaveLength(1);
    expect(seen).toEqual(['yes', 'yes']);
    const stranger = createClient('http://localhost', { fetch });
    const error = await failure(stranger.models());
    expect(error.problem).toBe('the token is missing or wrong');
    expect((await failure(all(stranger.stream(['Ben'])))).problem).toBe(error.problem);
    own.drain();
    expect(await client.ready()).toBe(false);
    await own.close();
  });

  it('asks again where the service is busy, when it says, and not more often than it may', {
    tags: 'slow',
  }, async () => {
    let refusals = 0;
    const times: number[] = [];
    const busy = (after: string | undefined) => async (request: Request) => {
      times.push(performance.now());
      if (refusals-- <= 0) return service.fetch(request);
      await request.text();
      const problem = { code: 'busy', detail: 'too much to do', fix: 'try again later' };
      const headers = {
        'Content-Type': 'application/problem+json',
        ...(after === undefined ? {} : { 'Retry-After': after }),
      };
      return new Response(JSON.stringify(problem), { status: 503, headers });
    };
    const ask = (after: string | undefined, more: ClientOptions = {}) => {
      times.length = 0;
      return createClient('http://localhost', { fetch: busy(after), ...more });
    };
    refusals = 1;
    expect((await ask('1').tag('Ben')).tags).toEqual(['B-PER']);
    expect(times).toHaveLength(2);
    expect(times[1]! - times[0]!).toBeGreaterThan(950);
    refusals = 3;
    expect(await ask('0').tag(['Ben', 'Anna'])).toHaveLength(2);
    expect(times).toHaveLength(4);
    refusals = 1;
    expect((await ask(new Date(0).toUTCString()).explain('Ben')).explanations).toHaveLength(1);
    for (const [after, more, requests] of [
      ['0', {}, 4],
      ['0', { retries: 1 }, 2],
      ['0', { retries: 0 }, 1],
      ['11', {}, 1],
      ['2', { maxRetryAfter: 1999 }, 1],
      [undefined, {}, 1],
    ] as const) {
      refusals = 100;
      const error = await failure(ask(after, more).tag('Ben'));
      expect(error).toMatchObject({ code: 'busy', fix: 'try again later' });
      expect(times).toHaveLength(requests);
    }
    // What was sent of a stream is gone.
    refusals = 1;
    expect((await failure(all(ask('0').stream(['Ben'])))).code).toBe('busy');
    expect(times).toHaveLength(1);
    refusals = 1;
    expect(await all(ask('0').stream(['Ben'], { inParts: true }))).toHaveLength(1);
    refusals = 1;
    const end = new AbortController();
    const waiting = ask('9', { signal: end.signal }).tag('Ben');
    setTimeout(() => end.abort(), 20);
    await expect(waiting).rejects.toThrow(/abort/i);
  });

  it('comes through where a service that is full refuses many', { tags: 'slow' }, async () => {
    const model = join(folder, 'slow.model');
    writeFileSync(model, slowModel());
    const full = await createService({ models: { model }, threads: 1, maxWait: 1 });
    let refused = 0;
    const fetch = async (request: Request) => {
      const answer = await full.fetch(request);
      refused += answer.status === 503 ? 1 : 0;
      return answer;
    };
    const client = createClient('http://localhost', { fetch, retries: 100 });
    const tokens = Array.from({ length: 400 }, (_, i) => `w${i}`);
    await client.tag({ tokens });
    const many = Array.from({ length: 5 }, (_, id) => client.tag({ id, tokens }));
    expect((await Promise.all(many)).map(({ id }) => id)).toEqual(many.map((_, id) => id));
    expect(refused).toBeGreaterThan(0);
    await full.close();
  });

  it('says what is wrong where no service answers, or something else does', async () => {
    const place = { host: '127.0.0.1', port: 0 };
    const closed = await listen(service.fetch, place, { shows: 'the service', limits: {} });
    await closed.close();
    const error = await failure(createClient(closed.url).ready());
    expect(error).toMatchObject({ code: 'connection' });
    expect(error.message).toContain('ECONNREFUSED');
    expect((await failure(all(createClient(closed.url).stream(['a'])))).code).toBe('connection');
    const other = (body: string, init: ResponseInit = {}) =>
      createClient('http://localhost', { fetch: () => new Response(body, init) });
    const proxy = await failure(other('<h1>Bad Gateway</h1>', { status: 502 }).tag('a'));
    expect(proxy.message).toContain(
      'http://localhost/v1/tag: the response has status 502: <h1>Bad',
    );
    expect((await failure(other('<html>').models())).code).toBe('connection');
    expect((await failure(all(other('<html>').stream(['a'])))).code).toBe('connection');
    expect((await failure(all(other('').stream(['a'])))).message).toContain('after 0 answers');
    const type = { 'Content-Type': 'application/problem+json' };
    for (const body of ['{}', 'null', '[]', '7']) {
      const odd = await failure(other(body, { status: 500, headers: type }).tag('a'));
      expect(odd.code).toBe('connection');
    }
  });

  it.each([
    'null',
    '7',
    '"a"',
    'true',
    '[]',
    '[null]',
    '[{}]',
    '[{},{},7]',
    '{}',
    '{"models":[7]}',
  ])('takes %s for an answer only where it is one', async body => {
    const client = createClient('http://localhost', { fetch: answering(body) });
    const calls: readonly [Promise<unknown>, boolean][] = [
      [client.tag('a'), body.startsWith('{')],
      [client.tag({ tokens: ['a'] }), body.startsWith('{')],
      [client.explain('a'), body.startsWith('{')],
      [client.tag(['a']), body === '[{}]'],
      [client.tag(['a', 'b', 'c']), false],
      [client.explain(['a']), body === '[{}]'],
      [client.models(), false],
      [all(client.stream(['a'])), body.startsWith('{')],
      [all(client.stream(['a'], { inParts: true })), body === '[{}]'],
    ];
    for (const [call, isOne] of calls) {
      if (isOne) await call;
      else {
        const { code, message } = await failure(call);
        expect(code).toBe('connection');
        expect(message).toContain(`the response does not answer the request: ${body}`);
      }
    }
  });

  it('keeps records whose own member has the name of the results', async () => {
    const lines = '{"nlp":null}\n{"nlp":{"error":null}}\n{"nlp":{"error":"none"}}\n';
    const client = createClient('http://localhost', { fetch: answering(lines) });
    expect(await all(client.stream(['a', 'b', 'c']))).toEqual(
      lines
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as unknown),
    );
  });

  it('throws where the service ends a stream that is not at its end', {
    tags: 'slow',
  }, async () => {
    const own = await createService({ models: { names }, threads: 1 });
    const client = createClient('http://localhost', { fetch: own.fetch });
    let go: (() => void) | undefined;
    async function* asked(): AsyncGenerator<string> {
      yield text;
      await new Promise<void>(resolve => {
        go = resolve;
      });
      yield text;
    }
    const reading = async () => {
      for await (const { tags } of client.stream(asked())) {
        expect(tags).toHaveLength(5);
        own.endStreams();
        go!();
      }
    };
    const error = await failure(reading());
    expect(error).toMatchObject({ code: 'connection' });
    expect(error.message).toContain('after 1 answers');
    await own.close();
  });

  it('refuses addresses and options that there are not', () => {
    for (const address of [
      'localhost:8080',
      '/tagger',
      'http://me:secret@host',
      'http://a?b',
      '',
    ]) {
      expect(() => createClient(address)).toThrow(TagstreamError);
    }
    expect(() => createClient('http://a', { tokne: 'x' } as ClientOptions)).toThrow(
      /did you mean token/,
    );
    expect(() => createClient('http://a', { retries: -1 })).toThrow(/retries/);
    expect(createClient('https://example.com/tagger/').tag).toBeTypeOf('function');
  });

  it('has the types of the schemas', () => {
    const client = createClient('http://localhost');
    const document: Document = { tokens: ['a'] };
    expectTypeOf(client.tag).toBeCallableWith(document, { nbest: 2 });
    const check = () => {
      expectTypeOf(client.tag('a')).resolves.toEqualTypeOf<TaggedRecord>();
      expectTypeOf(client.tag([document])).resolves.toEqualTypeOf<TaggedRecord[]>();
      // @ts-expect-error there is no such decoding
      void client.tag('a', { decoding: 'best' });
      // @ts-expect-error tokens are texts
      void client.tag({ tokens: [1] });
      // @ts-expect-error explanations have no alternatives
      void client.explain('a', { nbest: 2 });
      // @ts-expect-error a stream has no time
      client.stream(['a'], { timeout: 5 });
    };
    expect(check).toBeTypeOf('function');
  });
});
