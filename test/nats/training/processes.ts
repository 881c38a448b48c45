import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { digest } from '../../engine/models/examples/digest.js';

const main = resolve(import.meta.dirname, '../../../dist/cli/main.js');
const corpus = resolve(import.meta.dirname, '../../../corpora/starter/train.ndjson');

/** Processes of one training, each of which is started again when it is killed. */
export class Training {
  readonly folder: string;
  readonly model: string;
  readonly #pipeline: string;
  readonly #said: string[] = [];

  /** @param sums whether gradients are summed, with checkpoints to resume from */
  constructor(
    folder: string,
    servers: string | readonly string[],
    stream: string,
    epochs: number,
    sums = false,
  ) {
    this.folder = join(folder, stream);
    mkdirSync(this.folder);
    this.model = join(this.folder, 'out.model');
    this.#pipeline = join(this.folder, 'train.yaml');
    const cluster = {
      shards: 8,
      servers,
      replicas: typeof servers === 'string' ? 1 : servers.length,
      stream,
      create: true,
      work: false,
      ackWait: 2,
      lease: 2,
    };
    const pipeline = {
      ...{ version: 1, name: 'kills', model: 'out.model' },
      source: { ndjson: { files: [corpus], tag: 'upos', limit: 120 } },
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

/** Resolves when a process has ended. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Kills a process. */
export async function killed(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await ended(child);
}
