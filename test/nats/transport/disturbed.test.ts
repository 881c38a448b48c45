import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root, tagstream } from '../../cli/commands/run-command.js';
import { trainHere } from '../../cli/commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../../cli/commands/workspace.js';
import { describeNats, natsServers } from '../server.js';
import { StreamClient } from '../stream-client.js';

const clock = pathToFileURL(join(import.meta.dirname, 'jumping-clock.mjs')).href;

describeNats('a tagger whose', () => {
  // A client that takes nothing for so long is cut off.
  const servers = natsServers({ config: 'write_deadline: "1s"' });
  const folder = workspace();
  let client: StreamClient;

  beforeAll(async () => {
    client = await StreamClient.open(servers().url);
    await trainHere(toyPipeline(folder));
  });
  const started: ChildProcess[] = [];
  afterAll(async () => {
    for (const child of started) child.kill('SIGKILL');
    await client.close();
  });

  function start(name: string, { giveUp = 60, ackWait = 1, preload = '' } = {}) {
    const text = `version: 1
name: tagging
source: { ndjson: { from: { nats: { servers: "${servers().url}", stream: ${name}, consumer: taggers, create: true, ackWait: ${ackWait}, giveUp: ${giveUp} } } } }
stages:
  - tokenize
  - featurize: { model: toy.model }
  - batch: { sentences: 8, milliseconds: 5 }
  - tag
sink: { to: { nats: { servers: "${servers().url}", stream: ${name}-OUT, subject: ${name}-out, create: true, giveUp: ${giveUp} } } }
`;
    writeFileSync(join(folder, `${name}.yaml`), text);
    const child = spawn(process.execPath, [join(root, 'dist/cli/main.js'), 'run', `${name}.yaml`], {
      cwd: folder,
      env: { ...process.env, NODE_OPTIONS: preload && `--import=${preload}` },
    });
    started.push(child);
    let said = '';
    child.stderr.on('data', (more: Buffer) => {
      said += more;
    });
    return { child, said: () => said };
  }

  async function results(name: string): Promise<number> {
    const manager = await client.manager();
    const info = await manager.streams.info(`${name}-OUT`).catch(() => undefined);
    return info?.state.messages ?? 0;
  }

  /** Resolves when there are so many results; rejects when the tagger ends before. */
  async function until(name: string, count: number, child: ChildProcess, said: () => string) {
    while ((await results(name)) < count) {
      if (child.exitCode !== null) throw new Error(`the tagger ended: ${said()}`);
      await pause(20);
    }
  }

  async function finish(name: string, child: ChildProcess): Promise<void> {
    const over = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await over).toEqual([0, null]);
    const verify = ['cluster', 'verify', `${name}.yaml`];
    expect(await tagstream(verify, { cwd: folder })).toMatchObject({ code: 0, stderr: '' });
  }

  it('clock jumps by hours goes on, also while the servers are away', async () => {
    await client.create('CLOCK', 'clock');
    const records = toyRecords(400, false);
    await client.put('clock', records.slice(0, 200));
    const { child, said } = start('CLOCK', { preload: clock });
    const jump = async () => {
      const before = said().length;
      child.kill('SIGUSR2');
      while (!said().slice(before).includes('the clock says')) await pause(5);
    };
    await until('CLOCK', 20, child, said);
    await jump();
    await until('CLOCK', 200, child, said);
    await jump();
    await servers().kill();
    await pause(300);
    // By the clock it has waited for hours now, and then for a negative time.
    await jump();
    await pause(700);
    await jump();
    await servers().restart();
    await client.ready();
    await client.put('clock', records.slice(200));
    await jump();
    await until('CLOCK', 400, child, said);
    await finish('CLOCK', child);
  });

  it('clock has jumped gives up after the time that has passed', { tags: 'slow' }, async () => {
    await client.create('LATE', 'late');
    await client.put('late', toyRecords(50, false));
    const { child, said } = start('LATE', { giveUp: 2, preload: clock });
    await until('LATE', 50, child, said);
    await servers().kill();
    const over = once(child, 'exit');
    await pause(1_000);
    // Back by six hours: by the clock the time would not be over today.
    child.kill('SIGUSR2');
    await pause(100);
    child.kill('SIGUSR2');
    expect(await over).toEqual([1, null]);
    expect(said()).toMatch(/could not (read|find|look|send).*check that the servers are running/);
    await servers().restart();
    await client.ready();
  });

  it('reading is so slow that the server cuts it off connects again, and loses nothing', {
    tags: 'slow',
  }, async () => {
    const messages = 200;
    await client.create('SLOW', 'slow');
    // More than what systems keep for a connection, and little to tag.
    const line = JSON.stringify({ tokens: ['dog'], padding: 'x'.repeat(200_000) });
    await client.put('slow', Array(messages).fill(line));
    const { child, said } = start('SLOW');
    let cuts = 0;
    for (let i = 0; i < 2; i += 1) {
      await until('SLOW', 5 + 50 * i, child, said);
      child.kill('SIGSTOP');
      // Its ack wait is over as well.
      await pause(2_000);
      child.kill('SIGCONT');
      cuts = [
        ...servers()
          .log()
          .matchAll(/Slow Consumer/g),
      ].length;
    }
    expect(cuts).toBeGreaterThan(0);
    await until('SLOW', messages, child, said);
    await finish('SLOW', child);
  });
});
