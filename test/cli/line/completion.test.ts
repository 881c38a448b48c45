import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { complete } from '../../../src/cli/line/complete.js';
import { root, tagstreamProcess } from '../commands/run-command.js';
import { toyPipeline, workspace } from '../commands/workspace.js';

const folder = workspace();
mkdirSync(join(folder, 'sub'));
toyPipeline(folder);
toyPipeline(join(folder, 'sub'));

/** What is suggested for the last of some words. */
async function suggested(...words: string[]): Promise<string[]> {
  const given = ['--get-yargs-completions', 'tagstream', ...words];
  const { stdout, stderr, code } = await tagstreamProcess(given, {
    cwd: folder,
    env: { SHELL: '/bin/bash' },
  });
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  return stdout.split('\n').filter(line => line !== '');
}

describe('completion', () => {
  it('suggests commands, options and their choices', async () => {
    expect(await suggested('')).toEqual(
      expect.arrayContaining(['train', 'tag', 'init', 'test', 'corpora', 'completion']),
    );
    expect(await suggested('tag', '--')).toEqual(expect.arrayContaining(['--model', '--limit']));
    expect(await suggested('tag', '--decoding', '')).toEqual([
      ...['viterbi', 'posterior', 'minimum-risk', 'loopy'],
    ]);
    expect(await suggested('corpora', '')).toEqual(['list', 'fetch', 'convert']);
  });

  it('suggests pipeline files and names of corpora, and leaves other files to the shell', {
    tags: 'slow',
  }, async () => {
    expect(await suggested('validate', './t')).toEqual(['./toy.yaml']);
    // As the command itself suggests nothing but options there.
    const reported = (...words: string[]) =>
      complete(words.at(-1)!, ['tagstream', ...words], done => done?.(null, ['--model']));
    for (const command of ['train', 'run', 'test', 'validate', 'curve', 'study']) {
      expect(await reported(command, `${folder}/sub/`)).toEqual([`${folder}/sub/toy.yaml`]);
      expect(await reported(command, `${folder}/su`)).toEqual([]);
    }
    expect(await reported('train', `${folder}/none/`)).toEqual([]);
    expect(await reported('train', 'toy.yaml', '--model', '')).toEqual([]);
    expect(await reported('init', `${folder}/`)).toEqual([]);
  });

  it('does nothing of what stands on the line', { tags: 'slow' }, async () => {
    expect(await suggested('train', 'toy.yaml', '')).toEqual(['toy.yaml']);
    expect(await suggested('corpora', 'fetch', 'none', '')).toContain('conll2000');
    expect(existsSync(join(folder, 'toy.model'))).toBe(false);
    expect(await suggested('none', '--wrong', '')).toContain('train');
  });

  it('works in bash', async () => {
    const shim = join(folder, 'tagstream');
    const command = join(root, 'dist/cli/main.js');
    writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n`, {
      mode: 0o755,
    });
    const script = `eval "$(tagstream completion)"
COMP_WORDS=(tagstream train sub/t); COMP_CWORD=2
_tagstream_yargs_completions
echo "\${COMPREPLY[@]}"
COMP_WORDS=(tagstream va); COMP_CWORD=1
_tagstream_yargs_completions
echo "\${COMPREPLY[@]}"`;
    const env = { ...process.env, SHELL: '/bin/bash', PATH: `${folder}:${process.env.PATH}` };
    const out = execFileSync('bash', ['-c', script], { cwd: folder, env, encoding: 'utf8' });
    expect(out).toBe('sub/toy.yaml\nvalidate\n');
  });

  it('has a script for zsh', { tags: 'slow' }, async () => {
    const { stdout } = await tagstreamProcess(['completion'], { env: { SHELL: '/bin/zsh' } });
    expect(stdout).toMatch(/^#compdef tagstream\n/);
    expect(stdout).toContain('tagstream --get-yargs-completions "${words[@]}"');
  });
});
