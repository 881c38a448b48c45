import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tagstream } from '../commands/run-command.js';
import { workspace } from '../commands/workspace.js';

const folder = workspace();
const run = (...given: string[]) => tagstream(given, { cwd: folder });
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

const brown = Array.from(
  { length: 30 },
  (_, i) => `The/at dog${i % 7}/nn ran/vbd ./.\n\nIt/pps saw/vbd Ann/np ./.\n`,
).join('');

describe('files of other programs', () => {
  it('words with tags: init, train, and tag plain text as well as words with tags', async () => {
    write('brown.txt', brown);
    expect(await run('init', 'brown.txt', '--out', 'b.yaml')).toMatchObject({ code: 0 });
    expect(await run('train', 'b.yaml')).toMatchObject({ code: 0 });
    const tag = (stdin: string) => tagstream(['tag', '--model', 'b.model'], { cwd: folder, stdin });
    expect(JSON.parse((await tag('The dog1 saw Ann.\n')).stdout).tags).toEqual([
      'at',
      'nn',
      'vbd',
      'np',
      '.',
    ]);
    expect((await tag('The/x dog1/x saw/x\n')).stdout).toBe('The/at dog1/nn saw/vbd\n');
  });

  it('data of CRFsuite: written with what stands around, read for its tokens', async () => {
    write('brown.txt', brown);
    expect(await run('convert', 'brown.txt', '--to', 'crfsuite', '--out', 'c.txt')).toMatchObject({
      code: 0,
    });
    const [first] = readFileSync(join(folder, 'c.txt'), 'utf8').split('\n');
    expect(first).toBe('at\tw[0]=The\tw[1]=dog0\tw[2]=ran\t__BOS__');
    const { stdout } = await run('init', 'c.txt', '--out', '-');
    expect(stdout).toContain(
      '  crfsuite:\n    files: ["c.txt"]\n    attributes: { form: "w[0]" }\n',
    );
    const back = await run('convert', 'c.txt', '--to', 'slash');
    expect(back.stdout).toBe(brown.replaceAll('\n\n', '\n'));
  });

  it('annotations of brat, a record a pair of files', async () => {
    write('a.txt', '😀 Ann flew.\n');
    write('a.ann', 'T1\tPER 2 5\tAnn\n');
    const { stdout } = await run('convert', 'a.ann', '--to', 'conll:{columns: [form, tag]}');
    expect(stdout).toBe('😀 O\nAnn B-PER\nflew O\n. O\n\n');
  });

  it('says that the data of Wapiti are columns', async () => {
    const { stderr, code } = await run('convert', 'a.ann', '--to', 'wapiti');
    expect(code).toBe(2);
    expect(stderr).toContain('there is no format wapiti (its data are conll');
  });
});
