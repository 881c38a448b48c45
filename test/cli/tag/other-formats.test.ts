// @module-tag slow
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
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

  it('tables whose sentences a column numbers: init, train, eval and tag, in blocks as well', async () => {
    const words = ['Ann NNP B-PER', 'flew VBD O', 'to TO O', 'Oslo NNP B-LOC', '. . O'];
    const rows = Array.from({ length: 60 }, (_, i) =>
      words.map((row, w) => `${w === 0 ? `Sentence: ${i + 1}` : ''},${row.replaceAll(' ', ',')}`),
    );
    const header = 'Sentence #,Word,POS,Tag';
    const table = `${[header, ...rows.flat()].join('\n')}\n`;
    write('ner.csv', table);
    const made = await run('init', 'ner.csv', '--out', 't.yaml', '--words-only');
    expect(made.stderr).toContain('60 labelled records, 300 tokens');
    expect(made.stderr).toContain('column 1, numbers the sentences');
    expect(readFileSync(join(folder, 't.yaml'), 'utf8')).toContain('sentence: sentence');
    expect((await run('train', 't.yaml')).stderr).toContain('F1 100.00');
    const { records } = JSON.parse(
      (await run('eval', 'ner.csv', '--model', 't.model', '--json')).stdout,
    );
    if (records !== undefined) expect(records).toBe(60);
    const expected = [header, ...rows.flat().map(row => `${row},${row.split(',').at(-1)}`)];
    for (const more of [[], ['--workers', '2'], ['--limit', '100']]) {
      const { stdout, stderr } = await run('tag', 'ner.csv', '--model', 't.model', ...more);
      expect([more, stdout.split('\n').filter(row => row !== ''), stderr]).toEqual([
        more,
        expected,
        '',
      ]);
      expect(stdout.match(/\n\n/g)).toHaveLength(60);
    }
    const converted = await run('convert', 'ner.csv', '--to', 'ndjson');
    const found = converted.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(found.map(({ id }) => id)).toEqual(rows.map((_, i) => `Sentence: ${i + 1}`));
    writeFileSync(
      join(folder, 'latin.csv'),
      Buffer.from(table.replace('Oslo', 'Troms\xf8'), 'latin1'),
    );
    const latin = await run('init', 'latin.csv', '--out', 'l.yaml');
    expect(latin.code).not.toBe(0);
    expect(latin.stderr).toMatch(/iconv|latin1/);
  });

  it('annotations of brat, a record a pair of files', async () => {
    write('a.txt', '😀 Ann flew.\n');
    write('a.ann', 'T1\tPER 2 5\tAnn\n');
    const { stdout } = await run('convert', 'a.ann', '--to', 'conll:{columns: [form, tag]}');
    expect(stdout).toBe('😀 O\nAnn B-PER\nflew O\n. O\n\n');
    const back = (out: string) => run('convert', 'a.ann', '--to', 'brat', '--out', out);
    for (const out of ['made', 'ended/', 'made']) {
      expect(await back(out)).toMatchObject({ code: 0 });
      expect(readdirSync(join(folder, out)).sort()).toEqual(['a.ann', 'a.txt']);
    }
    expect(await back('lines.ndjson')).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, 'lines.ndjson'), 'utf8')).toBe(
      '{"id":"a","text":"😀 Ann flew.\\n","ann":"T1\\tPER 2 5\\tAnn\\n"}\n',
    );
  });

  it('tasks of Label Studio and pairs for spaCy, whose text is not a field of its own', async () => {
    const task = (text: string) => ({ data: { text } });
    const result = { type: 'labels', from_name: 'label', to_name: 'text' };
    const value = { start: 0, end: 3, text: 'Ann', labels: ['PER'] };
    const labelled = { ...task('Ann flew.'), annotations: [{ result: [{ ...result, value }] }] };
    write('labelled.json', JSON.stringify([labelled, labelled, labelled]));
    await run('init', 'labelled.json', '--out', 'l.yaml');
    expect(await run('train', 'l.yaml')).toMatchObject({ code: 0 });
    const tasks = JSON.stringify([{ id: 7, ...task('Ann flew.') }]);
    write('tasks.json', tasks);
    const { stdout } = await run('tag', '--model', 'l.model', 'tasks.json');
    const { id, predictions } = JSON.parse(stdout);
    expect([id, predictions[0].result[0].value]).toEqual([7, value]);
    const tag = (stdin: string) => tagstream(['tag', '--model', 'l.model'], { cwd: folder, stdin });
    expect((await tag(tasks)).stdout).toBe(stdout);
    write('pairs.json', '[["Ann flew.", {"id": 8.0}],["Ann flew.", {"id": 9}]]\n');
    const tagged = await run('tag', '--model', 'l.model', 'pairs.json');
    expect(tagged.stdout).toBe(
      '["Ann flew.", {"id": 8.0,"entities":[[0,3,"PER"]]}]\n["Ann flew.", {"id": 9,"entities":[[0,3,"PER"]]}]\n',
    );
    // Lines of pairs are read as they are written.
    write('pairs.jsonl', tagged.stdout);
    expect((await run('tag', '--model', 'l.model', 'pairs.jsonl')).stdout).toBe(tagged.stdout);
    expect(JSON.parse((await tag('{"text": "Ann flew.", "data": {"a": 1}}')).stdout)).toMatchObject(
      {
        data: { a: 1 },
        tags: ['B-PER', 'O', 'O'],
      },
    );
  });

  it('records on the standard input, whatever their length, and after texts without labels', async () => {
    const text = `Ann ${'flew. '.repeat(400)}`;
    const record = JSON.stringify({ text, label: [[0, 3, 'PER']] });
    write('long.jsonl', `{"id": 0, "text": "Nobody."}\n${record}\n`);
    const from = (name: string) => readFileSync(join(folder, name));
    const { stdout } = await run('convert', 'long.jsonl', '--to', 'spans');
    expect(stdout).toContain('"spans":[{"start":0,"end":3,"label":"PER"}]');
    const piped = (stdin: Buffer) =>
      tagstream(['convert', '--to', 'spans'], { cwd: folder, stdin });
    expect((await piped(from('long.jsonl'))).stdout).toBe(stdout);
    expect((await piped(gzipSync(from('long.jsonl')))).stdout).toBe(stdout);
    expect((await piped(Buffer.from(`[${record}]`))).stdout).toContain('"label":"PER"');
  });

  it('brat: tagged into a folder, with labels that it can hold', async () => {
    write('s.jsonl', '{"text": "Ann flew.", "entities": [[0, 3, "PER"]]}\n'.repeat(3));
    await run('init', 's.jsonl', '--out', 's.yaml');
    await run('train', 's.yaml', '--force');
    write('new.txt', 'Ann flew.\n');
    write('new.ann', '');
    const tagged = await run(
      'tag',
      '--model',
      's.model',
      '--format',
      'brat',
      '--out',
      'brat/',
      'new.ann',
    );
    expect(tagged).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, 'brat/new.ann'), 'utf8')).toBe('T1\tPER 0 3\tAnn\n');
    expect((await run('init', 'new.ann')).stderr).toContain(
      'tagstream convert FOLDER/*.ann --to spans',
    );
    write('blank.jsonl', '{"text": "Ann", "label": [[0, 3, "A B"]]}\n');
    const strict = await run('convert', 'blank.jsonl', '--to', 'brat', '--strict');
    expect(strict).toMatchObject({ code: 1, stderr: expect.stringContaining('"A B"') });
    const replaced = await run('convert', 'blank.jsonl', '--to', 'brat');
    expect(replaced.stdout).toContain('T1\\tA_B 0 3\\tAnn');
    expect(replaced.stderr).toContain('A B');
  });

  it('reports a span that does not fit the tokens in what is held out, as elsewhere', async () => {
    const record = (start: number) => `{"text": "Ann flew.", "entities": [[${start}, 3, "PER"]]}\n`;
    write('m.jsonl', record(0).repeat(29) + record(1) + record(0).repeat(30));
    await run('init', 'm.jsonl', '--out', 'm.yaml');
    const { code, stderr } = await run('train', 'm.yaml');
    expect([code, stderr]).toEqual([1, expect.stringContaining('m.jsonl:30: the span "nn"')]);
  });

  it('texts with spans: the model tags plain text too', async () => {
    const text = '{"text": "Ann flew.", "entities": [[0, 3, "PER"]]}\n'.repeat(3);
    write('s.jsonl', text);
    await run('init', 's.jsonl', '--out', 's.yaml');
    expect(await run('train', 's.yaml')).toMatchObject({ code: 0 });
    const tag = (stdin: string) => tagstream(['tag', '--model', 's.model'], { cwd: folder, stdin });
    const { stdout, stderr } = await tag('Ann flew.\n');
    expect(JSON.parse(stdout).tags).toEqual(['B-PER', 'O', 'O']);
    expect(stderr).toContain('reads as plain text');
    expect(JSON.parse((await tag('{"text": "Ann flew."}\n')).stdout).tags).toHaveLength(3);
  });

  it('data of CRFsuite: the model tags plain text too', async () => {
    write('c2.txt', 'X\tw[0]=Ann\nY\tw[0]=flew\n\n'.repeat(4));
    await run('init', 'c2.txt', '--out', 'c2.yaml');
    expect(await run('train', 'c2.yaml')).toMatchObject({ code: 0 });
    const given = ['tag', '--model', 'c2.model'];
    const { stdout } = await tagstream(given, { cwd: folder, stdin: 'Ann flew\n' });
    expect(JSON.parse(stdout).tags).toEqual(['X', 'Y']);
  });

  it.each(['wapiti', 'crfpp'])('calls columns by the name of %s', async name => {
    write('w.txt', 'Ann NNP B-PER\nflew VBD O\n\n');
    const { stdout } = await run('convert', 'w.txt', '--from', name, '--to', 'slash');
    expect(stdout).toBe('Ann/B-PER flew/O\n');
    write('two.txt', 'Ann B-PER\nflew O\n\n');
    const two = await run('convert', 'two.txt', '--from', name, '--to', 'slash');
    expect(two.stdout).toBe('Ann/B-PER flew/O\n');
    const written = await run('convert', 'a.ann', '--to', `${name}:{columns: [form, tag]}`);
    expect(written.stdout).toBe('😀 O\nAnn B-PER\nflew O\n. O\n\n');
    await run('init', 'w.txt', '--out', 'w.yaml', '--words-only', '--force');
    expect(await run('train', 'w.yaml', '--force')).toMatchObject({ code: 0 });
    const stdin = 'Ann NNP\n\n';
    const given = ['tag', '--model', 'w.model', '--format', name];
    expect((await tagstream(given, { cwd: folder, stdin })).stdout).toBe('Ann NNP B-PER\n\n');
  });
});
