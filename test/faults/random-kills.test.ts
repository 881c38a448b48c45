import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../src/core/random.js';
import { root, tagstream } from '../cli/run-command.js';
import { trainHere } from '../cli/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../cli/workspace.js';

const isLong = process.env.TAGSTREAM_FAULTS === 'long';
const wantedKills = isLong ? 200 : 4;
const folder = workspace();
const random = new Random(11);
const path = (name: string) => join(folder, name);
const remove = (...names: string[]) => {
  for (const name of names) rmSync(path(name), { recursive: true, force: true });
};
const expectSame = (a: string, b: string) =>
  expect(readFileSync(path(a)).equals(readFileSync(path(b)))).toBe(true);
const read = (name: string) => readFileSync(path(name), 'utf8');

/** Every eleventh line is none; every twentieth cannot be tagged. */
const lines = toyRecords(isLong ? 60_000 : 12_000, false).flatMap((line, i) => {
  if (i % 11 === 0) return [line, `{"id": ${i}, broken`];
  return i % 20 === 0 ? [line, `{"id": "${i}", "tokens": []}`] : [line];
});

/** Runs a command, and again where it left off, each time killed after a random while, until it has ended. */
async function killedUntilDone(given: string[], cwd: string, most: number): Promise<number> {
  let kills = 0;
  for (;;) {
    const child = spawn(process.execPath, [join(root, 'dist/cli/main.js'), ...given], {
      cwd,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let told = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      told += text;
    });
    // A start takes some time before anything can be lost; the longest wait ends the longest run.
    const wait = kills < wantedKills ? 150 + random.below(most) : 600_000;
    const timer = setTimeout(() => child.kill('SIGKILL'), wait);
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    clearTimeout(timer);
    if (signal === 'SIGKILL') kills += 1;
    else {
      expect(told.includes('Error') ? told : code).toBe(0);
      return kills;
    }
  }
}

/** Repeats a broken run from its beginning, each compared, until there have been enough kills. */
async function untilEnough(begin: () => void, run: () => Promise<number>, compare: () => void) {
  let kills = 0;
  let runs = 0;
  while (kills < wantedKills) {
    begin();
    kills += await run();
    compare();
    runs += 1;
  }
  return `killed ${kills} times in ${runs} runs`;
}

/** Letters without the moment at which they were written. */
const letters = (name: string) =>
  read(name)
    .trimEnd()
    .split('\n')
    .map(line => {
      const { time, ...letter } = JSON.parse(line) as Record<string, unknown>;
      expect(typeof time).toBe('string');
      return JSON.stringify(letter);
    });

beforeAll(async () => {
  writeFileSync(path('in.ndjson'), `${lines.join('\n')}\n`);
  const pipeline = toyPipeline(folder, 60);
  await trainHere(pipeline);
});

describe('a run that is killed at random instants and gone on with', () => {
  it('tags a file into a file, each record and each dead letter once', async () => {
    const common = ['tag', '--model', 'toy.model', '--scores', 'in.ndjson'];
    const whole = [...common, '--out', 'whole.ndjson', '--dead-letter', 'whole.bad'];
    expect((await tagstream(whole, { cwd: folder })).code).toBe(0);
    const resumable = ['--checkpoint', 'progress', '--checkpoint-seconds', '0.005', '--resume'];
    const killed = [...common, '--out', 'out.ndjson', '--dead-letter', 'out.bad', ...resumable];
    const told = await untilEnough(
      () => remove('out.ndjson', 'out.bad', 'progress'),
      () => killedUntilDone(killed, folder, 400),
      () => {
        expect(read('out.ndjson') === read('whole.ndjson')).toBe(true);
        expect(letters('out.bad').sort()).toEqual(letters('whole.bad').sort());
      },
    );
    console.log(`random kills: tagging ${told}, ${lines.length} lines, same bytes each time`);
  }, 900_000);

  it('learns from a stream and tags it into a file, with the same model and the same records', async () => {
    const labelled = toyRecords(4000).map((line, i) => (i % 3 === 0 ? lines[i]! : line));
    writeFileSync(path('stream.ndjson'), `${labelled.join('\n')}\n`);
    const pipeline = (name: string) => `version: 1
name: stream
source: { ndjson: { files: [stream.ndjson] } }
stages:
  - featurize: { templates: ["U00:%x[0,0]", "U01:%x[-1,0]", "B"] }
  - batch: { sentences: 3 }
  - contribute: { loss: log }
  - optimize: { sgd-l1: { l1: 0.1, schedule: constant } }
  - evaluate: { progressive: true }
  - checkpoint: { dir: ${name}-checkpoints, sentences: 50 }
  - tag: {}
train: { corpusSize: 1000 }
model: ${name}.model
sink: { file: ${name}-tagged.ndjson, only: unlabelled }
`;
    for (const name of ['straight', 'broken']) writeFileSync(path(`${name}.yaml`), pipeline(name));
    const straight = await tagstream(['run', 'straight.yaml'], { cwd: folder });
    expect(straight.code).toBe(0);
    const told = await untilEnough(
      () => remove('broken-tagged.ndjson', 'broken.model', 'broken-checkpoints'),
      () => killedUntilDone(['run', 'broken.yaml', '--resume'], folder, 500),
      () => {
        expect(read('broken-tagged.ndjson') === read('straight-tagged.ndjson')).toBe(true);
        expectSame('broken.model', 'straight.model');
      },
    );
    console.log(`random kills: a stream ${told}, same model and records each time`);
  }, 900_000);

  it('trains in passes, with the same model', async () => {
    const stage = '  - checkpoint: { dir: pass-checkpoints, sentences: 37, keep: 2 }\n';
    const pipeline = toyPipeline(folder, 300, stage);
    const given = ['train', pipeline, '--set', `train.epochs=${isLong ? 400 : 60}`];
    const whole = [...given, '--model', 'passes.model'];
    expect((await tagstream(whole, { cwd: folder })).code).toBe(0);
    const killed = [...given, '--model', 'killed.model', '--resume'];
    const told = await untilEnough(
      () => remove('killed.model', 'pass-checkpoints'),
      () => killedUntilDone(killed, folder, 500),
      () => expectSame('killed.model', 'passes.model'),
    );
    console.log(`random kills: training in passes ${told}, same model each time`);
  }, 900_000);
});

describe('a tagging run with checkpoints', () => {
  const given = ['tag', '--model', 'toy.model', '--out', 'x.ndjson', '--checkpoint', 'x', 'small'];

  it('is begun anew without --resume, and refused with other settings or another input', async () => {
    writeFileSync(path('small'), `${toyRecords(5, false).join('\n')}\n`);
    const run = (...more: string[]) =>
      tagstream([...given, '--format', 'ndjson', ...more], { cwd: folder });
    expect((await run()).code).toBe(0);
    const first = read('x.ndjson');
    expect(first.trimEnd().split('\n').length).toBe(5);
    expect((await run('--resume')).code).toBe(0);
    expect(read('x.ndjson')).toBe(first);
    const other = await run('--resume', '--scores');
    expect(other.stderr).toContain('scores: absent -> true');
    expect(other.code).toBe(1);
    writeFileSync(path('small'), `${toyRecords(7, false).join('\n')}\n`);
    expect((await run('--resume')).code).toBe(0);
    expect(read('x.ndjson').startsWith(first)).toBe(true);
    expect(read('x.ndjson').trimEnd().split('\n').length).toBe(7);
    writeFileSync(path('small'), `${toyRecords(9, false).reverse().join('\n')}\n`);
    const replaced = await run('--resume');
    expect(replaced.stderr).toContain('the input is not the one that the run was reading');
    expect((await run()).code).toBe(0);
    expect(read('x.ndjson').trimEnd().split('\n').length).toBe(9);
  });

  it('keeps a second process out', async () => {
    const held = ['tag', '--model', 'toy.model', '--out', 'held', '--checkpoint', 'both'];
    const command = [join(root, 'dist/cli/main.js'), ...held, '-', '--format', 'ndjson'];
    const first = spawn(process.execPath, command, { cwd: folder });
    first.stdin.write(`${lines[0]}\n`);
    const isLocked = () => {
      try {
        return read('both/.lock').length > 0 && read('held.part').length >= 0;
      } catch {
        return false;
      }
    };
    while (!isLocked()) await new Promise(wake => setTimeout(wake, 5));
    const second = await tagstream([...held, 'small', '--format', 'ndjson'], { cwd: folder });
    expect(second.stderr).toContain(`process ${first.pid} on`);
    expect(second.code).toBe(1);
    first.stdin.end();
    expect((await once(first, 'close'))[0]).toBe(0);
    expect(read('held').trimEnd().split('\n').length).toBe(1);
  });

  it('wants an output that can be cut back', async () => {
    const { code, stderr } = await tagstream(
      ['tag', '--model', 'toy.model', '--checkpoint', 'y', 'small', '--format', 'ndjson'],
      { cwd: folder },
    );
    expect(stderr).toContain('--checkpoint with the standard output (name a file with --out');
    expect(code).toBe(2);
  });
});
