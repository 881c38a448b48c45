import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TagstreamError } from '../../../src/engine/core/errors.js';
import { parsePipeline, type RunOptions, runPipeline } from '../../../src/index.js';
import { tagstream } from '../../cli/commands/run-command.js';
import { toyPipeline, toyRecords, workspace } from '../../cli/commands/workspace.js';
import { describeNats, natsServers } from '../server.js';
import { StreamClient } from '../stream-client.js';

describeNats('streams of NATS', () => {
  const servers = natsServers();
  const folder = workspace();
  const path = (name: string) => join(folder, name);
  let client: StreamClient;
  let number = 0;

  beforeAll(async () => {
    client = await StreamClient.open(servers().url);
    await runPipeline(parsePipeline(readFileSync(toyPipeline(folder), 'utf8'), path('toy.yaml')));
  });
  afterAll(() => client.close());

  /** Names of streams that no other test uses. */
  function names(): { input: string; output: string } {
    number += 1;
    return { input: `IN${number}`, output: `OUT${number}` };
  }

  function tagging(
    { input, output }: { input: string; output: string },
    more = '',
    sink = '',
  ): string {
    return `version: 1
name: tagging
source: { ndjson: { from: { nats: { servers: "${servers().url}", stream: ${input}, consumer: taggers, create: true, follow: false${more} } } } }
stages:
  - tokenize
  - featurize: { model: toy.model }
  - batch: { sentences: 8, milliseconds: 5 }
  - tag
sink: { to: { nats: { servers: "${servers().url}", stream: ${output}, subject: "${output.toLowerCase()}.{label}", create: true${sink} } } }
deadLetters: { default: dead-letter, file: ${input}.bad }
`;
  }

  const run = (text: string, options: RunOptions = {}) =>
    runPipeline(parsePipeline(text, path('a.yaml')), options);

  async function failure(work: Promise<unknown>): Promise<TagstreamError> {
    return work.then(
      () => expect.fail('nothing was refused'),
      error => error as TagstreamError,
    );
  }

  it('are tagged message by message, with ids of their places, headers kept and gzip unpacked', {
    tags: 'slow',
  }, async () => {
    const { input, output } = names();
    const records = toyRecords(9, false);
    await client.create(input, `in${number}.>`);
    await client.put(`in${number}.a`, records.slice(0, 3), { Trace: 'of-a-request' });
    await client.put(`in${number}.b`, [`${records.slice(3, 6).join('\n')}\n`]);
    await client.put(`in${number}.b`, [gzipSync(`${records.slice(6, 8).join('\n')}\n`)]);
    await client.put(`in${number}.b`, ['no record', records[8]!]);
    expect(await run(tagging({ input, output }))).toMatchObject({ records: 9, rejected: 1 });
    const results = await client.all(output);
    expect(results.map(({ text }) => (JSON.parse(text) as { id: string }).id)).toEqual(
      [...records.keys()].map(String),
    );
    expect(
      results.every(({ text }) => (JSON.parse(text) as { tags: string[] }).tags.length > 0),
    ).toBe(true);
    const ends = records
      .slice(3, 6)
      .map((_, i, lines) => lines.slice(0, i + 1).reduce((sum, line) => sum + line.length + 1, 0));
    expect(results.slice(3, 6).map(({ id }) => id!.replace(/:\w+$/, ''))).toEqual(
      ends.map((end, i) => `${input}:4:${i === 0 ? 0 : ends[i - 1]}-${end - 1}`),
    );
    expect(results.map(({ id }) => id!.split(':')[1])).toEqual([
      '1',
      '2',
      '3',
      '4',
      '4',
      '4',
      '5',
      '5',
      '7',
    ]);
    expect(results.map(each => each.header('Trace'))).toEqual([
      ...Array(3).fill('of-a-request'),
      ...Array(6).fill(undefined),
    ]);
    expect(results[0]!.subject).toMatch(/^out\d+\.(DET|NOUN|VERB|ADJ)$/);
    expect(JSON.parse(readFileSync(path(`${input}.bad`), 'utf8'))).toMatchObject({
      ...{ source: `nats ${input}#6`, code: 'not-json', raw: 'no record' },
    });
    const consumer = await (await client.manager()).consumers.info(input, 'taggers');
    expect(consumer).toMatchObject({ num_pending: 0, num_ack_pending: 0 });
  });

  it('store a result once, however often its record is tagged', { tags: 'slow' }, async () => {
    const { input, output } = names();
    await client.create(input, `in${number}`);
    await client.put(`in${number}`, toyRecords(20, false));
    for (const consumer of ['first', 'second']) {
      await run(tagging({ input, output }).replace('taggers', consumer));
    }
    expect(await client.all(output)).toHaveLength(20);
  });

  it('are shared by the runs that name one consumer', { tags: 'slow' }, async () => {
    const { input, output } = names();
    await client.create(input, `in${number}`);
    await client.put(`in${number}`, toyRecords(2000, false));
    const text = tagging({ input, output });
    const apart = ['x', 'y', 'z'].map(part => run(text.replace('.bad', `-${part}.bad`)));
    const results = await Promise.all(apart);
    expect(results.reduce((sum, { records }) => sum + records, 0)).toBe(2000);
    const ids = (await client.all(output)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(2000);
    expect(ids).toHaveLength(2000);
  });

  it('give back what a stopped run has not handled, and keep the place of the rest', {
    tags: 'slow',
  }, async () => {
    const { input, output } = names();
    await client.create(input, `in${number}`);
    await client.put(`in${number}`, toyRecords(3000, false));
    const stop = new AbortController();
    const text = tagging({ input, output }, ', ackWait: 3600');
    const endless = text.replace('follow: false', 'follow: true');
    const running = run(endless, { signal: stop.signal });
    while ((await client.all(output).catch(() => [])).length === 0);
    stop.abort();
    const { records, stopped } = await running;
    expect(stopped).toBe(true);
    // What was not given back would come an hour later.
    const rest = await run(text);
    expect(records + rest.records).toBe(3000);
    expect(await client.all(output)).toHaveLength(3000);
  });

  it('reject a message that was tried too often', { tags: 'slow' }, async () => {
    const { input, output } = names();
    await client.create(input, `in${number}`);
    const [record] = toyRecords(1, false);
    await client.put(`in${number}`, [record!]);
    const manager = await client.manager();
    await run(tagging({ input: input, output }, ', start: new'));
    await manager.consumers.delete(input, 'taggers');
    await manager.consumers.add(input, {
      durable_name: 'taggers',
      ack_policy: 'explicit',
      ack_wait: 1e9,
    });
    const { jetstream } = await import('@nats-io/jetstream');
    const consumer = await jetstream(client.core).consumers.get(input, 'taggers');
    for (let i = 0; i < 2; i += 1) (await consumer.next({ expires: 5000 }))!.nak();
    const result = await run(tagging({ input, output }, ', deliveries: 2'));
    expect(result).toMatchObject({ records: 0, rejected: 1 });
    expect(JSON.parse(readFileSync(path(`${input}.bad`), 'utf8'))).toMatchObject({
      ...{ code: 'quarantined', raw: record },
    });
    expect((await consumer.info()).num_ack_pending).toBe(0);
  });

  it('reject a result that is larger than the servers take, and go on', async () => {
    const { input, output } = names();
    await client.create(input, `in${number}`);
    const large = JSON.stringify({ tokens: Array(90_000).fill('dog') });
    await client.put(`in${number}`, [large, toyRecords(1, false)[0]!]);
    expect(await run(tagging({ input, output }))).toMatchObject({ records: 1, rejected: 1 });
    expect(JSON.parse(readFileSync(path(`${input}.bad`), 'utf8'))).toMatchObject({
      code: 'too-large',
    });
  });

  it('reject a record whose subject would be longer than a line of the protocol, and it alone', {
    tags: 'slow',
  }, async () => {
    const { input, output } = names();
    await client.create(input, `in${number}`);
    const records = toyRecords(6, false).map((record, i) => ({
      ...JSON.parse(record),
      id: i === 2 ? 'x'.repeat(5000) : i === 4 ? 'é'.repeat(1900) : `r${i}`,
    }));
    await client.put(
      `in${number}`,
      records.map(record => JSON.stringify(record)),
    );
    const text = tagging({ input, output }).replace('.{label}', '.{id}');
    const began = performance.now();
    expect(await run(text)).toMatchObject({ records: 5, rejected: 1 });
    expect(performance.now() - began).toBeLessThan(20_000);
    const stored = await client.all(output);
    expect(stored.map(({ subject }) => subject.slice(0, 12)).sort()).toEqual([
      ...[0, 1, 3, 5].map(i => `${output.toLowerCase()}.r${i}`),
      `${output.toLowerCase()}.${'é'.repeat(11 - output.length)}`,
    ]);
    const [letter, ...more] = readFileSync(path(`${input}.bad`), 'utf8')
      .trim()
      .split('\n');
    expect(JSON.parse(letter!)).toMatchObject({
      code: 'too-large',
      error: expect.stringMatching(
        /the subject of a message has 50\d\d bytes .*use shorter ids, or remove \{id\}/,
      ),
    });
    expect(more).toEqual([]);
  });

  it('take results up to the very byte that the servers take, headers counted', {
    tags: 'slow',
  }, async () => {
    const most = client.core.info!.max_payload;
    for (const way of ['blocks', 'records'] as const) {
      const { input, output } = names();
      await client.create(input, `in${number}`);
      const subject = way === 'blocks' ? output : `${output}.{id}`;
      const text = tagging({ input, output }).replace(/subject: "[^"]*"/, `subject: "${subject}"`);
      const carried = { Trace: 'ü'.repeat(100) };
      const record = (filler: number) =>
        JSON.stringify({ id: 'r', note: 'x'.repeat(filler), tokens: ['dog'] });
      // What comes of the record beside its filler, and all headers.
      await client.put(`in${number}`, [record(0), record(most - 3000)], carried);
      await run(text);
      const [small, wide] = await client.all(output);
      const sizeOf = (text: string) => Buffer.byteLength(text);
      const start = (filler: number) =>
        sizeOf(record(filler)) + (sizeOf(small!.text) - sizeOf(record(0)));
      expect(sizeOf(wide!.text)).toBe(start(most - 3000));
      const position = wide!.id!;
      const headers = [
        ['Trace', carried.Trace],
        ['Nats-Msg-Id', position],
        ['Nats-Expected-Stream', output],
      ].reduce((sum, [name, value]) => sum + sizeOf(`${name}: ${value}\r\n`), 12);
      const fits = most - headers - start(0);
      await client.put(`in${number}`, [record(fits), record(fits + 1), record(0)], carried);
      expect(await run(text)).toMatchObject({ records: 2, rejected: 1 });
      const stored = await client.all(output);
      expect(stored.map(each => sizeOf(each.text)).slice(2)).toEqual([start(fits), start(0)]);
      const [letter] = readFileSync(path(`${input}.bad`), 'utf8')
        .trim()
        .split('\n');
      expect(JSON.parse(letter!)).toMatchObject({ code: 'too-large' });
    }
  });

  it('refuse packed messages that unpack to more than a record may have, and tag those between them', {
    tags: 'slow',
  }, async () => {
    const bomb = gzipSync(`{"text": "${' '.repeat(200 * 2 ** 20)}"}`, { level: 9 });
    expect(bomb.length).toBeLessThan(300_000);
    for (const way of ['blocks', 'records', 'more'] as const) {
      const { input, output } = names();
      await client.create(input, `in${number}`);
      const small = toyRecords(20, false);
      await client.put(
        `in${number}`,
        small.flatMap((record, i) => (i % 2 === 0 ? [bomb, record] : [gzipSync(record)])),
      );
      const subject = way === 'blocks' ? output : `${output}.{id}`;
      const text = tagging({ input, output })
        .replace(/subject: "[^"]*"/, `subject: "${subject}"`)
        .replace('ndjson: {', way === 'more' ? 'ndjson: { maxLineBytes: 20000000,' : 'ndjson: {');
      const before = process.memoryUsage().rss;
      expect(await run(text)).toMatchObject({ records: 20, rejected: 10 });
      expect(process.memoryUsage().rss - before).toBeLessThan(400 * 2 ** 20);
      const letters = readFileSync(path(`${input}.bad`), 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as { code: string; error: string });
      expect(letters).toHaveLength(10);
      const most = way === 'more' ? 20_000_000 : 16_777_216;
      for (const letter of letters) {
        expect(letter.code).toBe('too-long');
        expect(letter.error).toBe(
          `the message has more than ${most} bytes after decompression (raise maxLineBytes, or send fewer records in a message)`,
        );
      }
      writeFileSync(path(`${input}.yaml`), text);
      const verify = ['cluster', 'verify', `${input}.yaml`, '--rejected', `${input}.bad`];
      const verified = await tagstream(verify, { cwd: folder });
      expect(verified.stdout).toContain('each record occurs once');
    }
  });

  it('that begin with byte order marks are whole when they are verified', {
    tags: 'slow',
  }, async () => {
    const { input, output } = names();
    await client.create(input, `in${number}`);
    const [a, b, c] = toyRecords(3, false);
    const mark = '\ufeff';
    await client.put(`in${number}`, [
      ...[`${mark}${a}`, `${mark}${mark}${a}\n${b}`, `${a}\n${mark}${b}\n \n${mark}${c}\n${mark}`],
      ...[`${mark}\n${a}\n`, gzipSync(`${mark}${c}`)],
    ]);
    const text = tagging({ input, output });
    expect(await run(text)).toMatchObject({ records: 8 });
    writeFileSync(path(`${input}.yaml`), text);
    const { stdout } = await tagstream(['cluster', 'verify', `${input}.yaml`], { cwd: folder });
    expect(stdout).toContain('each record occurs once');
  });

  it('are filled with lines that fit alone; one that does not is named', async () => {
    const { input, output } = names();
    writeFileSync(path(`${input}.yaml`), tagging({ input, output }));
    const most = client.core.info!.max_payload;
    writeFileSync(path('wide.ndjson'), `{"id": 1}\n{"text": "${'x'.repeat(most)}"}\n`);
    const put = ['cluster', 'put', `${input}.yaml`, 'wide.ndjson'];
    const { code, stderr } = await tagstream(put, { cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toMatch(/wide\.ndjson:2: the message has \d+ bytes and \d+ bytes of headers/);
  });

  /** Messages of many shapes, and how many of their records are good. */
  const shapes = () => {
    const [a, b, c, d] = toyRecords(4, false) as [string, string, string, string];
    return {
      messages: [
        a,
        `${a}\n${b}\n`,
        `\n${a}\r\n\n  ${b}  \n \t\n${c}`,
        gzipSync(`${a}\n${b}`),
        `no record\n${a}\n{"tokens": 3}\n[]\n${b}\n${c}\n{`,
        `\ufeff${a}\n${b}`,
        '',
        ' \n\n',
        `${JSON.stringify({ id: 7, text: 'The dog sees a cat. A cat sleeps.' })}\n${d}`,
        Uint8Array.from([...Buffer.from('{"tokens": ["'), 0xff, ...Buffer.from(`"]}\n${a}\n`)]),
        gzipSync(a).subarray(0, 30),
      ],
      good: 16,
    };
  };

  it('have the same results, names and bad records in blocks as record by record', {
    tags: 'slow',
  }, async () => {
    const { input } = names();
    await client.create(input, `in${number}`);
    const { messages, good } = shapes();
    await client.put(`in${number}`, messages, { Trace: 'x' });
    const found: unknown[] = [];
    for (const way of ['blocks', 'records']) {
      const output = `${input}-${way}`;
      const text = tagging({ input, output })
        .replace('taggers', way)
        .replace('.bad', `-${way}.bad`);
      // An id that no subject needs is looked for record by record.
      const subject = way === 'blocks' ? 'blocks' : 'records.{id}';
      const given = text.replace(/subject: "[^"]*"/, `subject: "${output}.${subject}"`);
      const { records, rejected } = await run(given);
      const stored = await client.all(output);
      expect([records, stored.length]).toEqual([good, good]);
      const letters = readFileSync(path(`${input}-${way}.bad`), 'utf8')
        .trim()
        .split('\n');
      found.push({
        rejected,
        letters: letters.map(line => ({ ...JSON.parse(line), time: '' })),
        results: stored
          .map(each => [each.id!, each.text, each.header('Trace')])
          .sort(([a], [b]) => (a! < b! ? -1 : 1)),
      });
    }
    expect(found[0]).toEqual(found[1]);
  });

  it('go out together, message by message, where that is asked for', { tags: 'slow' }, async () => {
    const { input, output } = names();
    await client.create(input, `in${number}`);
    const { messages, good } = shapes();
    await client.put(`in${number}`, messages);
    const together = tagging({ input, output }, '', ', together: true').replace('.{label}', '');
    expect(await run(together)).toMatchObject({ records: good });
    const results = await client.all(output);
    expect(results.slice(0, 5).map(({ id }) => id!.split(':')[1])).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
    ]);
    const single = `${input}-single`;
    const apart = tagging({ input, output: single }).replace('taggers', 'single');
    await run(apart.replace('.{label}', '').replace('.bad', '-single.bad'));
    const texts = async (name: string) => (await client.all(name)).map(({ text }) => text).join('');
    expect(await texts(output)).toBe(await texts(single));
    writeFileSync(path('together.yaml'), together);
    const verify = ['cluster', 'verify', 'together.yaml', '--rejected', `${input}.bad`];
    expect(await tagstream(verify, { cwd: folder })).toMatchObject({ code: 0 });
  });

  it('go out record by record where the results of a message are too large together', {
    tags: 'slow',
  }, async () => {
    const { input, output } = names();
    await client.create(input, `in${number}`);
    const large = JSON.stringify({ tokens: Array(30_000).fill('dog') });
    const larger = JSON.stringify({ tokens: Array(90_000).fill('dog') });
    await client.put(`in${number}`, [[large, large, large].join('\n'), [large, larger].join('\n')]);
    const together = tagging({ input, output }, '', ', together: true').replace('.{label}', '');
    expect(await run(together)).toMatchObject({ records: 4, rejected: 1 });
    expect(await client.all(output)).toHaveLength(4);
  });

  it('refuse to send together what has to be looked at one by one', async () => {
    const { input, output } = names();
    await client.create(input, `in${number}`);
    const together = tagging({ input, output }, '', ', together: true');
    expect((await failure(run(together))).message).toContain('depends on one record');
    const limited = together.replace('.{label}', '').replace('ndjson: {', 'ndjson: { limit: 3,');
    expect((await failure(run(limited))).message).toContain('one by one');
  });

  it('are learned in their order, each message once, whatever interrupts the run', {
    tags: 'slow',
  }, async () => {
    const { input } = names();
    const lines = toyRecords(400);
    await client.create(input, `in${number}`);
    await client.put(`in${number}`, lines);
    writeFileSync(path('stream.ndjson'), `${lines.join('\n')}\n`);
    const learning = (source: string, name: string) => `version: 1
name: learning
source: { ndjson: { ${source} } }
stages:
  - tokenize
  - featurize: { templates: ["U:%x[0,0]", "B"], hashed: { rows: 4096, edgeRows: 16 } }
  - batch: { sentences: 1 }
  - contribute
  - optimize: { sgd: {} }
  - checkpoint: { dir: steps-${name}, sentences: 30 }
train: { corpusSize: 400 }
model: ${name}.model
`;
    await run(learning('files: [stream.ndjson]', 'file'));
    const nats = `from: { nats: { servers: "${servers().url}", stream: ${input}, follow: false } }`;
    let seen = 0;
    for (const until of [77, 150, 151, 333]) {
      const stop = new AbortController();
      const events = {
        onStep: ({ sentencesSeen }: { sentencesSeen: number }) => {
          seen = sentencesSeen;
          if (seen >= until) stop.abort();
        },
      };
      await run(learning(nats, 'nats'), { resume: seen > 0, signal: stop.signal, events });
    }
    await run(learning(nats, 'nats'), { resume: true });
    expect(readFileSync(path('nats.model'))).toEqual(readFileSync(path('file.model')));
  });

  it.each([
    ['a stream that is not there', { stream: 'NOWHERE' }, 'there is no stream NOWHERE'],
    ['a consumer that is not there', { create: false }, 'has no consumer taggers'],
    ['a learner with a consumer', { trains: true }, 'a learner cannot share the consumer'],
    [
      'a password in an address',
      { url: 'nats://me:secret@127.0.0.1:1' },
      'an address without user',
    ],
    ['no server', { url: 'nats://127.0.0.1:1' }, 'could not connect to nats://127.0.0.1:1'],
  ])(
    'name %s',
    async (_, {
      stream,
      create = true,
      trains = false,
      url,
    }: { stream?: string; create?: boolean; trains?: boolean; url?: string }, message) => {
      const { input, output } = names();
      await client.create(input, `in${number}`);
      await client.create(output, `out${number}.>`);
      let text = tagging({ input: stream ?? input, output });
      if (!create || stream !== undefined) text = text.replaceAll('create: true', 'create: false');
      if (url !== undefined) text = text.replace(servers().url, url);
      if (trains) {
        text = text.replace(
          / {2}- featurize[\s\S]*/,
          '  - featurize: { templates: ["U:%x[0,0]"] }\n  - batch\n  - contribute\n  - optimize: { sgd: {} }\n  - checkpoint: { dir: never, sentences: 5 }\ntrain: { corpusSize: 9 }\nmodel: never.model\n',
        );
      }
      const error = await failure(Promise.resolve().then(() => run(text)));
      expect(error.message).toContain(message);
      expect(error.code).toBe(message.startsWith('could not') ? 'connection' : 'config');
      expect(error.message).not.toContain('secret');
    },
  );
});
