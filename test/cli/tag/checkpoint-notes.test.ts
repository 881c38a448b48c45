// @module-tag slow
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tagstream } from '../commands/run-command.js';
import { trainHere } from '../commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const input = join(folder, 'input.ndjson');

beforeAll(async () => {
  await trainHere(toyPipeline(folder));
  writeFileSync(input, `${toyRecords(20, false).join('\n')}\n`);
});

const tag = (name: string, ...more: string[]) =>
  tagstream(
    [
      ...['tag', '--model', join(folder, 'toy.model'), '--out', join(folder, `${name}.out`)],
      ...['--checkpoint', join(folder, name), ...more, input],
    ],
    { cwd: folder },
  );

describe.each([[[]], [['--workers', '2']], [['--output', 'tags']]])('tag --checkpoint %j', more => {
  const name = `progress${more.length === 0 ? '' : more.at(-1)}`;

  it('says how many records it has written, and where it resumed', async () => {
    const first = await tag(name, ...more);
    const written = `20 records written to ${join(folder, `${name}.out`)}\n`;
    expect(first).toMatchObject({ code: 0, stdout: '', stderr: written });
    const resumed = await tag(name, '--resume', ...more);
    expect(resumed.stderr).toMatch(/^resumed after .*input\.ndjson:20\n0 records written to /);
  });

  it('warns before it starts anew where there are checkpoints', async () => {
    const newest = readdirSync(join(folder, name))
      .filter(file => file.startsWith('gen-'))
      .sort()
      .at(-1)!;
    const { code, stderr } = await tag(name, ...more);
    expect(code).toBe(0);
    expect(stderr).toContain(`tagstream: ${join(folder, name)} has checkpoints of an earlier run`);
    expect(stderr).toContain(
      `the newest ${newest}: this run starts from scratch and replaces them`,
    );
    expect(stderr).toContain('--resume continues');
    const quiet = await tag(name, '--log-level', 'error', ...more);
    expect(quiet).toMatchObject({ code: 0, stderr: '' });
  });
});

it.each([
  ['--nbest', '2'],
  ['--probability'],
  ['--span-probabilities'],
  ['--model-version'],
  ['--transitions', 'any'],
])('does not resume with %s what began without it, nor the other way round', async (...more) => {
  const name = `changed${more[0]}`;
  for (const [first, then] of [
    [[], more],
    [more, []],
  ]) {
    expect((await tag(name, '--log-level', 'error', ...first!)).code).toBe(0);
    const { code, stderr } = await tag(name, '--resume', ...then!);
    expect([code, stderr]).toEqual([1, expect.stringContaining(' -> ')]);
  }
});

it('knows a dictionary by what it holds, and keeps none of its words', async () => {
  const words = join(folder, 'words.tsv');
  writeFileSync(words, 'aardvark\tNOUN\n');
  const given = ['--dictionary', words, '--log-level', 'error'];
  expect((await tag('words', ...given)).code).toBe(0);
  for (const file of readdirSync(join(folder, 'words'), { recursive: true, withFileTypes: true })) {
    if (file.isFile()) {
      expect(readFileSync(join(file.parentPath, file.name), 'latin1')).not.toContain('aardvark');
    }
  }
  expect((await tag('words', '--resume', ...given)).code).toBe(0);
  writeFileSync(words, 'aardwolf\tNOUN\n');
  const { code, stderr } = await tag('words', '--resume', ...given);
  expect([code, stderr]).toEqual([1, expect.stringContaining('dictionary')]);
});

it('says nothing without checkpoints', async () => {
  const given = ['tag', '--model', join(folder, 'toy.model'), input];
  expect(await tagstream(given)).toMatchObject({ code: 0, stderr: '' });
});
