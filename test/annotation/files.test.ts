import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tagstream } from '../cli/commands/run-command.js';
import { workspace } from '../cli/commands/workspace.js';

const folder = workspace();
const text = 'Ben flew to Rome.\nAnna sleeps.\n';

it.each([
  ['the answers', ['--out', 'news.txt']],
  ['the model', ['--out', 'labelled.ndjson', '--save', './news.txt']],
  ['the model over the answers', ['--out', 'labelled.ndjson', '--save', 'labelled.ndjson']],
])('annotate does not write %s where it reads or writes something else', async (_, given) => {
  writeFileSync(join(folder, 'news.txt'), text);
  const command = ['annotate', 'news.txt', '--labels', 'PER,LOC', '--port', '0', ...given];
  const { code, stderr } = await tagstream(command, { cwd: folder });
  expect([code, stderr]).toEqual([2, expect.stringContaining('--')]);
  expect(readFileSync(join(folder, 'news.txt'), 'utf8')).toBe(text);
});

it.each([
  [['news.txt'], '--out is missing'],
  [['--out', 'a.ndjson'], 'the file of records is missing'],
])('annotate asks for both files: %j', async (given, problem) => {
  const { code, stderr } = await tagstream(['annotate', ...given, '--labels', 'PER'], {
    cwd: folder,
  });
  expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
});

it('annotate says what is no port', async () => {
  const command = [
    'annotate',
    'news.txt',
    '--labels',
    'PER',
    '--out',
    'a.ndjson',
    '--port',
    '70000',
  ];
  const { code, stderr } = await tagstream(command, { cwd: folder });
  expect([code, stderr]).toEqual([2, expect.stringContaining('--port 70000 is not a port')]);
});
