import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { root, tagstream } from '../../cli/commands/run-command.js';
import { trainHere } from '../../cli/commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../../cli/commands/workspace.js';
import { attackCount, longForm, reportCounts } from '../../faults/long-form.js';
import { faultsSeed, printSeed, randomOf } from '../../faults/seed.js';
import { describeNats, natsServers } from '../server.js';
import { type Stored, StreamClient } from '../stream-client.js';

printSeed('random kills of taggers and servers');
const random = randomOf(29);
const taggers = 4;
const records = longForm ? 1_000_000 : 20_000;
const kills = attackCount(5, 40);

describeNats('four taggers at a cluster of three servers', () => {
  const servers = natsServers({ servers: 3 });
  const folder = workspace();
  const processes: (ChildProcess | undefined)[] = Array(taggers).fill(undefined);

  /** Taggers that ended by themselves. */
  const ended: string[] = [];

  /** Starts a tagger that goes on until it is killed. */
  function start(number: number): void {
    const given = [join(root, 'dist/cli/main.js'), 'run', 'tagging.yaml'];
    const child = spawn(process.execPath, given, {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.on('data', (text: Buffer) => console.log(`tagger ${number}: ${text}`));
    child.once('exit', code => {
      if (processes[number] !== child) return;
      // What watches over services starts it again, as here; how often is reported.
      ended.push(`tagger ${number} ended with ${code}`);
      start(number);
    });
    processes[number] = child;
  }

  async function end(number: number, signal: NodeJS.Signals): Promise<void> {
    const child = processes[number]!;
    processes[number] = undefined;
    const over = once(child, 'exit');
    child.kill(signal);
    child.kill('SIGCONT');
    await over;
  }

  /** One of the faults, at random; resolves when everything runs again. */
  const faults: readonly (readonly [name: string, strike: () => Promise<void>])[] = [
    [
      'tagger killed',
      async () => {
        const number = random.below(taggers);
        await end(number, 'SIGKILL');
        start(number);
      },
    ],
    [
      'tagger paused beyond its ack wait',
      async () => {
        const child = processes[random.below(taggers)]!;
        child.kill('SIGSTOP');
        await pause(4_500);
        child.kill('SIGCONT');
      },
    ],
    ['leader killed', async () => killServer(await servers().leader())],
    ['server killed', async () => killServer(random.below(3))],
    [
      'server paused',
      async () => {
        const number = random.below(3);
        servers().pause(number);
        await pause(1_000);
        servers().resume(number);
        await servers().ready();
      },
    ],
  ];

  async function killServer(number: number): Promise<void> {
    if (number < 0) return;
    await servers().kill(number);
    await pause(random.below(500));
    await servers().restart(number);
    await servers().ready();
  }

  it('store each result once, whatever dies', { tags: 'slow' }, async () => {
    await trainHere(toyPipeline(folder, 60));
    const source = '{ stream: TEXTS, consumer: taggers, create: true, ackWait: 4, giveUp: 600';
    const sink = '{ stream: TAGGED, subject: "tagged.{label}", create: true, window: 3600';
    const list = `servers: [${servers()
      .urls.map(url => `"${url}"`)
      .join(', ')}], replicas: 3 }`;
    const text = `version: 1
name: tagging
source: { ndjson: { from: { nats: ${source}, ${list} } } }
stages:
  - tokenize
  - featurize: { model: toy.model }
  - batch: { sentences: 32, milliseconds: 5 }
  - tag
sink: { to: { nats: ${sink}, ${list} } }
`;
    writeFileSync(join(folder, 'tagging.yaml'), text);
    const client = await StreamClient.open(servers().urls);
    await client.create('TEXTS', 'texts', 3);
    const lines = toyRecords(1000, false);
    for (let i = 0; i < records; i += lines.length) await client.put('texts', lines);
    for (let number = 0; number < taggers; number += 1) start(number);
    const counts = new Map<string, number>();
    for (let i = 0; i < kills; i += 1) {
      await pause(longForm ? random.below(4_000) : random.below(400));
      const [name, strike] = faults[i < faults.length ? i : random.below(faults.length)]!;
      await strike();
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    const manager = await client.manager();
    for (;;) {
      const info = await manager.consumers.info('TEXTS', 'taggers').catch(() => undefined);
      if (info?.num_pending === 0 && info.num_ack_pending === 0) break;
      await pause(200);
    }
    for (let number = 0; number < taggers; number += 1) await end(number, 'SIGTERM');
    counts.set('taggers that ended by themselves', ended.length);
    reportCounts(`kills around NATS, seed ${faultsSeed}`, counts);
    const verify = ['cluster', 'verify', 'tagging.yaml'];
    const whole = await tagstream(verify, { cwd: folder });
    expect(whole.stdout).toContain(`in TAGGED: ${records} results of them, 0 others`);
    expect(whole).toMatchObject({ code: 0, stderr: '' });
    // What a single tagger says of each record, whoever tagged it here.
    const direct = await tagstream(['tag', '--model', 'toy.model'], {
      cwd: folder,
      stdin: `${lines.join('\n')}\n`,
    });
    const expected = direct.stdout.trimEnd().split('\n');
    const stored = await client.all('TAGGED');
    const wrong = stored.filter(({ id, text: result }) => {
      const sequence = Number(id!.split(':')[1]);
      return result.trimEnd() !== expected[(sequence - 1) % lines.length];
    });
    expect(wrong).toEqual([]);

    // A run that was broken on purpose: one result is missing, another is there twice.
    await manager.streams.add({ name: 'BROKEN', subjects: ['broken'], duplicate_window: 1e8 });
    await client.putAgain('broken', [...stored.slice(0, 7), ...stored.slice(8)]);
    await client.putAgain('broken', [stored[9]!]);
    const broken = await tagstream([...verify, '--set', 'sink.to.nats.stream=BROKEN'], {
      cwd: folder,
    });
    expect(broken.code).toBe(1);
    const placeOf = ({ id }: Stored) => id!.replace(/:\w+$/, '');
    expect(broken.stdout).toContain(`missing: ${placeOf(stored[7]!)}\n`);
    expect(broken.stdout).toContain(`more than once: ${placeOf(stored[9]!)}\n`);
    await client.close();
  });
});
