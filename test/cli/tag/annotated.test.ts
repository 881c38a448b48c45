import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tagstream } from '../commands/run-command.js';
import { workspace } from '../commands/workspace.js';

const folder = workspace();
const file = (name: string) => join(folder, name);
const people = ['Ann', 'Ben', 'Eve', 'Max', 'Zoe'];
const places = ['Oslo', 'Bath', 'Rome', 'Bonn'];

/** Labelled texts as doccano exports them, with characters of two UTF-16 units before the spans. */
function exported(count: number): string {
  const records = Array.from({ length: count }, (_, i) => {
    const [who, where] = [people[i % 5]!, places[i % 4]!];
    const text = `😀 ${who} flew to ${where}. It was cold.`;
    const at = text.indexOf(where) - 1;
    return {
      id: i,
      text,
      label: [
        [2, 2 + who.length, 'PER'],
        [at, at + where.length, 'LOC'],
      ],
    };
  });
  return `${records.map(record => JSON.stringify(record)).join('\n')}\n`;
}

describe('records of annotation tools', () => {
  it('are recognised by init, train, score and are tagged', { tags: 'slow' }, async () => {
    writeFileSync(file('export.jsonl'), exported(60));
    const made = await tagstream(['init', 'export.jsonl', '--out', 'a.yaml'], { cwd: folder });
    expect(made).toMatchObject({ code: 0 });
    expect(made.stderr).toContain('records of doccano; spans become tags in BIO');
    const trained = await tagstream(['train', 'a.yaml'], { cwd: folder });
    expect(trained).toMatchObject({ code: 0 });
    expect(trained.stderr + trained.stdout).toContain('F1 100.00');
    const scored = await tagstream(['eval', 'export.jsonl', '--model', 'a.model', '--json'], {
      cwd: folder,
    });
    expect(JSON.parse(scored.stdout)).toMatchObject({ f1: 100 });
    const given = ['tag', '--model', 'a.model', '--format', 'doccano', 'export.jsonl'];
    const { stdout } = await tagstream(given, { cwd: folder });
    expect(stdout).toBe(readFileSync(file('export.jsonl'), 'utf8'));
  });

  it('become each other, and columns', async () => {
    writeFileSync(file('some.jsonl'), exported(5));
    const convert = async (input: string, to: string, out: string) => {
      const given = ['convert', input, '--to', to, '--out', out];
      expect(await tagstream(given, { cwd: folder })).toMatchObject({ code: 0 });
      return readFileSync(file(out), 'utf8');
    };
    const tasks = await convert('some.jsonl', 'label-studio', 'tasks.json');
    expect(JSON.parse(tasks)).toHaveLength(5);
    await convert('tasks.json', 'spacy', 'spacy.jsonl');
    await convert('spacy.jsonl', 'prodigy', 'prodigy.jsonl');
    await convert('prodigy.jsonl', 'spans', 'spans.jsonl');
    const again = await convert('spans.jsonl', 'doccano', 'again.jsonl');
    const without = (text: string) => text.replace(/"id":"?\d+"?,/g, '');
    expect(without(again)).toBe(without(exported(5)));
    const rows = await convert('some.jsonl', 'conll:{columns: [form, tag]}', 'rows.txt');
    expect(rows.split('\n\n')[0]).toBe('😀 O\nAnn B-PER\nflew O\nto O\nOslo B-LOC\n. O');
  });

  it('are rejected with the place of a span that cuts a token, or widened', async () => {
    writeFileSync(file('cut.jsonl'), '{"text": "Benny ran.", "label": [[0, 3, "PER"]]}\n');
    const to = ['--to', 'ndjson'];
    const rejected = await tagstream(['convert', 'cut.jsonl', ...to], { cwd: folder });
    expect(rejected.stderr).toContain(
      'cut.jsonl:1: the span "Ben" (0 to 3) ends inside the token "Benny"',
    );
    const wider = ['convert', 'cut.jsonl', '--from', 'doccano:{misaligned: widen}', ...to];
    const { stdout } = await tagstream(wider, { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({ tags: ['B-PER', 'O', 'O'] });
  });
});

describe('answers that are not accepted', () => {
  it('are skipped and counted', async () => {
    const records = ['accept', 'reject', 'ignore'].map(answer =>
      JSON.stringify({ text: 'Ann ran.', spans: [], answer }),
    );
    writeFileSync(file('answers.jsonl'), `${records.join('\n')}\n`);
    const found = await tagstream(['convert', 'answers.jsonl', '--to', 'slash'], { cwd: folder });
    expect(found.stdout).toBe('Ann/O ran/O ./O\n');
    expect(found.stderr).toContain('2 records that annotators put aside, or blank, were skipped');
  });
});

describe('tokenize', () => {
  it('divides plain text, and keeps the members of records', async () => {
    const plain = await tagstream(['tokenize'], { stdin: 'It rains. Stay in, 😀!\n' });
    expect(JSON.parse(plain.stdout)).toEqual({
      text: 'It rains. Stay in, 😀!',
      tokens: ['It', 'rains', '.', 'Stay', 'in', ',', '😀', '!'],
      offsets: [
        [0, 2],
        [3, 8],
        [8, 9],
        [10, 14],
        [15, 17],
        [17, 18],
        [19, 21],
        [21, 22],
      ],
      sentences: [
        [0, 3],
        [3, 8],
      ],
    });
    const record = await tagstream(['tokenize'], { stdin: '{"text": "Go!", "n": 1.0}\n' });
    expect(record.stdout).toBe(
      '{"text": "Go!", "n": 1.0,"tokens":["Go","!"],"offsets":[[0,2],[2,3]],"sentences":[[0,2]]}\n',
    );
  });

  it('takes a tokenizer and any format', async () => {
    const given = ['tokenize', '--tokenizer', 'characters', '--to', 'conll:{columns: [form]}'];
    expect((await tagstream(given, { stdin: 'ab c\n' })).stdout).toBe('a\nb\nc\n\n');
  });
});

describe('what init and convert say of annotation tools', () => {
  const texts = Array.from(
    { length: 30 },
    (_, i) => `😀 ${people[i % 5]!} flew to ${places[i % 4]!}.`,
  );
  const spansOf = (text: string) =>
    [...text.matchAll(/[A-Z][a-z]+/g)].map(({ 0: word, index }, i) => ({
      ...{ word, start: index, end: index + word.length, label: i === 0 ? 'PER' : 'LOC' },
    }));
  const run = (...command: string[]) => tagstream(command, { cwd: folder });

  it('names the unit of offsets, and init writes it down', async () => {
    const lines = texts.map(text =>
      JSON.stringify({
        text,
        label: spansOf(text).map(({ start, end, label }) => [start, end, label]),
      }),
    );
    writeFileSync(file('units.jsonl'), `${lines.join('\n')}\n`);
    const made = await run('init', 'units.jsonl', '--out', 'units.yaml');
    expect(made).toMatchObject({ code: 0 });
    expect(made.stderr).toContain('offsets fit the words only as UTF-16 units: offsets: utf16');
    expect(readFileSync(file('units.yaml'), 'utf8')).toContain('offsets: utf16');
    const converted = await run('convert', 'units.jsonl', '--to', 'spans');
    expect(converted.stderr.match(/fit its words only as UTF-16 units/g)).toHaveLength(1);
    const found = converted.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(found.map(({ spans }) => spans)).toEqual(
      texts.map(text => spansOf(text).map(({ start, end, label }) => ({ start, end, label }))),
    );
    expect((await run('train', 'units.yaml')).stderr).toContain('F1 100.00');
  });

  it('counts tasks whose annotators differ, and init takes the first of them', {
    tags: 'slow',
  }, async () => {
    const tasks = texts.map((text, i) => {
      const result = spansOf(text).map(({ start, end, label, word }) => ({
        value: { start: start - 1, end: end - 1, text: word, labels: [label] },
      }));
      const second = i === 3 ? result.slice(0, 1) : result;
      return { id: i, data: { text }, annotations: [{ result }, { result: second }] };
    });
    writeFileSync(file('tasks.json'), JSON.stringify(tasks));
    const converted = await run('convert', 'tasks.json', '--to', 'spans');
    expect(converted.stdout.trim().split('\n')).toHaveLength(29);
    expect(converted.stderr).toMatch(/2 annotations disagree: .* has LOC at/);
    const each = await run(
      'convert',
      'tasks.json',
      '--from',
      'label-studio:{annotations: each}',
      '--to',
      'spans',
    );
    expect(each.stdout.trim().split('\n')).toHaveLength(60);
    const made = await run('init', 'tasks.json', '--out', 'tasks.yaml');
    expect(made).toMatchObject({ code: 0 });
    expect(made.stderr).toContain('the first counts; set annotations in source');
    expect(readFileSync(file('tasks.yaml'), 'utf8')).toContain('annotations: first');
    expect((await run('train', 'tasks.yaml')).stderr).toContain('F1 100.00');
  });
});
