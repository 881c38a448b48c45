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
    expect(stderr).toContain(`cannot tell the format of ${file}`);
    expect(stderr).toContain(
      "name it with --from FORMAT, as in --from text, or --from 'conll:{columns: [form, pos, tag]}')\n",
    );
    const text = await tagstream(['convert', file, '--from', 'text', '--to', 'conll']);
    expect(text).toEqual({ code: 0, stdout: 'one _ _\n\ntwo _ _\n\n', stderr: '' });
  });

  it('asks for it on the standard input, unless that is NDJSON or empty', async () => {
    const refused = await tagstream(['convert', '--to', 'ndjson'], { stdin: rows });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/cannot tell the format of the standard input.*--from FORMAT/);
    const read = await tagstream(['convert', '--to', 'ndjson'], { stdin: `\n${record}\n` });
    expect(read).toMatchObject({ code: 0, stdout: `${record}\n` });
    expect(await tagstream(['convert', '--to', 'ndjson'])).toMatchObject({ code: 0, stdout: '' });
  });
});

describe('what a conversion leaves out', () => {
  const line = (id: number, more: string) =>
    `{"id":${id},"tokens":["a","b"],"tags":["X","Y"]${more}}\n`;

  it('is named with its records and the first place, in text and in JSON', async () => {
    const input = `${line(1, '')}${line(2, ',"ner_tags":[1,0],"\\u001b[2J":1')}${line(3, ',"ner_tags":[1,0]')}`;
    const file = written('fields.ndjson', input);
    const args = ['convert', file, '--to', 'conllu'];
    const shown = await tagstream(args);
    expect(shown.code).toBe(0);
    expect(shown.stderr).toBe(
      `tagstream: left out, because conllu cannot hold them: ner_tags (2 records), "\\u001b[2J" (1 record), the first at ${file}:2\n`,
    );
  });

  it('is nothing between formats of JSON', async () => {
    const more =
      ',"meta":{"n":1.0,"big":12345678901234567890,"e":"\\u0041"},"columns":{"pos":["P","Q"]}';
    const file = written('columns.ndjson', line(7, more));
    const from = ['convert', file, '--from', 'ndjson:{tag: pos}', '--to', 'ndjson'];
    expect(await tagstream(from)).toEqual({
      code: 0,
      stdout: `{"id":7,"tokens":["a","b"],"tags":["P","Q"]${more.replace('["P","Q"]', '["P","Q"],"tags":["X","Y"]')}}\n`,
      stderr: '',
    });
    const spans = await tagstream(['convert', file, '--to', 'spans']);
    expect(spans).toMatchObject({ code: 0, stderr: '' });
    expect(spans.stdout).toBe(
      `{"id":7${more},"text":"a b","spans":[{"start":0,"end":1,"label":"X"},{"start":2,"end":3,"label":"Y"}]}\n`,
    );
  });
});

describe('a locale that is no language tag', () => {
  it.each([['tokenize'], ['convert', '--to', 'ndjson']])('is one error of %s', async (...given) => {
    const out = join(folder, 'none.ndjson');
    const outcome = await tagstream([...given, '-', '--locale', 'xx_YY', '--out', out], {
      stdin: 'It rains.\nStay in!\n',
    });
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toContain(
      '--locale: "xx_YY" is not a language tag (BCP 47): write xx-YY',
    );
    expect(outcome.stderr).not.toContain('bad record');
    expect(existsSync(out)).toBe(false);
  });
});
