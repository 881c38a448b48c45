import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { shutdownOption } from '../../../src/cli/options/operation-options.js';
import { exitCodeOf } from '../../../src/cli/report/error-facts.js';
import { root, tagstream } from '../commands/run-command.js';
import { start } from '../commands/start-command.js';
import { thrownBy } from '../commands/thrown-by.js';
import { trainHere } from '../commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const model = join(folder, 'toy.model');
const input = join(folder, 'input.ndjson');
const tagging = join(folder, 'tagging.yaml');
const records = toyRecords(20_000, false);
const readers: ChildProcess[] = [];
afterEach(() => {
  for (const reader of readers.splice(0)) reader.kill('SIGKILL');
});

beforeAll(async () => {
  await trainHere(toyPipeline(folder));
  writeFileSync(input, `${records.join('\n')}\n`);
  writeFileSync(tagging, taggingPipeline('-'));
});

/** A pipeline that tags, in minibatches of four without a limit of time. */
function taggingPipeline(file: string, more = ''): string {
  return `version: 1
name: tagging
source: { ndjson: { files: ["${file}"] } }
stages:
  - tokenize: {}
  - featurize: { model: toy.model }
  - batch: { sentences: 4 }
  - tag: {}
${more}`;
}

const idOf = (line: string) => (JSON.parse(line) as { id: string }).id;
const ids = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => String(from + i));

/** A reader that stands still. */
function stoppedReader(): ChildProcess {
  const reader = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
  readers.push(reader);
  reader.kill('SIGSTOP');
  return reader;
}

const commands: [string, string[]][] = [
  ['tag', ['tag', '--model', model]],
  ['tag in two workers', ['tag', '--model', model, '--workers', '2']],
  ['run', ['run', tagging]],
];

describe.each(commands)('%s', (name, command) => {
  const number = commands.findIndex(([each]) => each === name);
  // Both are heard in one place: both with the first command, one each with the others.
  const signals = (['SIGTERM', 'SIGINT'] as const).filter(
    (_, i) => i === number % 2 || number === 0,
  );
  it.each(signals)(
    'ends in order on %s: all whole lines that were read come out',
    { tags: 'slow' },
    async signal => {
      const run = start(command);
      // Six records: with minibatches of four two of them are held back.
      run.child.stdin!.write(`${records.slice(0, 6).join('\n')}\n${records[6]!.slice(0, 10)}`);
      await run.until('stdout', text => text.includes('\n'));
      run.child.kill(signal);
      const { code, stderr } = await run.closed;
      expect(code).toBe(0);
      expect(run.lines().map(idOf)).toEqual(ids(0, 6));
      expect(stderr).toContain('tagstream: shutting down; signal again to exit at once\n');
      expect(stderr).toContain(
        'tagstream: stopped: 6 records are written; the input was not read to the end\n',
      );
    },
  );

  it('ends in order before anything has come', { tags: 'slow' }, async () => {
    const run = start(command);
    await run.mindsSignals();
    run.child.kill('SIGTERM');
    expect(await run.closed).toMatchObject({ code: 0, stdout: '' });
  });

  it('ends with an error when the reader of its output stands still', {
    tags: 'slow',
  }, async () => {
    const run = start([...command, '--shutdown-timeout', '0.3'], {
      stdout: stoppedReader().stdin!,
    });
    run.child.stdin!.write(`${records.join('\n')}\n`);
    await run.standsStill();
    run.child.kill('SIGTERM');
    const { code, stderr } = await run.closed;
    expect(stderr).toContain('aborted with work left 0.3 s after the signal');
    expect(code).toBe(1);
  });

  const seconds = [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const;
  it.each(seconds.filter((_, i) => i === number % 2 || number === 0))(
    'ends at once on a second signal, %s',
    { tags: 'slow' },
    async (signal, expected) => {
      const run = start(command, { stdout: stoppedReader().stdin! });
      run.child.stdin!.write(`${records.join('\n')}\n`);
      await run.standsStill();
      run.child.kill('SIGTERM');
      await run.until('stderr', text => text.includes('shutting down'));
      run.child.kill(signal);
      expect((await run.closed).code).toBe(expected);
    },
  );

  it('ends without an error when its reader goes away', { tags: 'slow' }, async () => {
    const run = start(command);
    run.child.stdout!.once('data', () => run.child.stdout!.destroy());
    run.child.stdin!.end(`${records.join('\n')}\n`);
    expect(await run.closed).toMatchObject({ code: 0, stderr: '' });
  });

  it('does not mind that nobody reads what it says', { tags: 'slow' }, async () => {
    const run = start(command);
    run.child.stderr!.destroy();
    run.child.stdin!.end(`{\n${records.slice(0, 3000).join('\n')}\n`);
    expect((await run.closed).code).toBe(0);
    expect(run.lines()).toHaveLength(3000);
  });
});

describe('a stopped run that writes a file', () => {
  it.each(['1', '2'])(
    'keeps what there is, and says so, with %s workers',
    { tags: 'slow' },
    async workers => {
      const out = join(folder, `partial-${workers}.ndjson`);
      const run = start(['tag', '--model', model, '--workers', workers, '--out', out]);
      run.child.stdin!.write(`${records.slice(0, 100).join('\n')}\n`);
      const isOpen = () => readdirSync(folder).find(name => name.startsWith(`.partial-${workers}`));
      while (isOpen() === undefined) await new Promise(resolve => setTimeout(resolve, 5));
      while (readFileSync(join(folder, isOpen()!)).length === 0) {
        await new Promise(resolve => setTimeout(resolve, 5));
      }
      run.child.kill('SIGTERM');
      const { code, stderr } = await run.closed;
      expect(code).toBe(0);
      expect(stderr).toContain(`stopped: 100 records are written, and ${out} holds them`);
      expect(readFileSync(out, 'utf8').trim().split('\n').map(idOf)).toEqual(ids(0, 100));
      expect(isOpen()).toBeUndefined();
    },
  );

  it('says nothing of that where the input had come to its end', async () => {
    const { code, stderr } = await tagstream([
      'tag',
      '--model',
      model,
      input,
      '--out',
      '/dev/null',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('leaves nothing behind where it is ended at once', { tags: 'slow' }, () => {
    const out = join(folder, 'none.ndjson');
    const script = `
      const { openOutput } = await import(${JSON.stringify(join(root, 'dist/runtime/io/writing/open-output.js'))});
      const { readdirSync } = await import('node:fs');
      const output = await openOutput(${JSON.stringify(out)});
      process.stdout.write(String(readdirSync(${JSON.stringify(folder)}).filter(name => name.startsWith('.none')).length));
      output.write('half', () => process.exit(0));`;
    const seen = execFileSync(process.execPath, ['--input-type=module', '-e', script]);
    expect(String(seen)).toBe('1');
    expect(readdirSync(folder).filter(name => name.includes('none'))).toEqual([]);
  });
});

describe('train', () => {
  it('writes a checkpoint when it is stopped, and resumes from it to the same model', {
    tags: 'slow',
  }, async () => {
    const yaml = (name: string) =>
      readFileSync(toyPipeline(folder, 60, '  - checkpoint: { dir: DIR, every: 1 }\n'), 'utf8')
        .replace('epochs: 6', 'epochs: 120')
        .replace('DIR', `checkpoints-${name}`)
        .replace('toy.model', `${name}.model`);
    for (const name of ['whole', 'stopped'])
      writeFileSync(join(folder, `${name}.yaml`), yaml(name));
    await trainHere(join(folder, 'whole.yaml'));
    const run = start(['train', join(folder, 'stopped.yaml')]);
    await run.until('stderr', text => text.includes('pass'));
    run.child.kill('SIGHUP');
    await run.until('stderr', text => text.includes('SIGHUP is ignored'));
    run.child.kill('SIGTERM');
    const { code, stderr } = await run.closed;
    expect(stderr).toMatch(/stopped after [\d,]+ sentences; continue with --resume/);
    expect([code, existsSync(join(folder, 'stopped.model'))]).toEqual([0, false]);
    expect((await tagstream(['train', '--resume', join(folder, 'stopped.yaml')])).code).toBe(0);
    const [whole, resumed] = ['whole', 'stopped'].map(name =>
      readFileSync(join(folder, `${name}.model`)),
    );
    expect(resumed!.equals(whole!)).toBe(true);
  });
});

describe('the time to end in order', () => {
  it('is a number above 0, of a day at most', async () => {
    for (const seconds of ['0', '-1', 'soon', '', '1e9']) {
      const refused = thrownBy(() => shutdownOption['shutdown-timeout'].coerce(seconds));
      expect(refused).toMatchObject({ message: expect.stringContaining('--shutdown-timeout') });
      expect(exitCodeOf(refused)).toBe(2);
    }
    const given = ['tag', '--model', model, '--shutdown-timeout=soon', input];
    const { code, stderr } = await tagstream(given);
    expect(code).toBe(2);
    expect(stderr).toContain('--shutdown-timeout');
  });

  it('can stand in the pipeline file', { tags: 'slow' }, async () => {
    const file = join(folder, 'timed.yaml');
    writeFileSync(file, taggingPipeline('-', 'shutdownTimeout: 0.2\n'));
    const run = start(['run', file], { stdout: stoppedReader().stdin! });
    run.child.stdin!.write(`${records.join('\n')}\n`);
    await run.standsStill();
    run.child.kill('SIGTERM');
    const { code, stderr } = await run.closed;
    expect(stderr).toContain('0.2 s after the signal');
    expect(code).toBe(1);
  });
});
