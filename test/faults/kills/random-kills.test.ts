import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { root, tagstream } from '../../cli/commands/run-command.js';
import { trainHere } from '../../cli/commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../../cli/commands/workspace.js';
import { killedPipe } from '../attacks/killed-pipe.js';
import { attackCount, longForm, reportCounts } from '../long-form.js';
import { faultsSeed, printSeed, randomOf } from '../seed.js';

printSeed('random kills of pipes');
const folder = workspace();
const random = randomOf(11);
const path = (name: string) => join(folder, name);
const read = (name: string) => readFileSync(path(name), 'utf8');
const lines = toyRecords(longForm ? 20_000 : 3000, false);

beforeAll(() => trainHere(toyPipeline(folder, 60)));

describe('a run between pipes that is killed at random instants', () => {
  it.each(['1', '2'])(
    'answers each record of a pipe once, if what was not answered is sent again, with %s workers',
    { tags: 'slow' },
    async workers => {
      const given = ['tag', '--model', 'toy.model', '--workers', workers, '--scores'];
      const whole = await tagstream(given, { cwd: folder, stdin: `${lines.join('\n')}\n` });
      expect(whole.code).toBe(0);
      const result = await killedPipe({
        ...{ given, cwd: folder, lines, random },
        kills: attackCount(2, 20),
      });
      const why = `seed ${faultsSeed}, ${result.history.join('; ')}`;
      expect(result.answers.length, why).toBe(lines.length);
      expect(`${result.answers.join('\n')}\n` === whole.stdout, why).toBe(true);
      reportCounts(`random kills of pipes, seed ${faultsSeed}`, { kills: result.kills });
    },
  );
});

describe('a tagging run with checkpoints', () => {
  const given = ['tag', '--model', 'toy.model', '--out', 'x.ndjson', '--checkpoint', 'x', 'small'];

  it('is begun anew without --resume, and refused with other settings or another input', {
    tags: 'slow',
  }, async () => {
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
    expect(replaced.stderr).toMatch(/the input before byte \d+ differs from what the run had read/);
    expect((await run()).code).toBe(0);
    expect(read('x.ndjson').trimEnd().split('\n').length).toBe(9);
  });

  it('keeps a second process out', { tags: 'slow' }, async () => {
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

  it('wants an output that can be cut back', { tags: 'slow' }, async () => {
    const { code, stderr } = await tagstream(
      ['tag', '--model', 'toy.model', '--checkpoint', 'y', 'small', '--format', 'ndjson'],
      { cwd: folder },
    );
    expect(stderr).toContain(
      '--checkpoint cannot be combined with standard output (name a file with --out',
    );
    expect(code).toBe(2);
  });
});
