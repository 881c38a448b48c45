// @module-tag slow
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { root } from '../../cli/commands/run-command.js';
import { trainHere } from '../../cli/commands/train-here.js';
import { toyPipeline, workspace } from '../../cli/commands/workspace.js';
import { longForm } from '../long-form.js';

const run = promisify(execFile);
const folder = workspace();
/** MiB of heap, and rows of a sentence that took many times as much. */
const heap = longForm ? 512 : 128;
const rows = longForm ? 4_000_000 : 1_000_000;

beforeAll(async () => {
  await trainHere(toyPipeline(folder));
});

it('a sentence of a million rows takes no more memory than one that is read', async () => {
  const short = 'the _\ndog _\n\n';
  const input = join(folder, 'long.txt');
  writeFileSync(input, `${short}${'dog _\n'.repeat(rows)}\n${short}${'dog _\n'.repeat(rows)}`);
  const command = [join(root, 'dist/cli/main.js'), 'tag', '--model', 'toy.model', input];
  const format = ['--format', 'conll:{columns: [form, tag]}', '--on-bad', 'too-large=skip'];
  const { stdout, stderr } = await run(
    process.execPath,
    [`--max-old-space-size=${heap}`, ...command, ...format, '--output', 'record'],
    { cwd: folder },
  );
  expect(stdout.trim().split('\n\n')).toHaveLength(2);
  expect(stderr).toContain('2 bad records (2 too-large)');
});
