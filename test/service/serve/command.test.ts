import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { promote } from '../../../src/nats/registry/aliases.js';
import { openRegistry } from '../../../src/nats/registry/open-registry.js';
import { pushModel } from '../../../src/nats/registry/versions.js';
import { LiveCommand } from '../../cli/commands/live-command.js';
import { tagstream } from '../../cli/commands/run-command.js';
import { workspace } from '../../cli/commands/workspace.js';
import { describeNats, natsServers } from '../../nats/server.js';
import { writeModels } from './served.js';

const folder = workspace();
const at = (name: string) => join(folder, name);
let files: ReturnType<typeof writeModels>;

beforeAll(() => {
  files = writeModels(folder);
});

const text = 'Anna lives in Oslo.';
const listens = /serving .* on (https?:\/\/[\d.:]+) /;

async function served(...words: string[]): Promise<{ command: LiveCommand; url: string }> {
  const command = new LiveCommand([
    'serve',
    ...words,
    '--port',
    '0',
    '--threads',
    '1',
    '--max-wait',
    '60000',
  ]);
  await command.until(() => listens.test(command.stderr));
  return { command, url: listens.exec(command.stderr)![1]! };
}

async function labelsOf(url: string, body = text): Promise<string[]> {
  const headers = { 'content-type': 'text/plain' };
  const answer = await fetch(`${url}/v1/tag`, { method: 'POST', body, headers });
  expect(answer.status).toBe(200);
  const { spans } = (await answer.json()) as { spans: { label: string }[] };
  return spans.map(({ label }) => label);
}

/** Whether the program is there. */
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe('tagstream serve', () => {
  it.skipIf(!hasOpenssl)(
    'speaks TLS with the certificate of a file',
    { tags: 'slow' },
    async () => {
      const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
      const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
      const [certFile, keyFile] = [at('cert.pem'), at('key.pem')];
      const given = ['req', '-x509', '-days', '2', ...key, '-keyout', keyFile, '-out', certFile];
      execFileSync('openssl', [...given, ...names], { stdio: 'pipe' });
      const tls = ['--tls-cert', certFile, '--tls-key', keyFile];
      const { command, url } = await served(files.names, ...tls);
      expect(url).toMatch(/^https:/);
      const answer = await new Promise<string>((done, fail) => {
        const headers = { 'Content-Type': 'text/plain' };
        const options = { method: 'POST', ca: readFileSync(certFile), headers };
        const sent = request(`${url}/v1/tag`, options, response => {
          let all = '';
          response.setEncoding('utf8').on('data', part => {
            all += part;
          });
          response.on('end', () => done(all));
        });
        sent.on('error', fail).end(text);
      });
      expect(answer).toContain('"label":"LOC"');
      // To one who does not know the certificate, and without TLS, it says nothing.
      await expect(fetch(`${url}/livez`)).rejects.toThrow();
      await expect(fetch(`${url.replace('https', 'http')}/livez`)).rejects.toThrow();
      command.child.kill('SIGTERM');
      expect(await command.ended()).toBe(0);
      const half = await tagstream(['serve', files.names, '--tls-cert', certFile]);
      expect([half.code, half.stderr]).toEqual([2, expect.stringContaining('tls-key')]);
      writeFileSync(at('bad.pem'), 'no key');
      const bad = await tagstream([
        'serve',
        files.names,
        '--port',
        '0',
        '--tls-cert',
        certFile,
        '--tls-key',
        at('bad.pem'),
      ]);
      expect([bad.code, bad.stderr]).toEqual([
        2,
        expect.stringContaining('certificate and key cannot be used'),
      ]);
    },
  );

  it('takes a model whose file is replaced, and keeps the old one where the new one is bad', {
    tags: 'slow',
  }, async () => {
    const file = at('watched.model');
    copyFileSync(files.names, file);
    const { command, url } = await served(file, '--watch');
    expect(await labelsOf(url)).toEqual(['PER', 'LOC']);
    const replace = (by: string) => {
      copyFileSync(by, `${file}.new`);
      renameSync(`${file}.new`, file);
    };
    replace(files.pets);
    await command.until(async () => (await labelsOf(url)).join() === 'ACT');
    writeFileSync(at('none.model'), 'no model');
    replace(at('none.model'));
    await command.until(() => command.stderr.includes('keeping the old model'));
    expect(await labelsOf(url)).toEqual(['ACT']);
    replace(files.names);
    await command.until(async () => (await labelsOf(url)).join() === 'PER,LOC');
    command.child.kill('SIGTERM');
    expect(await command.ended()).toBe(0);
  });

  it('holds all requests to its rules and its dictionary', { tags: 'slow' }, async () => {
    writeFileSync(at('rules.yaml'), '- { set: LOC, names: [Ben] }\n');
    writeFileSync(at('dictionary.txt'), 'Anna\tO\n');
    const more = ['--rules', at('rules.yaml'), '--dictionary', at('dictionary.txt')];
    const { command, url } = await served(files.names, ...more);
    const found = await labelsOf(url, 'Ben saw Anna');
    const given = ['tag', '--model', files.names, ...more];
    const { stdout } = await tagstream(given, { stdin: '{"text":"Ben saw Anna"}\n' });
    const { spans } = JSON.parse(stdout) as { spans: { label: string }[] };
    expect(found).toEqual(spans.map(({ label }) => label));
    expect(found).toEqual(['LOC']);
    command.child.kill('SIGTERM');
    expect(await command.ended()).toBe(0);
  });

  it('reads its tokens again on SIGHUP', async () => {
    const tokens = at('tokens');
    writeFileSync(tokens, 'the-first-token-of-all\n');
    const { command, url } = await served(files.names, '--tokens', tokens);
    const statusWith = async (token: string) =>
      (await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await statusWith('the-first-token-of-all')).toBe(200);
    writeFileSync(tokens, 'the-second-token-of-all\n');
    command.child.kill('SIGHUP');
    await command.until(async () => (await statusWith('the-second-token-of-all')) === 200);
    expect(await statusWith('the-first-token-of-all')).toBe(401);
    writeFileSync(tokens, 'short\n');
    command.child.kill('SIGHUP');
    await command.until(() => command.stderr.includes('keeping the old tokens'));
    expect(await statusWith('the-second-token-of-all')).toBe(200);
    expect(command.stderr).not.toContain('-token-of-all');
    command.child.kill('SIGTERM');
    expect(await command.ended()).toBe(0);
  });
});

describeNats('tagstream serve with models of a registry', () => {
  const servers = natsServers();

  it('takes promoted versions while it answers, and needs no server for what it has', {
    tags: 'slow',
  }, async () => {
    const options = { servers: servers().url, giveUp: 60, bucket: 'models', create: true };
    const registry = await openRegistry(options, file => resolve(folder, file));
    for (const source of [files.names, files.pets]) {
      await pushModel(registry, { name: 'toy', bytes: readFileSync(source), source, by: 'test' });
    }
    const live = (number: number) =>
      promote(registry, { name: 'toy', alias: 'live', number, by: 'test' });
    await live(1);
    writeFileSync(at('nats.yaml'), `servers: ${servers().url}\nbucket: models\n`);
    const given = ['--nats', at('nats.yaml'), '--cache', at('cache')];
    const { command, url } = await served('nats://toy@live', ...given);
    let isOver = false;
    const found = new Set<string>();
    const asking = (async () => {
      while (!isOver) found.add((await labelsOf(url)).join());
    })();
    await command.until(() => found.has('PER,LOC'));
    await live(2);
    await command.until(() => found.has('ACT'));
    await servers().kill();
    expect(await labelsOf(url)).toEqual(['ACT']);
    await servers().restart();
    found.clear();
    await live(1);
    await command.until(() => found.has('PER,LOC'));
    isOver = true;
    await asking;
    await registry.close();
    command.child.kill('SIGTERM');
    expect(await command.ended()).toBe(0);
  });
});
