import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { versionId } from '../../../src/engine/interfaces/model-address.js';
import { contentDigest } from '../../../src/formats/files/node-parts.js';
import { tagstream } from '../../cli/commands/run-command.js';
import { start } from '../../cli/commands/start-command.js';
import { toyRecords, workspace } from '../../cli/commands/workspace.js';
import { describeNats, natsServers } from '../server.js';
import { toyModels } from './toy-models.js';

const folder = workspace();
const at = (name: string) => join(folder, name);
const password = 'correct horse';
const ids: Record<string, string> = {};

beforeAll(async () => {
  const models = await toyModels(folder);
  for (const [name, file] of Object.entries(models)) {
    ids[name] = versionId(contentDigest([readFileSync(file)]));
  }
  writeFileSync(at('password'), `${password}\n`);
  writeFileSync(at('wrong'), 'battery staple\n');
});

describeNats('tagstream models', () => {
  const servers = natsServers({
    config: `authorization { user: tagger, password: ${JSON.stringify(password)} }`,
  });

  beforeAll(() => {
    const { url } = servers();
    const auth = (file: string) => `auth: { user: tagger, password: { file: ${file} } }`;
    writeFileSync(at('nats.yaml'), `servers: ${url}\n${auth('password')}\n`);
    writeFileSync(at('wrong.yaml'), `servers: ${url}\n${auth('wrong')}\ngiveUp: 1\n`);
  });

  const models = (...given: string[]) => tagstream(['models', ...given, '--nats', at('nats.yaml')]);
  const ended = async (...given: string[]) => {
    const outcome = await models(...given);
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    return outcome.stdout;
  };

  it('creates nothing that it was not asked for', async () => {
    const { code, stderr } = await models('push', at('a.model'), 'ner');
    expect(code).toBe(78);
    expect(stderr).toMatch(
      /there is no registry of models in the bucket tagstream_models .*--create/,
    );
  });

  it('refuses names that servers do not take, at once', async () => {
    const long = 'n'.repeat(5000);
    const began = performance.now();
    for (const given of [
      ['push', at('a.model'), long, '--create'],
      ['pull', long, '--out', at('pulled.model')],
      ['list', long],
      ['promote', 'ner', '1', long],
      ['rollback', long, 'production'],
    ]) {
      const { code, stderr } = await models(...given);
      expect([given[0], code]).toEqual([given[0], 2]);
      expect(stderr).toMatch(/"n{60}\.\.\." is not .*use at most 200 letters, digits, - and _/s);
    }
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it('pushes, lists, promotes, pulls and rolls back', async () => {
    const pushed = await ended('push', at('a.model'), 'ner', '--create', '--note', 'the first');
    expect(pushed).toBe(`ner version 1 (${ids.a})\n`);
    expect(await ended('push', at('a.model'), 'ner')).toBe(
      `ner version 1 (${ids.a}) already exists\n`,
    );
    expect(await ended('push', at('b.model'), 'ner')).toBe(`ner version 2 (${ids.b})\n`);
    expect(await ended('promote', 'ner', '1', 'production')).toBe(
      `ner@production is version 1 (${ids.a})\n`,
    );
    expect(await ended('promote', 'ner', ids.b!, 'production', '--expect', '1')).toBe(
      `ner@production is version 2 (${ids.b})\n`,
    );
    const refused = await models('promote', 'ner', '1', 'production', '--expect', '1');
    expect(refused.code).toBe(78);
    expect(refused.stderr).toContain(`ner@production is version 2 (${ids.b}) since `);
    const list = await ended('list');
    expect(list).toMatch(
      new RegExp(
        `^ner\\n  1  ${ids.a}  20\\S+ \\S+ UTC +\\d+ KiB  60 sentences .* the first\\n  2  ${ids.b} .*@production\\n$`,
      ),
    );
    const [first, second] = (await ended('list', 'ner', '--json')).trim().split('\n');
    expect(JSON.parse(first!)).toMatchObject({
      ...{ name: 'ner', number: 1, note: 'the first', aliases: [] },
      facts: { sentences: 60, labels: 4, passes: 6, format: 1 },
    });
    expect(JSON.parse(second!)).toMatchObject({ number: 2, aliases: ['production'] });
    await ended('pull', 'ner@production', '--out', at('pulled.model'));
    expect(readFileSync(at('pulled.model'))).toEqual(readFileSync(at('b.model')));
    expect(await ended('rollback', 'ner', 'production')).toBe(
      `ner@production is version 1 (${ids.a})\n`,
    );
    await ended('pull', `ner@${ids.a}`, '--out', at('pulled.model'));
    expect(readFileSync(at('pulled.model'))).toEqual(readFileSync(at('a.model')));
  });

  it('prints changes of an alias as they come', async () => {
    const watch = start(['models', 'watch', 'ner@canary', '--nats', at('nats.yaml'), '--json']);
    await watch.until('stderr', text => text.includes('ner has no alias canary yet'));
    await ended('promote', 'ner', '2', 'canary');
    await watch.until('stdout', text => text.split('\n').length === 2);
    await ended('promote', 'ner', 'production', 'canary');
    await watch.until('stdout', text => text.split('\n').length === 3);
    watch.child.kill('SIGTERM');
    expect((await watch.closed).code).toBe(0);
    const changes = watch.lines().map(line => JSON.parse(line));
    expect(changes.map(({ alias, number }) => [alias, number])).toEqual([
      ['canary', 2],
      ['canary', 1],
    ]);
  });

  it.each(['a.model', 'half.model'])('takes no file that cannot tag for one: %s', async name => {
    const whole = readFileSync(at('a.model'));
    writeFileSync(at('half.model'), whole.subarray(0, whole.length / 2));
    const { code, stderr } = await models('push', at(name), 'tested');
    if (name === 'a.model') expect(code).toBe(0);
    else expect([code, stderr.includes('half.model')]).toEqual([1, true]);
  });

  it('scores, inspects and tags with a model of the registry', async () => {
    const given = ['--nats', at('nats.yaml'), '--cache', at('cache')];
    const scores = await tagstream([
      ...['eval', at('train.ndjson'), '--model', 'nats://ner@1', '--json', ...given],
    ]);
    expect(JSON.parse(scores.stdout)).toMatchObject({ sentences: 60 });
    const own = await tagstream(['inspect', at('a.model'), '--json']);
    expect((await tagstream(['inspect', 'nats://ner@1', '--json', ...given])).stdout).toBe(
      own.stdout,
    );
    const stdin = toyRecords(5, false).join('\n');
    const tagged = await tagstream(['tag', '--model', at('b.model')], { stdin });
    const environment = { TAGSTREAM_NATS: at('nats.yaml'), TAGSTREAM_CACHE: at('cache') };
    const same = await tagstream(['tag', '--model', 'nats://ner'], { stdin, env: environment });
    expect(same.stdout).toBe(tagged.stdout);
    expect(same.stderr).toBe(`model: ner is version 2 (${ids.b})\n`);
  });

  it('fetches a file of the cache again that is damaged', async () => {
    const digest = contentDigest([readFileSync(at('b.model'))]).slice('sha256:'.length);
    const cached = at(`cache/${digest}.model`);
    const whole = readFileSync(cached);
    expect(whole).toEqual(readFileSync(at('b.model')));
    writeFileSync(cached, whole.subarray(0, 100));
    const given = ['--nats', at('nats.yaml'), '--cache', at('cache')];
    expect((await tagstream(['inspect', 'nats://ner@2', ...given])).code).toBe(0);
    expect(readFileSync(cached)).toEqual(whole);
  });

  it('says what is wrong with servers and credentials, and no secret', async () => {
    const wrong = await tagstream(['models', 'list', '--nats', at('wrong.yaml')]);
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toMatch(/could not connect to nats:.*Authorization.*check the user/i);
    const none = await tagstream(['models', 'list', '--servers', servers().url]);
    expect(none.stderr).toMatch(/could not connect to nats:.*Authorization/i);
    const absent = await tagstream(['models', 'list', '--servers', '127.0.0.1:1']);
    expect(absent.code).toBe(1);
    expect(absent.stderr).toMatch(
      /could not connect to 127\.0\.0\.1:1: .*check that the servers are running/,
    );
    const inAddress = await tagstream(['models', 'list', '--servers', 'nats://tagger:secret@host']);
    expect(inAddress.code).toBe(78);
    expect(inAddress.stderr).toContain('expected an address without user and password');
    const inFile = at('open.yaml');
    writeFileSync(inFile, 'auth: { user: tagger, password: secret }\n');
    const open = await tagstream(['models', 'list', '--nats', inFile]);
    expect(open.code).toBe(78);
    for (const { stderr } of [wrong, none, absent, inAddress, open]) {
      expect(stderr).not.toMatch(/secret|battery|horse/);
    }
  });

  it.each([
    [['list', 'ner@1'], '"ner@1" is not the name of a model'],
    [['promote', 'ner', '1', '7'], '"7" is not an alias'],
    [['watch', 'ner@1'], 'ner@1 does not name an alias'],
    [['pull', 'ner@a@b', '--out', at('x')], 'is not a model of a registry'],
    [['puhs', 'a', 'b'], 'did you mean push?'],
  ])('refuses %j', async (given, message) => {
    const { code, stderr } = await models(...given);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
