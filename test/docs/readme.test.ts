import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { parseTemplates } from '../../src/features/template/parse-templates.js';
import { loadPipeline } from '../../src/pipeline/load-pipeline.js';

const root = resolve(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const run = promisify(execFile);

interface Block {
  readonly language: string;
  /** File name, or `setup`, after the language. */
  readonly name: string;
  readonly code: string;
}

const blocks: Block[] = [...readme.matchAll(/^```(\w+) ?(\S*)\n([\s\S]*?)^```$/gm)].map(match => ({
  language: match[1]!,
  name: match[2]!,
  code: match[3]!,
}));

// The README is followed from top to bottom in an empty folder: blocks with a file name are written,
// shell blocks are run, line by line, in the order in which they stand.
const folder = mkdtempSync(join(tmpdir(), 'tagstream-readme-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const shims = join(folder, '.shims');
mkdirSync(join(folder, 'node_modules'), { recursive: true });
mkdirSync(shims);
symlinkSync(root, join(folder, 'node_modules/tagstream'));
symlinkSync(join(root, 'node_modules/rxjs'), join(folder, 'node_modules/rxjs'));
const shim = join(shims, 'tagstream');
writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${root}/dist/cli/main.js" "$@"\n`);
chmodSync(shim, 0o755);
for (const { name, language, code } of blocks) {
  if (name !== '' && language !== 'sh') writeFileSync(join(folder, name), code);
}

const environment = {
  ...process.env,
  TAGSTREAM: root,
  PATH: `${shims}:${resolve(process.execPath, '..')}:${process.env.PATH}`,
};
const sh = (command: string, cwd = folder) =>
  run('sh', ['-ec', command], { cwd, env: environment, maxBuffer: 1 << 28 });

const shellLines = blocks
  .filter(({ language, name }) => language === 'sh' && name === '')
  .flatMap(({ code }) => code.trim().split('\n'));
const results = new Map<string, { stdout: string; stderr: string }>();

describe('the README', () => {
  it('is short where it says what Tagstream is', () => {
    const start = readme.indexOf('\n\n') + 2;
    const lines = readme.slice(start, readme.indexOf('\n\n', start)).split('\n');
    expect(lines.length).toBeLessThanOrEqual(6);
  });

  it('has two commands to set up; CI runs the one for the tests', () => {
    const setup = blocks.filter(({ name }) => name === 'setup').map(({ code }) => code.trim());
    expect(setup).toEqual(['npm ci && npm start', 'npm ci && npm test']);
    expect(readFileSync(join(root, '.ci/run'), 'utf8')).toContain(setup[1]!);
  });

  it('npm start trains, scores, tags a sample and says what to try', async () => {
    const { stdout, stderr } = await sh('npm start', root);
    expect(stderr).toMatch(/test: accuracy (8[4-9]|9\d)\.\d\d %/);
    expect(stderr).toContain('models/starter.model');
    expect(stderr).toContain('try:   tagstream tag --model');
    const records = stdout.split('\n').filter(line => line.startsWith('{"id":"sample-'));
    expect(records).toHaveLength(8);
    expect(JSON.parse(records[0]!)).toHaveProperty('tags');
  });

  it.each(shellLines)('%s', async line => {
    results.set(line, await sh(line));
  });

  it('shows what the commands print', async () => {
    const printed = blocks.find(({ language, name }) => language === 'json' && name === '')!;
    const command = shellLines.find(line => line.startsWith('echo '))!;
    expect(results.get(command)!.stdout).toBe(printed.code);
    const scored = shellLines.find(line => line.startsWith('tagstream eval'))!;
    expect(JSON.parse(results.get(scored)!.stdout)).toMatchObject({ sentences: 4, f1: 100 });
    expect(results.get('node tag.mjs')!.stdout).toContain(
      'Ben saw Anna Berg . B-PER O B-PER I-PER O',
    );
    expect(results.get('node train.mjs')!.stdout).toMatch(/^5 sentences, loss 0\.\d+ a token\n$/);
  });

  it('has pipeline files that are valid', () => {
    const files = blocks.filter(({ language }) => language === 'yaml');
    expect(files.length).toBeGreaterThan(0);
    for (const { name } of files) expect(loadPipeline(join(folder, name)).name).toBe('names');
  });

  it('has macros that are known', () => {
    const section = readme.slice(readme.indexOf('### Templates'), readme.indexOf('## From code'));
    const macros = [...section.matchAll(/`(%\w+\[[^`]*\])`/g)].map(match => match[1]!);
    expect(macros.length).toBeGreaterThan(8);
    for (const macro of macros) expect(parseTemplates(`U:${macro}`).templates).toHaveLength(1);
  });
});
