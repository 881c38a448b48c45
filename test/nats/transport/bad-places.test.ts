// @module-tag slow
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TagstreamError } from '../../../src/engine/core/errors.js';
import { parsePipeline, type RunOptions, runPipeline } from '../../../src/index.js';
import { toyPipeline, toyRecords, workspace } from '../../cli/commands/workspace.js';
import { describeNats, natsServers } from '../server.js';
import { StreamClient } from '../stream-client.js';

describeNats('a run that tags a stream', () => {
  const servers = natsServers({ storeBytes: 400_000 });
  const folder = workspace();
  const path = (name: string) => join(folder, name);
  let client: StreamClient;

  beforeAll(async () => {
    client = await StreamClient.open(servers().url);
    await runPipeline(parsePipeline(readFileSync(toyPipeline(folder), 'utf8'), path('toy.yaml')));
  });
  afterAll(() => client.close());

  const tagging = (name: string, follow: boolean) => `version: 1
name: tagging
source: { ndjson: { from: { nats: { servers: "${servers().url}", stream: ${name}, consumer: taggers, create: true, follow: ${follow}, ackWait: 2, giveUp: 2 } } } }
stages:
  - tokenize
  - featurize: { model: toy.model }
  - batch: { sentences: 8, milliseconds: 5 }
  - tag
sink: { to: { nats: { servers: "${servers().url}", stream: ${name}-OUT, subject: ${name}-out, create: true, giveUp: 2 } } }
`;
  const run = (text: string, options: RunOptions = {}) =>
    runPipeline(parsePipeline(text, path('a.yaml')), options);

  async function failure(work: Promise<unknown>): Promise<TagstreamError> {
    return work.then(
      () => expect.fail('nothing was refused'),
      error => error as TagstreamError,
    );
  }

  async function results(name: string): Promise<number> {
    const manager = await client.manager();
    const info = await manager.streams.info(`${name}-OUT`).catch(() => undefined);
    return info?.state.messages ?? 0;
  }

  /** Deletes the streams of an earlier test, if it ran, so that there is room on the disk. */
  async function remove(name: string): Promise<void> {
    const { streams } = await client.manager();
    const known = await streams.names().next();
    for (const stream of [name, `${name}-OUT`]) {
      if (known.includes(stream)) await streams.delete(stream);
    }
  }

  it('ends when its consumer is deleted, with what is to be done', async () => {
    await client.create('GONE', 'GONE');
    await client.put('GONE', toyRecords(20, false));
    const running = run(tagging('GONE', true));
    while ((await results('GONE')) < 20) await pause(20);
    const manager = await client.manager();
    await manager.consumers.delete('GONE', 'taggers');
    const error = await failure(running);
    expect(error.code).toBe('connection');
    expect(error.message).toMatch(/consumer.*not found/);
  });

  it('ends when the disk of the servers is full, and loses nothing', async () => {
    const records = toyRecords(1500, false);
    await client.create('FULL', 'FULL');
    await client.put('FULL', records);
    const error = await failure(run(tagging('FULL', false)));
    expect(error.code).toBe('connection');
    expect(error.message).toMatch(
      /could not send to FULL-out.*(insufficient|resource).*free disk space/i,
    );
    await remove('GONE');
    expect(await results('FULL')).toBeLessThan(records.length);
  });

  it('waits for servers that are away, and continues where it was', async () => {
    await remove('FULL');
    await client.create('AWAY', 'AWAY');
    await client.put('AWAY', toyRecords(300, false));
    const running = run(tagging('AWAY', false).replaceAll('giveUp: 2', 'giveUp: 60'));
    while ((await results('AWAY')) === 0) await pause(5);
    await servers().kill();
    await pause(1_000);
    await servers().restart();
    // What was in flight may come once more; it is stored once.
    expect((await running).records).toBeGreaterThanOrEqual(300);
    expect(await results('AWAY')).toBe(300);
  });
});
