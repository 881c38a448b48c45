import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parsePipeline, type RunOptions, runPipeline } from '../../../src/index.js';
import { tagstream } from '../../cli/commands/run-command.js';
import { toyPipeline, toyRecords, workspace } from '../../cli/commands/workspace.js';
import { describeNats, natsServers } from '../server.js';
import { StreamClient } from '../stream-client.js';

describeNats('an id of a message', () => {
  const servers = natsServers();
  const folder = workspace();
  const path = (name: string) => join(folder, name);
  const lines = (records: readonly string[]) => records.map(record => `${record}\n`).join('');
  let client: StreamClient;

  beforeAll(async () => {
    client = await StreamClient.open(servers().url);
    await runPipeline(parsePipeline(readFileSync(toyPipeline(folder), 'utf8'), path('toy.yaml')));
  });
  afterAll(() => client.close());

  const from = (stream: string, more = '') =>
    `from: { nats: { servers: "${servers().url}", stream: ${stream}${more}, create: true, follow: false } }`;

  /** A pipeline that tags a source into a stream, and keeps bad records. */
  const tagging = (source: string, output: string) => `version: 1
name: tagging
source: { ndjson: { ${source} } }
stages:
  - tokenize
  - featurize: { model: toy.model }
  - batch: { sentences: 8, milliseconds: 1 }
  - tag
sink: { to: { nats: { servers: "${servers().url}", stream: ${output}, subject: ${output}, create: true } } }
deadLetters: { default: dead-letter, file: ${output}.bad }
`;
  const run = (text: string, options: RunOptions = {}) =>
    runPipeline(parsePipeline(text, path('a.yaml')), options);
  const textsOf = async (stream: string) => (await client.all(stream)).map(({ text }) => text);

  /** Puts a standard input or a file into a stream; returns how many messages it says were already there. */
  async function put(stream: string, what: string | { file: string }, more: string[] = []) {
    writeFileSync(path(`${stream}.yaml`), tagging(from(stream, ', consumer: c'), `${stream}-OUT`));
    const file = typeof what === 'string' ? [] : [what.file];
    const stdin = typeof what === 'string' ? what : '';
    const given = ['cluster', 'put', `${stream}.yaml`, ...file, ...more];
    const { code, stderr } = await tagstream(given, { cwd: folder, stdin });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return Number(/, (\d+) of them already there/.exec(stderr)?.[1] ?? 0);
  }

  it('comes from what is put, and not from the name and line of its file', async () => {
    const all = toyRecords(60, false);
    expect(await put('PIPED', lines(all.slice(0, 30)))).toBe(0);
    // Another standard input, and a file that is written again under its name.
    expect(await put('PIPED', lines(all.slice(30, 40)))).toBe(0);
    writeFileSync(path('a.ndjson'), lines(all.slice(40, 50)));
    expect(await put('PIPED', { file: 'a.ndjson' })).toBe(0);
    writeFileSync(path('a.ndjson'), lines(all.slice(50)));
    expect(await put('PIPED', { file: 'a.ndjson' })).toBe(0);
    expect(await textsOf('PIPED')).toEqual(all.map(record => `${record}\n`));
    // The same content again, under another name and in another order.
    writeFileSync(path('b.ndjson'), lines(all.slice(20).reverse()));
    expect(await put('PIPED', { file: 'b.ndjson' })).toBe(40);
    expect(await client.all('PIPED')).toHaveLength(60);
  });

  it.each([1, 4])(
    'counts equal messages of one put, of %i lines',
    { tags: 'slow' },
    async together => {
      const stream = `EQUAL${together}`;
      const [a, b] = toyRecords(2, false) as [string, string];
      const input = lines([...Array<string>(8).fill(a), b, ...Array<string>(8).fill(a), b, a, a]);
      const more = ['--together', String(together)];
      expect(await put(stream, input, more)).toBe(0);
      const stored = await textsOf(stream);
      expect(stored.join('')).toBe(input);
      // A put that was interrupted and is done again stores the rest.
      expect(await put(stream, input + lines([a, a, a, a]), more)).toBeGreaterThan(3);
      expect((await textsOf(stream)).join('').split(a)).toHaveLength(18 + 4 + 1);
    },
  );

  it('of a result holds the content of a record that no message identifies', {
    tags: 'slow',
  }, async () => {
    const all = toyRecords(40, false);
    const texts: Record<string, string> = {
      piped: tagging('files: ["-"]', 'FROM-PIPES'),
      file: tagging('files: [again.ndjson]', 'FROM-FILES'),
    };
    for (const some of [all.slice(0, 20), all.slice(20), all.slice(20)]) {
      writeFileSync(path('again.ndjson'), lines(some));
      const { Readable } = await import('node:stream');
      const stdin = Readable.from([Buffer.from(lines(some))]);
      await run(texts.piped!, { stdin });
      await run(texts.file!);
    }
    for (const output of ['FROM-PIPES', 'FROM-FILES']) {
      const ids = (await textsOf(output)).map(text => (JSON.parse(text) as { id: string }).id);
      expect(ids).toEqual(all.map((_, i) => String(i)));
    }
  });

  it('of a result tells a stream from an earlier one of the same name, for verification too', {
    tags: 'slow',
  }, async () => {
    const text = tagging(from('TEXTS', ', consumer: c'), 'TAGGED');
    writeFileSync(path('texts.yaml'), text);
    const verify = (more: string[] = []) =>
      tagstream(['cluster', 'verify', 'texts.yaml', '--json', ...more], { cwd: folder });
    const manager = await client.manager();
    const all = toyRecords(30, false);
    await client.create('TEXTS', 'texts');
    await client.put('texts', ['{"bad"   ', ...all.slice(0, 15)]);
    expect(await run(text)).toMatchObject({ records: 15, rejected: 1 });
    expect((await verify(['--rejected', 'TAGGED.bad'])).code).toBe(0);
    await manager.streams.delete('TEXTS');
    await client.create('TEXTS', 'texts');
    await client.put('texts', [...all.slice(15), all[0]!]);
    // Neither results nor rejected records of the earlier stream count.
    const early = await verify(['--rejected', 'TAGGED.bad']);
    expect(early.code).toBe(1);
    expect(JSON.parse(early.stdout)).toMatchObject({ results: 0, rejected: 0, foreign: 15 });
    expect((JSON.parse(early.stdout) as { missing: unknown[] }).missing).toHaveLength(16);
    expect(await run(text)).toMatchObject({ records: 16 });
    expect(await client.all('TAGGED')).toHaveLength(31);
    const { code, stdout } = await verify(['--rejected', 'TAGGED.bad']);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      ...{ code: 0, messages: 16, results: 16, rejected: 0, foreign: 15, doubled: [] },
    });
  });

  it('is looked at by a learner that resumes: another stream of the same name is refused', async () => {
    const text = `version: 1
name: learning
source: { ndjson: { ${from('LEARNED')} } }
stages:
  - tokenize
  - featurize: { templates: ["U:%x[0,0]", "B"] }
  - batch: { sentences: 1 }
  - contribute
  - optimize: { sgd: {} }
  - checkpoint: { dir: learned, sentences: 5 }
train: { corpusSize: 30 }
model: learned.model
`;
    const manager = await client.manager();
    await client.create('LEARNED', 'learned');
    await client.put('learned', toyRecords(20));
    expect(await run(text)).toMatchObject({ sentencesSeen: 20 });
    await client.put('learned', toyRecords(5));
    expect(await run(text, { resume: true })).toMatchObject({ sentencesSeen: 25 });
    for (const count of [40, 10]) {
      await manager.streams.delete('LEARNED');
      await client.create('LEARNED', 'learned');
      await client.put('learned', toyRecords(count));
      await expect(run(text, { resume: true })).rejects.toMatchObject({
        code: 'checkpoint',
        message: expect.stringContaining('was replaced'),
      });
    }
  });
});
