import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { root, tagstream } from '../../cli/commands/run-command.js';
import { toyRecords, workspace } from '../../cli/commands/workspace.js';
import { attackCount, longForm, reportCounts } from '../../faults/long-form.js';
import { faultsSeed, printSeed, randomOf } from '../../faults/seed.js';
import { describeNats, natsServers } from '../server.js';
import { StreamClient } from '../stream-client.js';

printSeed('random kills of a learner and of the leader of its stream');
const random = randomOf(37);
const records = longForm ? 200_000 : 3_000;
const kills = attackCount(3, 50);
const leaders = longForm ? 8 : 1;
/** Sentences from one checkpoint to the next; not a divisor of the messages, which have 1 to 5 records. */
const apart = longForm ? 501 : 101;

describeNats('a learner of a stream of three servers', () => {
  const servers = natsServers({ servers: 3 });
  const folder = workspace();
  const model = (name: string) => readFileSync(join(folder, name, 'learned.model'));

  function pipeline(name: string): string {
    const file = join(folder, name, 'learn.yaml');
    const from = { stream: 'LABELLED', servers: servers().urls, follow: false, giveUp: 600 };
    mkdirSync(join(folder, name));
    const chosen = {
      ...{ version: 1, name: 'learn', model: 'learned.model' },
      source: { ndjson: { from: { nats: from } } },
      stages: [
        'tokenize',
        { featurize: { templates: ['U:%x[0,0]', 'U1:%x[-1,0]', 'B'] } },
        { batch: { sentences: 2 } },
        'contribute',
        { optimize: { sgd: {} } },
        { checkpoint: { dir: 'learned', sentences: apart } },
      ],
      train: { corpusSize: 10_000 },
    };
    writeFileSync(file, JSON.stringify(chosen));
    return file;
  }

  /** Checkpoints that a run has written so far. */
  function written(name: string): number {
    try {
      const names = readdirSync(join(folder, name, 'learned'));
      return Math.max(0, ...names.map(each => Number(/^gen-(\d+)$/.exec(each)?.[1] ?? 0)));
    } catch {
      return 0;
    }
  }

  function start(file: string): ChildProcess {
    const line = [join(root, 'dist/cli/main.js'), 'run', file, '--resume'];
    const child = spawn(process.execPath, line, { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.on('data', text => {
      if (`${text}`.startsWith('tagstream:')) console.log(`learner: ${text}`);
    });
    return child;
  }

  const isOver = ({ exitCode, signalCode }: ChildProcess) =>
    exitCode !== null || signalCode !== null;

  async function killed(child: ChildProcess): Promise<void> {
    const over = once(child, 'exit');
    child.kill('SIGKILL');
    await over;
  }

  it('ends in the bytes of one that nothing happened to, whatever is killed', {
    tags: 'slow',
  }, async () => {
    const client = await StreamClient.open(servers().urls);
    await client.create('LABELLED', 'labelled', 3);
    const lines = toyRecords(1000);
    for (let i = 0; i < records; i += lines.length) {
      const messages: string[] = [];
      for (let at = 0; at < lines.length; ) {
        const end = at + 1 + random.below(5);
        messages.push(lines.slice(at, end).join('\n'));
        at = end;
      }
      await client.put('labelled', messages);
    }
    const undisturbed = await tagstream(['run', pipeline('undisturbed')]);
    expect(undisturbed).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining('tagstream:'),
    });

    const file = pipeline('struck');
    const all = Math.floor(records / apart);
    // At checkpoints, so that it dies all along the stream; two at one mean that it dies while it resumes.
    const places = (count: number) =>
      Array.from({ length: count }, () => 1 + random.below(all - 2)).sort((a, b) => a - b);
    const [deaths, losses] = [places(kills), places(leaders)];
    const counts = { 'learner killed': 0, 'leader of the stream killed': 0 };
    const manager = await client.manager();
    let learner = start(file);
    const strikeLeader = async () => {
      const { cluster } = await manager.streams.info('LABELLED');
      const leader = Number(cluster?.leader?.slice('server-'.length));
      await servers().kill(leader);
      counts['leader of the stream killed'] += 1;
      // Meanwhile the learner reads from another, or dies as well.
      await pause(random.below(1_000));
      await servers().restart(leader);
      await servers().ready();
    };
    let striking: Promise<void> | undefined;
    while (deaths.length > 0 || losses.length > 0) {
      if (isOver(learner)) throw new Error(`the learner ended with ${learner.exitCode}`);
      const now = written('struck');
      if (losses.length > 0 && now >= losses[0]!) {
        losses.shift();
        await striking;
        striking = strikeLeader();
      }
      if (deaths.length > 0 && now >= deaths[0]!) {
        deaths.shift();
        await pause(random.below(longForm ? 40 : 15));
        await killed(learner);
        counts['learner killed'] += 1;
        learner = start(file);
        await pause(random.below(400));
      }
      await pause(2);
    }
    await striking;
    if (!isOver(learner)) await once(learner, 'exit');
    reportCounts(`a learner of ${records} records, seed ${faultsSeed}`, counts);
    expect(learner.exitCode).toBe(0);
    expect(counts).toEqual({ 'learner killed': kills, 'leader of the stream killed': leaders });
    expect(model('struck')).toEqual(model('undisturbed'));
    await client.close();
  });
});
