// @module-tag slow
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadPipeline } from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import { corpora, corporaPresent } from '../../house/corpora/corpora.js';
import { tagstream } from '../commands/run-command.js';
import { toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const full = process.env.TAGSTREAM_FULL === '1';

describe('tagstream init', () => {
  it('writes a pipeline that is valid and trains as it is', async () => {
    writeFileSync(join(folder, 'train.ndjson'), `${toyRecords(60).join('\n')}\n`);
    const made = await tagstream(['init', 'train.ndjson'], { cwd: folder });
    expect(made).toMatchObject({ code: 0, stdout: '' });
    expect(made.stderr).toContain('train.ndjson: lines of JSON with tokens');
    expect(made.stderr).toContain('60 labelled records, 270 tokens, 4 labels');
    expect(made.stderr).toContain('wrote pipeline.yaml; next: tagstream train pipeline.yaml');
    const valid = await tagstream(['validate', 'pipeline.yaml'], { cwd: folder });
    expect(valid.stdout).toBe('pipeline.yaml: valid\n');
    const trained = await tagstream(['train', 'pipeline.yaml', '--json'], { cwd: folder });
    const { test, model } = JSON.parse(trained.stdout) as { test: unknown; model: string };
    expect(test).toMatchObject({ sentences: 6, accuracy: 100 });
    expect(existsSync(model)).toBe(true);
  });

  it('replaces nothing without --force', async () => {
    const path = join(folder, 'mine.yaml');
    writeFileSync(path, 'mine');
    const given = ['init', 'train.ndjson', '--out', 'mine.yaml'];
    const refused = await tagstream(given, { cwd: folder });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('mine.yaml already exists (give another name with --out');
    expect(readFileSync(path, 'utf8')).toBe('mine');
    expect((await tagstream([...given, '--force'], { cwd: folder })).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toContain('name: mine\n');
  });

  it('prints with --out -, and leaves nothing behind on an error', async () => {
    const printed = await tagstream(['init', 'train.ndjson', '--out', '-'], { cwd: folder });
    expect(printed.stdout).toContain('version: 1\n');
    writeFileSync(join(folder, 'words.txt'), 'one\ntwo\n');
    const refused = await tagstream(['init', 'words.txt', '--out', 'no.yaml'], { cwd: folder });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('words.txt: the rows have one column, so there are no tags');
    expect(existsSync(join(folder, 'no.yaml'))).toBe(false);
    expect((await tagstream(['init', '-'], { cwd: folder })).code).toBe(2);
  });

  it('learns clusters of raw text by the tokenizer that fits the file', async () => {
    const record = { text: '我在北京', spans: [{ start: 2, end: 4, label: 'LOC' }] };
    writeFileSync(join(folder, 'zh.ndjson'), `${JSON.stringify(record)}\n`.repeat(30));
    writeFileSync(join(folder, 'zh.txt'), '他在北京。\n我在上海。\n'.repeat(10));
    const made = await tagstream(
      ['init', 'zh.ndjson', '--raw-text', 'zh.txt', '--out', 'zh.yaml'],
      { cwd: folder },
    );
    expect(made.stderr).toContain('tokenizer unicode: its tokens fit 100 % of the spans');
    expect(readFileSync(join(folder, 'zh.clusters.txt'), 'utf8')).toMatch(/\t北京\t10\n/);
  });
});

// The least score after one pass over 250 records, and in full that of the shipped pipeline.
const rows = [
  ['conll2000/train.txt', 'conll2000/test.txt', 'task chunk', 'f1', 80, 93.65],
  ['conll2002-es/esp.train', 'conll2002-es/esp.testa', 'task ner', 'f1', 25, 74.88],
  ['nettalk/nettalk.data', undefined, 'task letters', 'accuracy', 45, 92.92],
  ['ud-english-ewt/train.conllu', 'ud-english-ewt/dev.conllu', 'task pos', 'accuracy', 78, 94.85],
] as const;

describe.skipIf(!corporaPresent('pipelines for the public corpora'))('public corpora', () => {
  it.each(rows)('%s', async (file, test, task, score, least, shipped) => {
    const out = join(folder, `${task.replace(' ', '-')}.yaml`);
    const files = [file, ...(test === undefined ? [] : [test])].map(name => join(corpora, name));
    const made = await tagstream(['init', ...files, '--out', out]);
    expect(made.stderr).toContain(task);
    const { component } = loadPipeline(out).source;
    const fewer = ['train.epochs=1', `test.${component.name}.limit=100`];
    const short = ['--limit', '250', ...fewer.flatMap(setting => ['--set', setting])];
    const trained = await tagstream(['train', out, '--json', ...(full ? [] : short)]);
    const result = JSON.parse(trained.stdout) as { test: Record<string, number> };
    expect(result.test[score]).toBeGreaterThanOrEqual(full ? shipped - 1 : least);
  });
});

describe('tagstream init with words that others have collected', () => {
  const records = toyRecords(40).join('\n');
  const words = ['the', 'dog', 'cat', 'sees', ...Array.from({ length: 300 }, (_, i) => `w${i}`)];
  const vectors = words
    .map((word, i) => `${word} ${Math.sin(i + 1)} ${Math.cos(2 * i)}\n`)
    .join('');

  it('uses word vectors, and clusters of them where they help', async () => {
    writeFileSync(join(folder, 'records.ndjson'), `${records}\n`);
    writeFileSync(join(folder, 'vectors.txt'), vectors);
    const given = ['init', 'records.ndjson', '--vectors', 'vectors.txt', '--force', '--out'];
    const pos = await tagstream([...given, 'pos.yaml', '--task', 'pos'], { cwd: folder });
    expect(pos.code, pos.stderr).toBe(0);
    expect(pos.stderr).toContain('its words are in lower case, so words are looked up');
    expect(pos.stderr).toMatch(/^vectors: \d+ % of the words of the labelled file are covered$/m);
    expect(pos.stderr).toMatch(/^tagstream: vectors vectors cover \d+ % .*, too few to help/m);
    const text = readFileSync(join(folder, 'pos.yaml'), 'utf8');
    expect(text).toContain('vectors: { file: "vectors.txt", fold: true }');
    expect(text).not.toContain('clusters:');
    const ner = await tagstream([...given, 'ner.yaml', '--task', 'ner'], { cwd: folder });
    expect(ner.code, ner.stderr).toBe(0);
    const other = readFileSync(join(folder, 'ner.yaml'), 'utf8');
    // 304 words make no 512 clusters.
    expect(other).toContain('vectors128: { file: "ner.vectors-128.txt", fold: true, bits: none }');
    expect(other).not.toContain('512');
    const trained = await tagstream(['train', 'ner.yaml'], { cwd: folder });
    expect(trained.code, trained.stderr).toBe(0);
  });

  it('looks tokens up in lists of names', async () => {
    const record = (name: string, before: string) =>
      JSON.stringify({
        tokens: [before, ...name.split(' '), '.'],
        tags: [
          'O',
          'B-LOC',
          ...name
            .split(' ')
            .slice(1)
            .map(() => 'I-LOC'),
          'O',
        ],
      });
    const towns = Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? `Ab${i}` : `New Cd${i}`));
    const lines = towns.flatMap((town, i) => [
      record(town, 'near'),
      JSON.stringify({ tokens: ['near', `Ef${i}`, '.'], tags: ['O', 'O', 'O'] }),
    ]);
    writeFileSync(join(folder, 'towns.ndjson'), `${lines.join('\n')}\n`);
    writeFileSync(join(folder, 'town names.txt'), `${towns.join('\n')}\nGh77\n`);
    writeFileSync(join(folder, 'other.txt'), 'nowhere\n');
    const given = [
      '--lists',
      'town names.txt',
      '--lists',
      'other.txt',
      '--force',
      '--out',
      'towns.yaml',
    ];
    const { code, stderr } = await tagstream(['init', 'towns.ndjson', ...given], { cwd: folder });
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('town names.txt: its names occur 30 times in the labelled file\n');
    expect(stderr).toContain('tagstream: other.txt: none of its names occurs in the labelled file');
    const text = readFileSync(join(folder, 'towns.yaml'), 'utf8');
    expect(text).toContain('town-names: { file: "town names.txt" }');
    expect(text).toContain('other: { file: "other.txt", fold: true }');
    const trained = await tagstream(['train', 'towns.yaml', '--model', 'towns.model'], {
      cwd: folder,
    });
    expect(trained.code, trained.stderr).toBe(0);
    const tagged = await tagstream(['tag', '--model', 'towns.model', '--output', 'tags'], {
      cwd: folder,
      stdin: '{"tokens":["near","Gh77","."]}\n{"tokens":["near","Kl78","."]}\n',
    });
    expect(tagged.stdout).toBe('{"tags":["O","B-LOC","O"]}\n{"tags":["O","O","O"]}\n');
    const bad = await tagstream(
      ['init', 'towns.ndjson', '--lists', 'missing.txt', '--out', 'no.yaml'],
      { cwd: folder },
    );
    expect(bad.code).not.toBe(0);
    expect(bad.stderr).toContain('missing.txt');
  });

  it('writes the pipeline of a first model with --stacked', async () => {
    const given = ['init', 'records.ndjson', '--stacked', '--force', '--out'];
    const { code, stderr } = await tagstream([...given, 'two.yaml'], { cwd: folder });
    expect(code, stderr).toBe(0);
    expect(readFileSync(join(folder, 'two.yaml'), 'utf8')).toContain('from: "two.first.yaml"');
    const trained = await tagstream(['train', 'two.yaml'], { cwd: folder });
    expect(trained.code, trained.stderr).toBe(0);
    const piped = await tagstream([...given, '-'], { cwd: folder });
    expect(piped).toMatchObject({ code: 2 });
    expect(piped.stderr).toContain('--stacked writes files next to the pipeline file');
  });
});
