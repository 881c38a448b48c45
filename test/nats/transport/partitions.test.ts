import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TagstreamError } from '../../../src/engine/core/errors.js';
import { partitionOf } from '../../../src/nats/reading/consumers.js';
import { loadPipeline } from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../src/runtime/pipeline/run/run-pipeline.js';
import { root, tagstream } from '../../cli/commands/run-command.js';
import { trainHere } from '../../cli/commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../../cli/commands/workspace.js';
import { longForm } from '../../faults/long-form.js';
import { faultsSeed, printSeed, randomOf } from '../../faults/seed.js';
import { describeNats, natsServers } from '../server.js';
import { type Stored, StreamClient } from '../stream-client.js';

printSeed('taggers that keep the order of keys');
const random = randomOf(31);
const keys = 40;

describeNats('partitions of a stream', () => {
  const servers = natsServers({
    config: 'mappings: { "keyed.*": "mapped.{{partition(16,1)}}" }',
  });
  const folder = workspace();
  let client: StreamClient;

  beforeAll(async () => {
    client = await StreamClient.open(servers().url);
    await trainHere(toyPipeline(folder));
  });
  afterAll(() => client.close());

  /** Writes a pipeline that tags a stream by partitions, and the records; returns how many there are. */
  function write(name: string, records: number, { partitions = 8, sink = '', follow = true } = {}) {
    const lines = toyRecords(records, false).map((line, n) =>
      JSON.stringify({ ...JSON.parse(line), id: `key ${random.below(keys)}`, n }),
    );
    writeFileSync(join(folder, `${name}.ndjson`), `${lines.join('\n')}\n`);
    const text = `version: 1
name: tagging
source:
  ndjson:
    from:
      nats: { servers: "${servers().url}", stream: ${name}, consumer: taggers, create: true, partition: id, partitions: ${partitions}, ackWait: 2, follow: ${follow} }
stages:
  - tokenize
  - featurize: { model: toy.model }
  - batch: { sentences: 8, milliseconds: 1 }
  - tag
sink: { to: { nats: { servers: "${servers().url}", stream: ${name}-OUT, subject: ${name}-out, create: true, window: 600${sink} } } }
`;
    writeFileSync(join(folder, `${name}.yaml`), text);
  }

  async function put(name: string, ...more: readonly string[]): Promise<void> {
    const given = ['cluster', 'put', `${name}.yaml`, `${name}.ndjson`, ...more];
    expect(await tagstream(given, { cwd: folder })).toMatchObject({ code: 0 });
  }

  /** Records of a key that stand behind one that was put after them. */
  function misplaced(results: readonly Stored[]): string[] {
    const last = new Map<string, number>();
    return results.flatMap(({ text }) =>
      text
        .trimEnd()
        .split('\n')
        .flatMap(line => {
          const { id, n } = JSON.parse(line) as { id: string; n: number };
          const isLate = n <= (last.get(id) ?? -1);
          last.set(id, Math.max(n, last.get(id) ?? -1));
          return isLate ? [`${id}: ${n}`] : [];
        }),
    );
  }

  async function left(name: string): Promise<number> {
    const manager = await client.manager();
    let count = 0;
    let consumers = 0;
    for await (const { num_pending, num_ack_pending } of manager.consumers.list(name)) {
      count += num_pending + num_ack_pending;
      consumers += 1;
    }
    return consumers === 0 ? Number.POSITIVE_INFINITY : count;
  }

  it('are those of the mappings of nats-server', async () => {
    await client.create('MAPPED', 'mapped.*');
    const names = ['a', 'order-17', 'Zürich', '東京', '0', 'x'.repeat(50)];
    for (const name of names) await client.put(`keyed.${name}`, [name]);
    const stored = await client.all('MAPPED');
    expect(stored.map(({ subject, text }) => [subject, text])).toEqual(
      names.map(name => [`mapped.${partitionOf(name, 16)}`, name]),
    );
    expect(new Set(stored.map(({ subject }) => subject)).size).toBeGreaterThan(3);
  });

  it('keep the results of each key in order when taggers die, sleep, and come', {
    tags: 'slow',
  }, async () => {
    const records = longForm ? 60_000 : 4_000;
    write('KEYS', records);
    await put('KEYS');
    const taggers: ChildProcess[] = [];
    const said: string[] = [];
    const start = () => {
      const given = [join(root, 'dist/cli/main.js'), 'run', 'KEYS.yaml'];
      const child = spawn(process.execPath, given, { cwd: folder });
      child.stderr.on('data', (text: Buffer) => said.push(`${text}`));
      taggers.push(child);
      return child;
    };
    const stored = async () => {
      const manager = await client.manager();
      const info = await manager.streams.info('KEYS-OUT').catch(() => undefined);
      return info?.state.messages ?? 0;
    };
    for (let i = 0; i < 3; i += 1) start();
    while ((await stored()) < records / 8) await pause(20);
    let kills = 0;
    for (let i = 0; i < (longForm ? 20 : 1); i += 1) {
      const [killed, asleep] = taggers.slice(-3);
      const over = once(killed!, 'exit');
      killed!.kill('SIGKILL');
      await over;
      kills += 1;
      start();
      // What it has in hand is given to another, and sent by both when it wakes.
      asleep!.kill('SIGSTOP');
      await pause(2_500);
      asleep!.kill('SIGCONT');
      await pause(random.below(300));
    }
    const atKills = await stored();
    while ((await left('KEYS')) > 0) await pause(100);
    const alive = taggers.filter(({ exitCode, signalCode }) => (exitCode ?? signalCode) === null);
    expect(alive).toHaveLength(3);
    await Promise.all(
      alive.map(child => {
        const over = once(child, 'exit');
        child.kill('SIGTERM');
        return over;
      }),
    );
    // Each has had a part in it.
    const shares = [...said.join('').matchAll(/stopped: ([\d,]+) records?/g)].map(([, count]) =>
      Number(count!.replace(',', '')),
    );
    console.log(
      `partitions, seed ${faultsSeed}: ${kills} kills, ${atKills} of ${records} stored by then; records by tagger: ${shares.join(' ')}`,
    );
    expect(misplaced(await client.all('KEYS-OUT'))).toEqual([]);
    const verified = await tagstream(['cluster', 'verify', 'KEYS.yaml'], { cwd: folder });
    expect(verified.stdout).toContain(`in KEYS-OUT: ${records} results of them, 0 others`);
    expect(verified).toMatchObject({ code: 0, stderr: '' });
  });

  it('keep it in messages of many records, whole or one by one', { tags: 'slow' }, async () => {
    for (const [name, sink] of [
      ['MANY', ''],
      ['WHOLE', ', together: true'],
    ] as const) {
      write(name, 2_000, { sink, follow: false });
      await put(name, '--together', '50');
      const runs = [1, 2].map(() => runPipeline(loadPipeline(join(folder, `${name}.yaml`)), {}));
      const counts = await Promise.all(runs);
      expect(counts.reduce((sum, { records }) => sum + records, 0)).toBe(2_000);
      expect(misplaced(await client.all(`${name}-OUT`))).toEqual([]);
      const verify = ['cluster', 'verify', `${name}.yaml`];
      expect(await tagstream(verify, { cwd: folder })).toMatchObject({ code: 0 });
    }
  });

  it('are refused where messages belong to none, or a consumer gives out several', async () => {
    const failure = (name: string) =>
      runPipeline(loadPipeline(join(folder, `${name}.yaml`)), {}).then(
        () => expect.fail('nothing was refused'),
        (error: TagstreamError) => error.message,
      );
    write('OTHER', 200, { follow: false });
    await put('OTHER');
    write('OTHER', 200, { partitions: 5, follow: false });
    expect(await failure('OTHER')).toMatch(
      /OTHER has messages of 3 subjects that no partition reads: OTHER\.\d.*set partitions to the number/s,
    );
    write('LOOSE', 200, { partitions: 1, follow: false });
    await put('LOOSE');
    const manager = await client.manager();
    await manager.consumers.add('LOOSE', {
      ...{ durable_name: 'taggers-0', ack_policy: 'explicit', filter_subject: 'LOOSE.0' },
    });
    expect(await failure('LOOSE')).toMatch(/taggers-0 of LOOSE allows 1000 messages in flight/);
  });
});
