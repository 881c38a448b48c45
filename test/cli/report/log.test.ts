// @module-tag slow
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { LiveCommand } from '../commands/live-command.js';
import { tagstream } from '../commands/run-command.js';
import { trainHere } from '../commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const model = join(folder, 'toy.model');
let pipeline = '';

beforeAll(async () => {
  pipeline = toyPipeline(folder, 60, '  - checkpoint: { dir: checkpoints, every: 3 }\n');
  await trainHere(pipeline);
});

/** The messages of a command, each of which has to be one JSON line; without their times. */
function messages(stderr: string): Record<string, unknown>[] {
  expect(stderr.endsWith('\n')).toBe(true);
  return stderr
    .trimEnd()
    .split('\n')
    .map(line => {
      const { time, ...rest } = JSON.parse(line) as Record<string, unknown>;
      expect(new Date(time as string).toISOString()).toBe(time);
      return rest;
    });
}

describe('--log json', () => {
  it.each(['1', '2'])('reports bad records with code and place, by %s workers', async workers => {
    const stdin = '{"text":"a"}\nnull\n\n{"tokens":["a"]}\nnot json\n';
    const given = ['tag', '--model', model, '--log', 'json', '--workers', workers];
    const { code, stdout, stderr } = await tagstream(given, { stdin });
    expect([code, stdout.trim().split('\n').length]).toEqual([0, 2]);
    const [first, second, ...rest] = messages(stderr);
    const source = '<stdin>';
    expect(first).toMatchObject({
      ...{ level: 'warn', code: 'not-an-object', source, line: 2, start: 13, end: 17 },
      msg: '<stdin>:2: expected a JSON object, got null (write one JSON object per line)',
    });
    expect(second).toMatchObject({ level: 'warn', code: 'not-json', source, line: 5, start: 36 });
    expect(rest).toEqual([
      {
        level: 'warn',
        msg: '2 bad records (1 not-an-object, 1 not-json); keep them with --dead-letter FILE',
        badRecords: { 'not-an-object': 1, 'not-json': 1 },
        kept: 0,
      },
      { level: 'warn', msg: '1 blank line was skipped', blankLines: 1 },
    ]);
  });

  it('reports the course of training, and what it came to', async () => {
    const { code, stdout, stderr } = await tagstream(['train', pipeline, '--log', 'json']);
    expect([code, stdout]).toEqual([0, '']);
    const [anew, ...lines] = messages(stderr);
    expect(anew).toMatchObject({ level: 'warn', directory: join(folder, 'checkpoints') });
    expect(lines.map(({ level }) => level)).toEqual(lines.map(() => 'info'));
    const last = lines.find(({ pass }) => pass === 6)!;
    expect(last).toMatchObject({ sentencesSeen: 360 });
    expect(last.msg).toContain(`loss ${(last.meanLoss as number).toFixed(4)} per token`);
    expect(lines.at(-3)).toMatchObject({ sentencesSeen: 360 });
    expect(lines.at(-2)).toMatchObject({ model });
    expect(lines.at(-1)).toMatchObject({ command: `tagstream tag --model ${model} FILE` });
  });

  it('reports a damaged checkpoint, and that a run continues', async () => {
    const checkpoints = join(folder, 'checkpoints');
    await tagstream(['train', pipeline]);
    const newest = join(checkpoints, readdirSync(checkpoints).sort().at(-1)!);
    for (const name of readdirSync(newest)) writeFileSync(join(newest, name), 'damaged');
    const { code, stderr } = await tagstream(['train', pipeline, '--resume', '--log', 'json']);
    expect(code).toBe(0);
    const [damaged, resumed] = messages(stderr);
    expect(damaged).toMatchObject({ level: 'warn', code: 'checkpoint' });
    expect(damaged!.msg).toMatch(/^skipped checkpoint .*: /);
    expect(resumed).toEqual({
      level: 'info',
      sentencesSeen: 180,
      msg: 'resumed after 180 sentences',
    });
    rmSync(checkpoints, { recursive: true });
  });

  it('reports the error that ends the command, with its code and place', async () => {
    const missing = join(folder, 'missing.model');
    const given = ['tag', '--model', missing, '--log', 'json'];
    const { code, stderr } = await tagstream(given);
    expect(code).toBe(1);
    const lines = messages(stderr);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: 'error', code: 'file' });
    expect(lines[0]!.msg).toContain(missing);
    expect(lines[0]).not.toHaveProperty('stack');
    const [traced] = messages((await tagstream([...given, '--verbose'])).stderr);
    expect(traced!.stack).toContain('TagstreamError');
    const config = await tagstream(['run', pipeline, '--set', 'train.epochs=0', '--log', 'json']);
    expect([config.code, messages(config.stderr)[0]!.level]).toEqual([78, 'error']);
  });
});

describe('--log-level', () => {
  const stdin = `${toyRecords(2, false).join('\n')}\nnull\n`;

  it('leaves out what is less important, in JSON as in text', async () => {
    const quiet = await tagstream(['train', pipeline, '--log-level', 'warn']);
    expect([quiet.code, quiet.stderr]).toEqual([0, '']);
    const given = ['tag', '--model', model, '--log-level'];
    const warned = await tagstream([...given, 'warn'], { stdin });
    expect(warned.stderr).toMatch(
      /^tagstream: <stdin>:3: expected a JSON .*\ntagstream: 1 bad record/,
    );
    expect((await tagstream([...given, 'error'], { stdin })).stderr).toBe('');
    expect((await tagstream([...given, 'error', '--log', 'json'], { stdin })).stderr).toBe('');
  });
});

it.each(['text', 'json'])('loses no record where nobody reads the log any more: %s', async log => {
  const run = new LiveCommand(['tag', '--model', model, '--log', log]);
  const lines = toyRecords(3, false);
  for (const [i, line] of lines.entries()) {
    run.child.stdin.write(`null\n${line}\n`);
    await run.until(() => run.stdout.split('\n').length === i + 2);
    run.child.stderr.destroy();
  }
  run.child.stdin.end();
  expect(await run.ended()).toBe(0);
});
