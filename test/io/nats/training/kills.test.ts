import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Random } from '../../../../src/core/random.js';
import { digest } from '../../../models/examples/digest.js';
import { describeNats, natsServers } from '../server.js';

const main = resolve(import.meta.dirname, '../../../../dist/cli/main.js');
const corpus = resolve(import.meta.dirname, '../../../../corpora/starter/train.ndjson');
const long = process.env.TAGSTREAM_FAULTS === 'long';

/** Processes of one training, each of which is started again when it is killed. */
class Training {
  readonly folder: string;
  readonly model: string;
  readonly #pipeline: string;
  readonly #said: string[] = [];

  /** @param sums whether gradients are summed, with checkpoints to resume from */
  constructor(folder: string, url: string, stream: string, epochs: number, sums = false) {
    this.folder = join(folder, stream);
    mkdirSync(this.folder);
    this.model = join(this.folder, 'out.model');
    this.#pipeline = join(this.folder, 'train.yaml');
    const cluster = {
      shards: 8,
      servers: url,
      stream,
      create: true,
      work: false,
      ackWait: 2,
      lease: 2,
    };
    const pipeline = {
      ...{ version: 1, name: 'kills', model: 'out.model' },
      source: { ndjson: { files: [corpus], tag: 'upos', limit: 240 } },
      stages: [
        { featurize: { preset: 'pos', support: 'observed' } },
        'batch',
        { contribute: { loss: sums ? 'log' : 'perceptron' } },
        { optimize: sums ? { lbfgs: { l2: 0.1 } } : { perceptron: {} } },
        ...(sums ? [{ checkpoint: { dir: 'checkpoints', every: 2 } }] : []),
      ],
      train: { epochs, cluster },
    };
    writeFileSync(this.#pipeline, JSON.stringify(pipeline));
  }

  coordinator(...more: readonly string[]): ChildProcess {
    return this.#start(['train', this.#pipeline, ...more]);
  }

  worker(): ChildProcess {
    return this.#start(['cluster', 'work', this.#pipeline]);
  }

  /** On this machine alone. */
  alone(): ChildProcess {
    const pipeline = JSON.parse(readFileSync(this.#pipeline, 'utf8'));
    const file = join(this.folder, 'alone.yaml');
    const { epochs } = pipeline.train;
    writeFileSync(file, JSON.stringify({ ...pipeline, train: { epochs } }));
    return this.#start(['train', file]);
  }

  /** What all of them have said. */
  get said(): string {
    return this.#said.join('');
  }

  get bytes(): string {
    if (!existsSync(this.model)) throw new Error(`there is no model:\n${this.said}`);
    return digest(readFileSync(this.model));
  }

  #start(line: readonly string[]): ChildProcess {
    const child = spawn(process.execPath, [main, ...line], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on('data', text => this.#said.push(`${text}`));
    }
    return child;
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function killed(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await ended(child);
}

describeNats('training by processes', () => {
  const servers = natsServers();
  const epochs = long ? 60 : 20;

  const alone = async () => {
    const training = new Training(servers().folder, servers().url, 'alone', epochs);
    await ended(training.coordinator('--set', 'train.cluster.work=true'));
    return training.bytes;
  };
  let reference: Promise<string> | undefined;

  it.each([1, 2, 4])('makes the same bytes with %i workers', async count => {
    reference ??= alone();
    const expected = await reference;
    const training = new Training(servers().folder, servers().url, `by${count}`, epochs);
    const workers = Array.from({ length: count }, () => training.worker());
    await ended(training.coordinator());
    await Promise.all(workers.map(killed));
    expect(training.bytes).toBe(expected);
    expect(training.said).toContain(`0 of ${8 * epochs} tasks done here`);
  });

  /** Kills processes at random moments, and starts each again, until there is a model. */
  async function withKills(training: Training, seed: number, ...more: readonly string[]) {
    const random = new Random(seed);
    const start = [
      () => training.coordinator(...more),
      () => training.worker(),
      () => training.worker(),
    ];
    const processes = start.map(begin => begin());
    const kills = { coordinators: 0, workers: 0 };
    const most = long ? 20 : 8;
    for (let i = 0; i < most; i += 1) {
      // Long enough for most to have begun: a process starts, connects and reads the corpus.
      await pause(600 + random.below(1_500));
      // A worker first and then the coordinator, however soon the training ends.
      const which = i < 2 ? 1 - i : random.below(3);
      if (processes[0]!.exitCode !== null) break;
      await killed(processes[which]!);
      kills[which === 0 ? 'coordinators' : 'workers'] += 1;
      processes[which] = start[which]!();
    }
    await ended(processes[0]!);
    await Promise.all(processes.map(killed));
    return kills;
  }

  it('makes the same bytes whoever is killed', async () => {
    reference ??= alone();
    const expected = await reference;
    const training = new Training(servers().folder, servers().url, 'killed', epochs);
    const kills = await withKills(training, 20);
    expect(training.bytes).toBe(expected);
    expect(kills.coordinators).toBeGreaterThan(0);
    expect(kills.workers).toBeGreaterThan(0);
  });

  it('sums gradients to the bytes of one machine, whoever is killed', async () => {
    const single = new Training(servers().folder, servers().url, 'one', 3 * epochs, true);
    await ended(single.alone());
    const training = new Training(servers().folder, servers().url, 'sums', 3 * epochs, true);
    const kills = await withKills(training, 23, '--resume');
    expect(training.bytes).toBe(single.bytes);
    expect(kills.coordinators + kills.workers).toBeGreaterThan(1);
  });
});
