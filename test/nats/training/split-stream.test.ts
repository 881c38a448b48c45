import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { parsePipeline, type RunOptions } from '../../../src/index.js';
import type { RunParts } from '../../../src/runtime/pipeline/run/run-once.js';
import { observedRun } from '../../../src/runtime/pipeline/run/run-pipeline.js';
import { root } from '../../cli/commands/run-command.js';
import { toyRecords, workspace } from '../../cli/commands/workspace.js';
import { LocalExecutor } from '../../engine/models/group/mixing/local-executor.js';
import { longForm } from '../../faults/long-form.js';
import { describeNats, natsServers } from '../server.js';
import { StreamClient } from '../stream-client.js';
import { ended, killed } from './processes.js';

const records = longForm ? 20_000 : 900;
const every = longForm ? 200 : 80;
const kills = longForm ? 30 : 3;

describeNats('a learner that is split by key', () => {
  const servers = natsServers();
  const folder = workspace();

  beforeAll(async () => {
    const client = await StreamClient.open(servers().url);
    await client.create('LABELLED', 'labelled');
    await client.put('labelled', toyRecords(records));
    await client.close();
  });

  function pipeline(name: string, more: object = {}): string {
    const from = { stream: 'LABELLED', servers: servers().url, follow: false };
    const cluster = { shards: 4, every, servers: servers().url, stream: name, create: true };
    mkdirSync(join(folder, name));
    const file = join(folder, name, 'learn.yaml');
    const chosen = {
      ...{ version: 1, name: 'learn', model: 'learned.model' },
      source: { ndjson: { from: { nats: from } } },
      stages: [
        'tokenize',
        { featurize: { templates: ['U:%x[0,0]', 'U1:%x[-1,0]', 'B'] } },
        'batch',
        { contribute: { loss: 'perceptron' } },
        { optimize: { perceptron: {} } },
        { evaluate: { progressive: true } },
        { checkpoint: { dir: 'checkpoints', every: 1 } },
      ],
      train: {
        corpusSize: 1000,
        cluster: { ...cluster, work: false, ackWait: 2, lease: 2, ...more },
      },
    };
    writeFileSync(file, JSON.stringify(chosen));
    return file;
  }

  const bytes = (name: string) => readFileSync(join(folder, name, 'learned.model'));

  function start(...line: readonly string[]): ChildProcess {
    const program = join(root, 'dist/cli/main.js');
    const child = spawn(process.execPath, [program, ...line], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.on('data', text => {
      if (`${text}`.startsWith('tagstream:')) console.log(`${text}`);
    });
    return child;
  }

  const here = (file: string, options: RunOptions = {}, parts: RunParts = {}) =>
    observedRun(parsePipeline(readFileSync(file, 'utf8'), file), options, parts);

  /** By one thread, without servers for the shards. */
  let reference: Promise<Buffer> | undefined;
  function alone(): Promise<Buffer> {
    reference ??= (async () => {
      await here(pipeline('alone'), {}, { executor: new LocalExecutor() });
      return bytes('alone');
    })();
    return reference;
  }

  it.each(longForm ? [1, 2, 4] : [2])(
    'gives the bytes of one thread with %i workers',
    { tags: 'slow' },
    async count => {
      const file = pipeline(`by${count}`);
      const workers = Array.from({ length: count }, () => start('cluster', 'work', file));
      let seen = 0;
      let scored = 0;
      const events = {
        onStep: ({
          sentencesSeen,
          scores,
        }: {
          sentencesSeen: number;
          scores?: { tokens: number };
        }) => {
          seen = sentencesSeen;
          scored = scores!.tokens;
        },
      };
      const { cluster } = await here(file, { events });
      await Promise.all(workers.map(killed));
      expect(bytes(`by${count}`)).toEqual(await alone());
      expect(seen).toBe(records);
      expect(scored).toBeGreaterThan(3 * records);
      expect(cluster).toMatchObject({ passes: Math.ceil(records / every), ownTasks: 0 });
    },
  );

  it('gives the same bytes whoever is killed', { tags: 'slow' }, async () => {
    const file = pipeline('killed');
    const random = new Random(43);
    const begin = [
      () => start('run', file, '--resume'),
      () => start('cluster', 'work', file),
      () => start('cluster', 'work', file),
    ];
    const processes = begin.map(each => each());
    for (let i = 0; i < kills; i += 1) {
      await pause(300 + random.below(900));
      const which = i < 2 ? 1 - i : random.below(3);
      if (processes[0]!.exitCode !== null) break;
      await killed(processes[which]!);
      processes[which] = begin[which]!();
    }
    await ended(processes[0]!);
    await Promise.all(processes.map(killed));
    expect(processes[0]!.exitCode).toBe(0);
    expect(bytes('killed')).toEqual(await alone());
  });

  it('resumes after the round that it was stopped in', { tags: 'slow' }, async () => {
    const file = pipeline('stopped', { work: true });
    const stop = new AbortController();
    const onStep = ({ sentencesSeen }: { sentencesSeen: number }) => {
      if (sentencesSeen >= 4 * every) stop.abort();
    };
    const first = await here(file, { events: { onStep }, signal: stop.signal });
    expect(first).toMatchObject({ stopped: true, sentencesSeen: 4 * every });
    await here(file, { resume: true });
    expect(bytes('stopped')).toEqual(await alone());
  });
});
