import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { tagstream } from './commands/run-command.js';
import { workspace } from './commands/workspace.js';

const folder = workspace();

const rows = 'Anna B-PER\nsaw O\nOslo B-LOC\n\nBen B-PER\nslept O\n';
const record = '{"tokens":["Anna","saw","Oslo"],"tags":["B-PER","O","B-LOC"]}';

function written(name: string, content: string | Uint8Array): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

describe('convert without --from', () => {
  it.each([
    ['columns, by their content', 'a.conll', rows],
    ['columns of any name', 'a.txt', rows],
    ['packed columns', 'a.bin.gz', gzipSync(rows)],
  ])('reads %s, and says as what', async (_, name, content) => {
    const file = written(name, content);
    const { code, stdout, stderr } = await tagstream(['convert', file, '--to', 'ndjson']);
    expect([code, stdout.split('\n')[0]]).toEqual([0, record]);
    expect(stderr).toBe(
      `${file} reads as conll:{columns: [form, tag]} (--from names another format)\n`,
    );
    const again = ['convert', file, '--from', 'conll:{columns: [form, tag]}', '--to', 'ndjson'];
    expect((await tagstream(again)).stdout).toBe(stdout);
  });

  it.each([
    ['NDJSON by its extension', 'b.jsonl', `${record}\n`],
    ['NDJSON of any name', 'b.data', `\uFEFF${record}\n`],
    ['an empty file', 'b.empty', ''],
  ])('reads %s without a word', async (_, name, content) => {
    const file = written(name, content);
    const outcome = await tagstream(['convert', file, '--to', 'ndjson']);
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(outcome.stdout.trimEnd()).toBe(content.replace('\uFEFF', '').trimEnd());
  });

  it('reads CoNLL-U of any name', async () => {
    const file = written('c.txt', '1\ta\t_\tDET\t_\t_\t_\t_\t_\t_\n\n');
    const { stdout, stderr } = await tagstream(['convert', file, '--to', 'ndjson']);
    expect(JSON.parse(stdout)).toMatchObject({ tokens: ['a'], tags: ['DET'] });
    expect(stderr).toContain('reads as conllu:{tag: upos}');
  });

  it('asks for --from where nothing tells the format', async () => {
    const file = written('d.txt', 'one\ntwo\n');
    const { code, stdout, stderr } = await tagstream(['convert', file, '--to', 'ndjson']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`the format of ${file} is not known`);
    expect(stderr).toContain(
      "name it with --from FORMAT, as in --from text, or --from 'conll:{columns: [form, pos, tag]}')\n",
    );
    const text = await tagstream(['convert', file, '--from', 'text', '--to', 'conll']);
    expect(text).toEqual({ code: 0, stdout: 'one _ _\n\ntwo _ _\n\n', stderr: '' });
  });

  it('asks for it on the standard input, unless that is NDJSON or empty', async () => {
    const refused = await tagstream(['convert', '--to', 'ndjson'], { stdin: rows });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/standard input is not known.*--from FORMAT/);
    const read = await tagstream(['convert', '--to', 'ndjson'], { stdin: `\n${record}\n` });
    expect(read).toMatchObject({ code: 0, stdout: `${record}\n` });
    expect(await tagstream(['convert', '--to', 'ndjson'])).toMatchObject({ code: 0, stdout: '' });
  });
});

describe('a locale that is no language tag', () => {
  it.each([['tokenize'], ['convert', '--to', 'ndjson']])('is one error of %s', async (...given) => {
    const out = join(folder, 'none.ndjson');
    const outcome = await tagstream([...given, '-', '--locale', 'xx_YY', '--out', out], {
      stdin: 'It rains.\nStay in!\n',
    });
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toContain('--locale: "xx_YY" is no language tag (BCP 47): write xx-YY');
    expect(outcome.stderr).not.toContain('bad record');
    expect(existsSync(out)).toBe(false);
  });
});
