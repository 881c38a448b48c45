import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { LiveCommand } from '../commands/live-command.js';
import { root, tagstream } from '../commands/run-command.js';
import { trainHere } from '../commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const model = join(folder, 'toy.model');
const online = join(folder, 'online.yaml');
const digestOf = (file: string) =>
  `sha256:${createHash('sha256').update(readFileSync(file)).digest('hex')}`;

beforeAll(async () => {
  await trainHere(toyPipeline(folder));
  writeFileSync(
    online,
    `version: 1
name: online
source: { ndjson: { files: ["-"] } }
stages:
  - featurize: { templates: ["U00:%x[0,0]", "B"] }
  - batch: { sentences: 1 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.1, l2: 0.5, schedule: constant } }
  - evaluate: { progressive: true, window: 100, report: 2 }
  - checkpoint: { dir: checkpoints, sentences: 2 }
  - tag: {}
train: { corpusSize: 100 }
model: online.model
`,
  );
});

describe('tagstream run --metrics', () => {
  it('shows an online run that is fed slowly, record by record', { tags: 'slow' }, async () => {
    const rejected = join(folder, 'bad.ndjson');
    const run = new LiveCommand(['run', online, '--metrics', '0', '--dead-letter', rejected]);
    const lines = toyRecords(4);
    for (const [i, line] of lines.entries()) {
      if (i === 2) run.child.stdin.write('null\n');
      run.child.stdin.write(`${line}\n`);
      await run.until(async () => (await run.metric('tagstream_records_out_total')) === i + 1);
      expect(await run.metric('tagstream_records_in_total')).toBe(i < 2 ? i + 1 : i + 2);
      expect(await run.metric('tagstream_sentences_seen_total')).toBe(i + 1);
      expect(await run.metric('tagstream_batch_duration_seconds_count')).toBe(i + 1);
      expect(await run.metric('tagstream_checkpoints_total')).toBe(Math.floor((i + 1) / 2));
    }
    expect(await run.metric('tagstream_bad_records_total{code="not-an-object"}')).toBe(1);
    expect(await run.metric('tagstream_dead_letters_total')).toBe(1);
    expect(await run.metric('tagstream_checkpoint_failures_total')).toBe(0);
    expect(await run.metric('tagstream_source_lag_bytes')).toBeUndefined();
    const accuracy = (await run.metric('tagstream_progressive_accuracy{over="all"}'))!;
    const loss = (await run.metric('tagstream_progressive_loss'))!;
    const reported = `accuracy ${(100 * accuracy).toFixed(2)} % in all  loss ${loss.toFixed(4)} per token`;
    expect(run.stderr).toMatch(
      new RegExp(`^4 sentences: .*${reported.replaceAll('.', '\\.')}`, 'm'),
    );
    expect((await run.get('/readyz')).code).toBe(200);
    expect((await run.get('/livez')).code).toBe(200);
    run.child.stdin.end();
    expect(await run.ended()).toBe(0);
    expect(run.stdout.trim().split('\n')).toHaveLength(4);
  });

  it('reports where it listens, which nobody does after the run', { tags: 'slow' }, async () => {
    const run = new LiveCommand(['run', online, '--metrics', '0']);
    expect((await run.get('/livez')).code).toBe(200);
    const [, url] = /^metrics: (http:\/\/127\.0\.0\.1:\d+)\/metrics$/m.exec(run.stderr)!;
    run.child.stdin.end(`${toyRecords(1).join('')}\n`);
    expect(await run.ended()).toBe(0);
    await expect(fetch(url!)).rejects.toThrow('fetch failed');
  });

  it('changes neither the model nor the output of a run', async () => {
    const stdin = `${toyRecords(40).join('\n')}\n`;
    const given = ['run', online, '--set', 'stages.checkpoint.sentences=1000'];
    const plain = await tagstream([...given, '--model', join(folder, '1.model')], { stdin });
    const watched = await tagstream(
      [...given, '--model', join(folder, '2.model'), '--metrics', '0', '--log', 'json'],
      { stdin },
    );
    expect([plain.code, watched.code]).toEqual([0, 0]);
    expect(watched.stdout).toBe(plain.stdout);
    expect(digestOf(join(folder, '2.model'))).toBe(digestOf(join(folder, '1.model')));
  });
});

describe.each([1, 2])('tagstream tag --metrics --workers %i', workers => {
  const given = ['tag', '--model', model, '--metrics', '0', '--workers', String(workers)];

  it('shows what was read and written, and the model', { tags: 'slow' }, async () => {
    const tag = new LiveCommand(given);
    tag.child.stdin.write(`${toyRecords(4, false).join('\n')}\nnull\n`);
    await tag.until(async () => (await tag.metric('tagstream_records_in_total')) === 5);
    await tag.until(async () => (await tag.metric('tagstream_records_out_total')) === 4);
    expect(await tag.metric(`tagstream_model_info{digest="${digestOf(model)}"}`)).toBe(1);
    expect(await tag.metric('tagstream_bad_records_total{code="not-an-object"}')).toBe(1);
    expect(await tag.metric('tagstream_dead_letters_total')).toBe(0);
    expect(await tag.metric('tagstream_sentences_seen_total')).toBeUndefined();
    expect((await tag.get('/readyz')).text).toBe('ready\n');
    tag.child.stdin.end();
    expect(await tag.ended()).toBe(0);
  });

  it('is not ready while it drains', { tags: 'slow' }, async () => {
    const tag = new LiveCommand(given, { reads: false });
    const records = toyRecords(20_000, false);
    tag.child.stdin.write(`${records.join('\n')}\n`);
    // More than a pipe holds: the writer waits for somebody to read.
    await tag.until(async () => ((await tag.metric('tagstream_records_in_total')) ?? 0) > 3000);
    expect((await tag.get('/readyz')).code).toBe(200);
    tag.child.kill('SIGTERM');
    await tag.until(async () => (await tag.get('/readyz')).code === 503);
    expect(await tag.get('/readyz')).toEqual({ code: 503, text: 'draining\n' });
    expect((await tag.get('/livez')).code).toBe(200);
    tag.read();
    expect(await tag.ended()).toBe(0);
    const out = tag.stdout.trim().split('\n');
    expect(out.map(line => (JSON.parse(line) as { id: string }).id)).toEqual(
      Array.from(out, (_, i) => String(i)),
    );
  });
});

describe('--metrics', () => {
  it('does not end a run that has few files by a hundred idle connections', {
    tags: 'slow',
  }, async () => {
    const second = join(folder, 'second.ndjson');
    writeFileSync(second, `${toyRecords(2, false).join('\n')}\n`);
    const given = ['tag', '--model', model, '--metrics', '0', '--watch', '-', second];
    const tag = new LiveCommand(given, { files: 60 });
    expect((await tag.get('/livez')).code).toBe(200);
    const [, port] = /:(\d+)\/metrics/.exec(tag.stderr)!;
    const sockets = Array.from({ length: 100 }, () => connect(Number(port), '127.0.0.1'));
    for (const socket of sockets) socket.on('error', () => undefined).resume();
    await tag.until(() => sockets.every(({ connecting }) => !connecting));
    // The connection of the first request was idle too: the client may find it closed, and asks again.
    await tag.until(async () => (await tag.get('/livez').catch(() => undefined))?.code === 200);
    tag.child.stdin.end(`${toyRecords(1, false).join('')}\n`);
    expect([await tag.ended(), tag.stderr]).toEqual([0, expect.stringMatching(/^metrics: .*\n$/)]);
    expect(tag.stdout.trim().split('\n')).toHaveLength(3);
    for (const socket of sockets) socket.destroy();
  });

  it('ends with exit code 2 where it cannot listen, before anything is read', async () => {
    const other = createServer();
    await new Promise<void>(done => other.listen(0, '127.0.0.1', done));
    const { port } = other.address() as AddressInfo;
    for (const workers of ['1', '2']) {
      const given = ['tag', '--model', model, '--workers', workers, '--metrics', String(port)];
      expect(await tagstream(given, { stdin: '{"text":"a"}\n' })).toEqual({
        code: 2,
        stdout: '',
        stderr:
          `tagstream: cannot listen on 127.0.0.1:${port} for metrics: the port is in use ` +
          '(give another port, or 0 for any free one)\n',
      });
    }
    other.close();
  });

  it.each([
    [['--metrics', '70000'], '--metrics 70000 is not a port'],
    [['--metrics', 'x'], '--metrics x is not a port'],
    [['--metrics=-1'], '--metrics -1 is not a port'],
    [['--metrics-host', '::1'], '--metrics-host needs a port (add --metrics 0 or --dashboard)'],
  ])('refuses %j', async (given, reported) => {
    const { code, stderr } = await tagstream(['tag', '--model', model, ...given]);
    expect(code).toBe(2);
    expect(stderr).toContain(`tagstream: ${reported}`);
  });

  it('listens on another address where that is said', { tags: 'slow' }, async () => {
    const given = ['--metrics', '0', '--metrics-host', '127.0.0.2'];
    const tag = new LiveCommand(['tag', '--model', model, ...given]);
    expect((await tag.get('/livez')).code).toBe(200);
    expect(tag.stderr).toMatch(/^metrics: http:\/\/127\.0\.0\.2:\d+\/metrics$/m);
    tag.child.stdin.end();
    expect(await tag.ended()).toBe(0);
  });
});

it('loads neither prom-client nor pino where they are not asked for', () => {
  const wanted = /prom-client|\bpino\b/;
  const seen = new Set<string>();
  const visit = (file: string): string[] => {
    if (seen.has(file)) return [];
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    const imports = [...text.matchAll(/^(?:import|export)\b[^;]*?["'](\.[^"']+)["'];/gm)];
    const below = imports.flatMap(([, path]) => visit(resolve(dirname(file), path!)));
    return wanted.test(text) ? [file, ...below] : below;
  };
  expect(visit(resolve(root, 'dist/cli/main.js'))).toEqual([]);
  expect(seen.size).toBeGreaterThan(1);
});
