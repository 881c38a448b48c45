// @module-tag slow
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService, type Service } from '../../../src/service/serve/service.js';
import { tagstream } from '../../cli/commands/run-command.js';
import { workspace } from '../../cli/commands/workspace.js';
import { columnModel, writeModels } from './served.js';

const folder = workspace();
let files: ReturnType<typeof writeModels>;
let service: Service;

beforeAll(async () => {
  files = writeModels(folder);
  service = await createService({
    models: files,
    aliases: { ner: 'names' },
    threads: 1,
    maxBody: 20_000,
    maxRecords: 50,
    maxTokens: 500,
    maxNbest: 3,
    timeout: 20_000,
    maxWait: 100_000,
  });
});
afterAll(() => service.close());

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly type?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyInit | undefined;
}

async function ask({
  path = '/v1/tag',
  method = 'POST',
  type = 'application/json',
  headers = {},
  body,
}: Asked) {
  const all = { ...(method === 'POST' && type !== '' ? { 'content-type': type } : {}), ...headers };
  const answer = await service.fetch(
    new Request(`http://localhost${path}`, {
      method,
      headers: all,
      ...(body === undefined ? {} : { body }),
      duplex: 'half',
    } as RequestInit),
  );
  const text = await answer.text();
  return { status: answer.status, text, headers: answer.headers };
}

/** A body that comes in parts. */
function streamOf(parts: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const left = [...parts];
  return new ReadableStream({
    pull(controller) {
      const part = left.shift();
      if (part === undefined) controller.close();
      else controller.enqueue(part);
    },
  });
}

const text = 'Anna lives in Oslo.';

/** What `tagstream tag` makes of lines. */
async function tagged(lines: string, ...options: string[]): Promise<string> {
  const file = join(folder, 'in.ndjson');
  writeFileSync(file, lines);
  return (await tagstream(['tag', file, '--model', files.names, ...options])).stdout;
}

describe('POST /v1/tag', () => {
  it('tags a text, a JSON text and a record as the command does, to the byte', async () => {
    const line = await tagged(`${JSON.stringify({ text })}\n`);
    expect(line).toContain('"spans"');
    expect((await ask({ type: 'text/plain', body: text })).text).toBe(line);
    expect((await ask({ body: JSON.stringify(text) })).text).toBe(line);
    const record = '{ "id":7, "x": [1,  2.50],\n "text": "Ben saw New York" }\r\n';
    const { status, text: answer, headers } = await ask({ body: record });
    expect(status).toBe(200);
    expect(answer).toBe(
      await tagged(
        '{ "id":7, "x": [1,  2.50],  "text": "Ben saw New York" }\n'.replace('],  ', '], '),
      ).then(found => found.replace('], "text"', '],  "text"')),
    );
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('tagstream-model')).toBe('names');
    expect(headers.get('tagstream-version')).toBe(service.versions.names);
  });

  it('tags arrays of records and of texts, in order', async () => {
    const records = [{ text }, { tokens: ['New', 'York'] }, { id: 'c', text: '' }];
    const lines = await tagged(records.map(each => `${JSON.stringify(each)}\n`).join(''));
    const expected = `[${lines.trimEnd().split('\n').join(',')}]\n`;
    expect(JSON.parse((await ask({ body: JSON.stringify(records) })).text)).toEqual(
      JSON.parse(expected),
    );
    expect((await ask({ body: JSON.stringify(records, undefined, 2) })).status).toBe(200);
    const texts = JSON.parse((await ask({ body: JSON.stringify([text, 'Ben']) })).text);
    expect(texts.map((each: { text: string }) => each.text)).toEqual([text, 'Ben']);
    expect((await ask({ body: '[]' })).text).toBe('[]\n');
    const ndjson = await ask({
      body: JSON.stringify(records),
      headers: { accept: 'application/x-ndjson' },
    });
    expect(JSON.parse(`[${ndjson.text.trimEnd().split('\n').join(',')}]`)).toEqual(
      JSON.parse(expected),
    );
  });

  it('reads records as those that the model was trained on', async () => {
    const model = join(folder, 'column.model');
    writeFileSync(model, columnModel());
    const own = await createService({ models: { model }, threads: 1 });
    const body = '{"tokens":["the","dog"],"columns":{"pos":["D","N"]},"tags":["O","O"]}';
    const headers = { 'content-type': 'application/json' };
    const request = new Request('http://localhost/v1/tag', { method: 'POST', body, headers });
    const answer = await (await own.fetch(request)).text();
    await own.close();
    writeFileSync(join(folder, 'column.ndjson'), `${body}\n`);
    const { stdout } = await tagstream(['tag', join(folder, 'column.ndjson'), '--model', model]);
    expect(answer).toBe(stdout);
  });

  it('takes the options of the command', async () => {
    const body = JSON.stringify({ tokens: ['Anna', 'saw', 'Oslo'] });
    for (const [query, ...options] of [
      ['marginals=true', '--marginals'],
      ['marginals=all', '--marginals', 'all'],
      ['marginals=pairs', '--marginals', 'pairs'],
      [
        ...['marginals=pairs&pairThreshold=0.25', '--marginals', 'pairs'],
        ...['--pair-threshold', '0.25'],
      ],
      ['scores=true&probability=true', '--scores', '--probability'],
      ['nbest=3', '--nbest', '3'],
      ['spanProbabilities=true', '--span-probabilities'],
      ['decoding=posterior', '--decoding', 'posterior'],
      ['output=tags', '--output', 'tags'],
      ['transitions=any', '--transitions', 'any'],
      ['modelVersion=true', '--model-version'],
      ['into=nlp', '--into', 'nlp'],
    ] as const) {
      const { text: answer } = await ask({ path: `/v1/tag?${query}`, body });
      expect([query, answer]).toEqual([query, await tagged(`${body}\n`, ...options)]);
    }
    const redacted = await ask({
      path: '/v1/tag?redact=%5B%7Blabel%7D%5D',
      body: JSON.stringify({ text }),
    });
    expect(redacted.text).toBe('{"text":"[PER] lives in [LOC]."}\n');
    // A wrong name of the text must not give back what was to be redacted.
    const textless = await ask({ path: '/v1/tag?redact=x', body: '{"message":"Anna"}' });
    expect([textless.status, JSON.parse(textless.text).code]).toEqual([422, 'wrong-shape']);
    const other = await ask({
      path: '/v1/tag?textField=m.t',
      body: '{"m":{"t":"Anna saw"},"tags":1}',
    });
    expect(other.text).toBe(
      await tagged('{"m":{"t":"Anna saw"},"tags":1}\n', '--text-field', 'm.t'),
    );
  });

  it('answers in columns and as a page', async () => {
    const body = JSON.stringify({ text: 'Anna lives in Oslo. Ben saw.' });
    const conll = await ask({ body, headers: { accept: 'text/x-conll' } });
    expect(conll.text).toBe(await tagged(`${body}\n`, '--to', 'conll'));
    const conllu = await ask({ body, headers: { accept: 'text/x-conllu' } });
    expect(conllu.text).toBe(await tagged(`${body}\n`, '--to', 'conllu'));
    const page = await ask({ body, headers: { accept: 'text/html' } });
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.text).toMatch(/^<!doctype html>[\s\S]*<mark [\s\S]*Oslo[\s\S]*<\/html>\n$/);
    const script = await ask({
      type: 'text/plain',
      body: '<script>Anna',
      headers: { accept: 'text/html' },
    });
    expect(script.text).not.toContain('<script>');
  });

  it('chooses a model by name and alias', async () => {
    const spansOf = async (path: string) => {
      const { text: answer, headers } = await ask({ path, type: 'text/plain', body: text });
      const { spans } = JSON.parse(answer) as { spans: { label: string }[] };
      return [headers.get('tagstream-model'), ...spans.map(({ label }) => label)];
    };
    expect(await spansOf('/v1/tag')).toEqual(['names', 'PER', 'LOC']);
    expect(await spansOf('/v1/tag?model=ner')).toEqual(['names', 'PER', 'LOC']);
    expect(await spansOf('/v1/tag?model=pets')).toEqual(['pets', 'ACT']);
  });

  it('packs requests of many clients, and gives each its own answer', async () => {
    const names = ['Anna', 'Ben', 'Oslo', 'dog'];
    const asked = Array.from({ length: 200 }, async (_, i) => {
      const id = `r${i}`;
      const bad = i % 7 === 3;
      const body = bad
        ? '{"tokens": 5}'
        : JSON.stringify({ id, tokens: [names[i % 4], 'saw', names[(i + 1) % 4]] });
      const path = i % 5 === 0 ? '/v1/tag?marginals=true' : '/v1/tag';
      const { status, text: answer } = await ask({ path, body });
      return bad
        ? status === 422
        : JSON.parse(answer).id === id && answer.includes('marginals') === (i % 5 === 0);
    });
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 200 }, () => true));
    const { text: metrics } = await ask({ path: '/metrics', method: 'GET' });
    const blocks = Number(
      /tagstream_serve_blocks_total\{model="names"[^}]*\} (\d+)/.exec(metrics)![1],
    );
    expect(blocks).toBeLessThan(200);
  });

  it.each([
    ['/v1/tag', 'application/json', '{"tokens": 5}', 422, 'wrong-shape'],
    [
      '/v1/tag',
      'application/json',
      '{"tokens": ["a"], "columns": {"p": []}}',
      422,
      'length-mismatch',
    ],
    ['/v1/tag', 'application/json', '{"text": ', 400, 'not-json'],
    ['/v1/tag', 'application/json', '', 400, 'not-json'],
    ['/v1/tag', 'application/json', '5', 422, 'not-an-object'],
    ['/v1/tag', 'application/json', '"abc', 400, 'not-json'],
    ['/v1/tag', 'application/json', '[{"text": "a"}', 400, 'not-json'],
    ['/v1/tag', 'application/json', '["a", {"text": "b"}]', 422, 'wrong-shape'],
    ['/v1/tag', 'application/json', `[${'{},'.repeat(60)}{}]`, 413, 'too-large'],
    [
      '/v1/tag',
      'application/json',
      JSON.stringify({ tokens: Array(501).fill('a') }),
      413,
      'too-large',
    ],
    ['/v1/tag', 'text/plain', 'a'.repeat(20_001), 413, 'too-long'],
    ['/v1/tag', 'text/plain', new Uint8Array([0xff, 0x41]), 400, 'invalid-utf8'],
    [
      '/v1/tag',
      'application/json',
      new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]),
      400,
      'invalid-utf8',
    ],
    ['/v1/tag', 'application/xml', '<a/>', 415, 'usage'],
    ['/v1/tag', 'text/plain; charset=utf-16', 'a', 415, 'usage'],
    ['/v1/tag', '', 'a', 415, 'usage'],
    ['/v1/tag?model=none', 'text/plain', 'a', 404, 'usage'],
    ['/v1/tag?nbest=4', 'text/plain', 'a', 400, 'config'],
    ['/v1/tag?nbest=x', 'text/plain', 'a', 400, 'config'],
    ['/v1/tag?marginal=true', 'text/plain', 'a', 400, 'config'],
    ['/v1/tag?scores=true&scores=false', 'text/plain', 'a', 400, 'usage'],
    ['/v1/tag?output=tags&scores=true', 'text/plain', 'a', 400, 'usage'],
    ['/v1/tag?redact=x&onBad=pass', 'text/plain', 'a', 400, 'usage'],
    ['/v1/tag?textField=a&into=a', 'text/plain', 'a', 400, 'config'],
    ['/v1/tags', 'text/plain', 'a', 404, 'usage'],
  ])('%s of %s %s: %i %s', async (path, type, body, status, code) => {
    const answer = await ask({
      path,
      type,
      body: typeof body === 'string' ? Buffer.from(body) : body,
    });
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([status, code]);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
  });

  it('names the record that is wrong, or passes it on with its error', async () => {
    const body = '[{"text":"Ben"},{"tokens":5},{"text":"Anna"}]';
    const failed = await ask({ body });
    expect(JSON.parse(failed.text)).toMatchObject({ status: 422, code: 'wrong-shape', record: 1 });
    const passed = JSON.parse((await ask({ path: '/v1/tag?onBad=pass', body })).text);
    expect(passed).toHaveLength(3);
    expect(passed[1]).toMatchObject({ tokens: 5, nlp: { error: { code: 'wrong-shape' } } });
  });

  it('refuses types of answers that there are not, and packed bodies', async () => {
    expect(
      (await ask({ type: 'text/plain', body: 'a', headers: { accept: 'image/png' } })).status,
    ).toBe(406);
    expect(
      (await ask({ type: 'text/plain', body: 'a', headers: { 'content-encoding': 'gzip' } }))
        .status,
    ).toBe(415);
  });

  it('gives up a request whose body does not come, and one whose client is gone', async () => {
    const never = new ReadableStream({});
    const late = await ask({ path: '/v1/tag?timeout=50', type: 'text/plain', body: never });
    expect([late.status, JSON.parse(late.text).code]).toEqual([408, 'timeout']);
    const gone = new AbortController();
    const request = new Request('http://localhost/v1/tag', {
      ...{ method: 'POST', body: 'Anna', signal: gone.signal },
      headers: { 'content-type': 'text/plain' },
    });
    const before = service.status.abandoned;
    const answer = service.fetch(request);
    gone.abort();
    await answer;
    expect(service.status.abandoned).toBe(before + 1);
    expect(service.status.held).toBe(0);
  });
});

describe('a stream of records', () => {
  it('is answered in order while it goes on', async () => {
    let send!: (line: string) => void;
    let end!: () => void;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        send = line => controller.enqueue(Buffer.from(line));
        end = () => controller.close();
      },
    });
    const answer = await service.fetch(
      new Request('http://localhost/v1/tag', {
        ...{ method: 'POST', body, duplex: 'half' },
        headers: { 'content-type': 'application/x-ndjson' },
      } as RequestInit),
    );
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    for (const name of ['Anna', 'Ben']) {
      send(`{"text":"${name} saw"}\n`);
      expect((await reader.read()).value).toContain(`"text":"${name} saw"`);
    }
    send('{"tokens":5}\n\n  \n{"text":');
    expect((await reader.read()).value).toContain('"code":"wrong-shape"');
    send('"Oslo"}');
    end();
    expect((await reader.read()).value).toContain('"text":"Oslo"');
    expect((await reader.read()).done).toBe(true);
    expect(service.status.streams).toBe(0);
  });

  it('gives the bytes of the command, however it is cut', async () => {
    const lines = Array.from(
      { length: 3000 },
      (_, i) => `{"id":${i},"text":"Anna saw ${i} in New York é😀."}\n`,
    ).join('');
    const bytes = Buffer.from(lines);
    const expected = await tagged(lines);
    for (const size of [7, 1000, 70_000]) {
      if (size === 7 && bytes.length > 200_000) continue;
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      const { text: answer } = await ask({
        type: 'application/x-ndjson',
        body: streamOf(chunks) as unknown as BodyInit,
      });
      expect(answer === expected).toBe(true);
    }
  });

  it('ends with a line that says why, where a record is too long or a record fails', async () => {
    const long = await ask({
      type: 'application/x-ndjson',
      body: `{"text":"Ben"}\n${'a'.repeat(30_000)}`,
    });
    const lines = long.text.trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[1]!).nlp.error.code).toBe('too-long');
    const failing = await ask({
      ...{ path: '/v1/tag?onBad=fail', type: 'application/x-ndjson' },
      body: streamOf(
        ['{"text":"Ben"}\n', '{"tokens":5}\n', '{"text":"x"}\n'].map(line => Buffer.from(line)),
      ) as unknown as BodyInit,
    });
    expect(failing.text.trimEnd().split('\n').at(-1)).toContain('wrong-shape');
    expect(failing.text).not.toContain('"x"');
    expect(service.status.streams).toBe(0);
  });

  it.each([
    ['text/plain', {}],
    ['text/plain', { 'content-length': '4' }],
    ['application/x-ndjson', {}],
    ['application/x-ndjson', { 'content-length': '14' }],
  ])('of %s with the headers %j says what is wrong with its chunks', async (type, headers) => {
    const record = type === 'text/plain' ? 'Anna' : '{"text":"Ann"}';
    const bytes = Buffer.from(record);
    for (const chunk of [record, 5, {}, null, new ArrayBuffer(4), [65, 66]]) {
      const body = streamOf([bytes, chunk as Uint8Array, bytes]) as unknown as BodyInit;
      const { status, text } = await ask({ type, headers, body });
      expect([type === 'text/plain' ? 400 : 200, text]).toEqual([
        status,
        expect.stringContaining('the body cannot be read: '),
      ]);
      expect(text).not.toContain('\\u0000');
    }
    expect([service.status.held, service.status.streams]).toEqual([0, 0]);
  });

  it.each([
    ...['text/plain', 'application/json', 'application/x-ndjson'].flatMap(type =>
      [{}, { 'content-length': '14' }].map(headers => [type, headers] as const),
    ),
  ])(
    'of %s with the headers %j is refused if it was read, or another reads it',
    async (type, headers) => {
      const made = () =>
        new Request('http://localhost/v1/tag', {
          method: 'POST',
          headers: { 'content-type': type, ...headers },
          body: streamOf([Buffer.from('{"text":"Ann"}')]) as unknown as BodyInit,
          duplex: 'half',
        } as RequestInit);
      const [used, locked, part] = [made(), made(), made()];
      await used.text();
      locked.body!.getReader();
      const reader = part.body!.getReader();
      await reader.read();
      reader.releaseLock();
      for (const request of [used, locked, part]) {
        const answer = await service.fetch(request);
        const { code, detail } = (await answer.json()) as { code: string; detail: string };
        expect([answer.status, code]).toEqual([400, 'usage']);
        expect(detail).toContain('the body cannot be read: ');
      }
      expect([service.status.held, service.status.streams]).toEqual([0, 0]);
    },
  );

  it('is dropped when its client goes', async () => {
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: controller => controller.enqueue(Buffer.from('{"text":"Anna"}\n')),
      cancel: () => {
        cancelled = true;
      },
    });
    const answer = await service.fetch(
      new Request('http://localhost/v1/tag', {
        method: 'POST',
        body,
        duplex: 'half',
        headers: { 'content-type': 'application/x-ndjson' },
      } as RequestInit),
    );
    const reader = answer.body!.getReader();
    await reader.read();
    await reader.cancel();
    expect([cancelled, service.status.streams]).toEqual([true, 0]);
  });
});

describe('the other pages', () => {
  it('show models, probes and metrics', async () => {
    const models = JSON.parse((await ask({ path: '/v1/models', method: 'GET' })).text);
    expect(
      models.models.map(({ name, aliases }: { name: string; aliases: string[] }) => [
        name,
        aliases,
      ]),
    ).toEqual([
      ['names', ['ner']],
      ['pets', []],
    ]);
    expect((await ask({ path: '/readyz', method: 'GET' })).text).toBe('ready\n');
    expect((await ask({ path: '/livez', method: 'GET' })).text).toBe('live\n');
    expect((await ask({ path: '/metrics', method: 'GET' })).text).toContain(
      'tagstream_serve_answers_total{status="200"}',
    );
    const wrong = await ask({ path: '/v1/tag', method: 'GET' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('who may ask', () => {
  const request = (
    headers: Readonly<Record<string, string>>,
    path = '/v1/models',
    method = 'GET',
  ) => new Request(`http://localhost${path}`, { method, headers });

  it('needs a token where there are some', async () => {
    const token = 'a-token-of-some-length';
    const own = await createService({
      ...{ models: { names: files.names }, threads: 1 },
      tokens: { text: `# anna\n${token}\n`, source: 'tokens' },
    });
    const statusOf = async (path: string, authorization?: string) =>
      (await own.fetch(request(authorization === undefined ? {} : { authorization }, path))).status;
    expect(await statusOf('/v1/models')).toBe(401);
    expect(await statusOf('/metrics')).toBe(401);
    expect(await statusOf('/v1/models', `Bearer ${token}x`)).toBe(401);
    expect(await statusOf('/v1/models', `Bearer ${token}`)).toBe(200);
    expect(await statusOf('/readyz')).toBe(200);
    own.setTokens({ text: 'another-token-of-length', source: 'tokens' });
    expect(await statusOf('/v1/models', `Bearer ${token}`)).toBe(401);
    expect(() => own.setTokens({ text: 'short', source: 'tokens' })).toThrow('tokens:1');
    await own.close();
  });

  it('are pages of origins that are named, and no others', async () => {
    const own = await createService({
      ...{ models: { names: files.names }, threads: 1, cors: ['https://app.example'] },
      hosts: new Set(['localhost']),
    });
    const ask = (headers: Readonly<Record<string, string>>, method = 'GET') =>
      own.fetch(request({ host: 'localhost', ...headers }, '/v1/models', method));
    expect((await ask({})).status).toBe(200);
    expect((await ask({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await ask({ host: 'evil.example' })).status).toBe(403);
    const allowed = await ask({ origin: 'https://app.example' });
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example');
    const asked = await ask({ origin: 'https://app.example' }, 'OPTIONS');
    expect([asked.status, asked.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'GET, POST',
    ]);
    expect((await ask({ origin: 'https://evil.example' }, 'OPTIONS')).status).toBe(403);
    await own.close();
  });
});

describe('a service under load', () => {
  it('refuses what would wait for too long, at once, and answers the rest', async () => {
    const own = await createService({ models: { names: files.names }, threads: 1, maxWait: 1 });
    const body = JSON.stringify({ tokens: Array.from({ length: 2000 }, (_, i) => `w${i % 50}`) });
    const ask = () =>
      own.fetch(
        new Request('http://localhost/v1/tag?marginals=all', {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json' },
        }),
      );
    await ask();
    const answers = await Promise.all(Array.from({ length: 300 }, ask));
    const refused = answers.filter(({ status }) => status === 503);
    expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true);
    expect(refused.length).toBeGreaterThan(0);
    expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect((await ask()).status).toBe(200);
    await own.close();
  });

  it('holds no more bytes than it may', async () => {
    const own = await createService({
      models: { names: files.names },
      threads: 1,
      maxHeld: 100_000,
      maxWait: 100_000,
    });
    const body = Buffer.from(JSON.stringify({ text: 'Anna saw. '.repeat(4000) }));
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        own.fetch(
          new Request('http://localhost/v1/tag?redact=X', {
            method: 'POST',
            body,
            headers: { 'content-type': 'application/json', 'content-length': String(body.length) },
          }),
        ),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(own.status.held).toBe(0);
    await own.close();
  });

  it('reloads without losing a request, and each answer is of one version', async () => {
    const file = join(folder, 'changing.model');
    copyFileSync(files.names, file);
    const versions: string[] = [];
    const deaths: unknown[] = [];
    const own = await createService({
      ...{ models: { it: file }, threads: 1, maxWait: 100_000 },
      events: {
        onVersion: (_, version) => versions.push(version),
        onDeath: (_, error) => deaths.push(error),
      },
    });
    const labels = new Map<string, string>();
    let isOver = false;
    let answered = 0;
    const client = async () => {
      while (!isOver) {
        const body = JSON.stringify([text, text, text]);
        const answer = await own.fetch(
          new Request('http://localhost/v1/tag', {
            method: 'POST',
            body,
            headers: { 'content-type': 'application/json' },
          }),
        );
        expect(answer.status).toBe(200);
        const records = (await answer.json()) as { spans: { label: string }[] }[];
        const found = new Set(records.map(({ spans }) => spans.map(({ label }) => label).join()));
        expect(found.size).toBe(1);
        const version = answer.headers.get('tagstream-version')!;
        const [before, now] = [labels.get(version), [...found][0]!];
        expect(before ?? now).toBe(now);
        labels.set(version, now);
        answered += 1;
      }
    };
    const clients = Array.from({ length: 8 }, client);
    for (let i = 0; i < 6; i += 1) {
      copyFileSync(i % 2 === 0 ? files.pets : files.names, file);
      await own.reload();
    }
    writeFileSync(file, 'nothing');
    await expect(own.reload()).rejects.toMatchObject({ code: 'model-format' });
    isOver = true;
    await Promise.all(clients);
    expect(new Set(labels.values())).toEqual(new Set(['PER,LOC', 'ACT']));
    expect([labels.size, versions.length]).toEqual([2, 7]);
    expect(answered).toBeGreaterThan(6);
    await own.close();
    expect(deaths).toEqual([]);
  });
});
