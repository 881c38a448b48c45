import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { workersOption } from '../../../src/cli/options/computing-options.js';
import { exitCodeOf } from '../../../src/cli/report/error-facts.js';
import { root, tagstream, tagstreamProcess } from '../commands/run-command.js';
import { thrownBy } from '../commands/thrown-by.js';
import { trainHere } from '../commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const model = join(folder, 'toy.model');
const input = join(folder, 'input.ndjson');
const more = join(folder, 'more.ndjson.gz');
const tag = ['tag', '--model', model];

beforeAll(async () => {
  await trainHere(toyPipeline(folder));
  // Some blocks of the usual size.
  const lines = toyRecords(6000, false).flatMap((line, i) => {
    const bad = i % 1000 === 500 ? ['{"id":', ''] : [];
    return [...bad, line.replace('{', `{"note": "é😀 ${'-'.repeat(i % 60)}",`)];
  });
  writeFileSync(input, lines.join('\n'));
  writeFileSync(more, gzipSync(lines.slice(0, 3000).join('\r\n')));
});

/** The command, with its standard output as it comes. */
function start(given: readonly string[]) {
  const child = spawn(process.execPath, [join(root, 'dist/cli/main.js'), ...given]);
  const report = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    report.stdout += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    report.stderr += chunk;
  });
  child.stdin.on('error', () => undefined);
  const until = async (text: string) => {
    while (!report.stdout.includes(text)) await once(child.stdout, 'data');
  };
  return { child, report, until, closed: once(child, 'close') as Promise<[number | null]> };
}

describe('tagstream tag --workers', () => {
  it('writes the same for any number of them, over several files', { tags: 'slow' }, async () => {
    const alone = await tagstream([...tag, input, more, input]);
    expect(alone.code).toBe(0);
    expect(alone.stderr).toContain('15 bad records (15 not-json)');
    expect(alone.stderr).toContain('15 blank lines were skipped');
    for (const workers of ['2', '3']) {
      const together = await tagstream([...tag, '--workers', workers, input, more, input]);
      expect(together).toEqual(alone);
    }
  });

  it('writes the same from the standard input into a file, and keeps bad records', async () => {
    const outcomes: string[][] = [];
    for (const workers of ['1', '2']) {
      const out = join(folder, `out-${workers}.ndjson`);
      const dead = join(folder, `dead-${workers}.ndjson`);
      const given = [...tag, '--workers', workers, '--out', out, '--dead-letter', dead];
      const { code, stdout } = await tagstream(given, { stdin: readFileSync(input) });
      expect([code, stdout]).toEqual([0, '']);
      const letters = readFileSync(dead, 'utf8').replaceAll(/,"time":"[^"]*"/g, '');
      outcomes.push([readFileSync(out, 'utf8'), letters]);
    }
    expect(outcomes[0]![0]!.split('\n')).toHaveLength(6001);
    expect(outcomes[0]![1]!.split('\n')).toHaveLength(7);
    expect(outcomes[1]).toEqual(outcomes[0]);
  });

  it('ends at the first bad record under --strict, after all before it', async () => {
    const alone = await tagstream([...tag, '--strict', input]);
    const together = await tagstream([...tag, '--strict', '--workers', '2', input]);
    expect(alone.stdout.trim().split('\n')).toHaveLength(500);
    expect(alone.stderr).toMatch(/input\.ndjson:501: not valid JSON/);
    expect(alone.code).toBe(1);
    // How many blank lines were met by then depends on how the input came.
    const message = ({ stderr, ...rest }: typeof alone) => ({
      ...rest,
      stderr: stderr.replace(/.* blank lines? (?:was|were) skipped\n/, ''),
    });
    expect(message(together)).toEqual(message(alone));
  });

  it('refuses numbers that are none', async () => {
    for (const workers of ['0', '-1', '1.5', 'two', '', '257', '1e9']) {
      const refused = thrownBy(() => workersOption.workers.coerce(workers));
      expect(refused).toMatchObject({
        message: expect.stringContaining(`--workers ${workers} is`),
      });
      expect(exitCodeOf(refused)).toBe(2);
    }
    const workers = '257';
    const { code, stdout, stderr } = await tagstream([...tag, `--workers=${workers}`, input]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--workers');
  });

  it('says what is wrong with the model or its format, as one thread does', async () => {
    const damaged = join(folder, 'damaged.model');
    const bytes = readFileSync(model);
    bytes[bytes.length - 20] = bytes[bytes.length - 20]! ^ 1;
    writeFileSync(damaged, bytes);
    for (const given of [
      ['--model', damaged, input],
      ['--model', join(folder, 'absent.model'), input],
      ['--model', input, input],
      ['--model', model, '--format', 'none', input],
      ['--model', model, join(folder, 'absent.ndjson')],
    ]) {
      const alone = await tagstream(['tag', ...given]);
      expect(alone.code).toBeGreaterThan(0);
      expect(await tagstream(['tag', '--workers', '2', ...given])).toEqual(alone);
    }
  });

  it('answers while more is to come, and ends in order on SIGTERM', async () => {
    const { child, report, until, closed } = start([...tag, '--workers', '2']);
    child.stdin.write('{"id":1,"tokens":["the"]}\n');
    await until('"id":1');
    child.stdin.write('{"id":2,"tokens":["dog"]}\n{"id":3');
    await until('"id":2');
    child.kill('SIGTERM');
    expect((await closed)[0]).toBe(0);
    expect(report.stderr).toContain('shutting down');
    expect(report.stdout.trim().split('\n')).toHaveLength(2);
  });

  it('ends without an error when its reader goes away', { tags: 'slow' }, async () => {
    const { child, report, closed } = start([...tag, '--workers', '2']);
    child.stdout.once('data', () => child.stdout.destroy());
    const record = `${toyRecords(1000, false).join('\n')}\n`;
    const feed = setInterval(() => child.stdin.write(record), 1);
    const [code] = await closed;
    clearInterval(feed);
    expect([code, report.stderr]).toEqual([0, '']);
  });
});

describe('a worker that dies', () => {
  /** Runs `tag` with a script in each worker, which is called before each of its answers but the first one. */
  function tagWith(script: string, given: readonly string[]) {
    const file = join(folder, 'preload.cjs');
    writeFileSync(
      file,
      `const { isMainThread, parentPort } = require('node:worker_threads');
if (!isMainThread) {
  const post = parentPort.postMessage.bind(parentPort);
  let answers = 0;
  parentPort.postMessage = (...all) => { if (++answers > 2) { ${script} } post(...all); };
}
`,
    );
    const env = { NODE_OPTIONS: `--require ${file}` };
    return tagstreamProcess([...tag, '--workers', '2', ...given], { env });
  }

  it.each([
    ['ends itself', 'process.exit(7)', /worker \d died: it ended with exit code 7/],
    ['throws', `setTimeout(() => { throw new Error('no more') }); return`, /died: no more/],
  ])(
    'because it %s: an error with the cause, and no file',
    { tags: 'slow' },
    async (_, script, message) => {
      const { code, stderr } = await tagWith(script, [
        '--out',
        join(folder, 'none.ndjson'),
        // So much that the worker has to take its share.
        ...Array.from({ length: 40 }, () => input),
      ]);
      expect(stderr).toMatch(message);
      expect(code).toBe(1);
      expect(readdirSync(folder).filter(name => name.includes('none'))).toEqual([]);
    },
  );
});
