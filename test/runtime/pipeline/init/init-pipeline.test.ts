import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { chooseFeatures } from '../../../../src/runtime/pipeline/init/choose-features.js';
import type { FeatureColumn } from '../../../../src/runtime/pipeline/init/guess/column-look.js';
import {
  type InitOptions,
  initPipeline,
} from '../../../../src/runtime/pipeline/init/init-pipeline.js';
import { validatePipeline } from '../../../../src/runtime/pipeline/loading/validate-pipeline.js';
import {
  fastRecipe,
  letterTemplates,
  recipeFor,
} from '../../../../src/runtime/pipeline/training/recipe.js';
import { workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();
const root = resolve(import.meta.dirname, '../../../..');

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Sentences of three tokens each. */
const sentences = (count: number) =>
  Array.from({ length: count }, (_, i) => `Ann${i} NNP B-PER\nsaw${i} VBD O\n. . O\n`).join('\n');

async function made(path: string, options: Partial<InitOptions> = {}) {
  const out = join(folder, 'made.yaml');
  const result = await initPipeline({ file: path, out, ...options });
  writeFileSync(out, result.text);
  return { ...result, pipeline: await validatePipeline(out) };
}

describe('initPipeline', () => {
  it('says how many records have no labels, in the whole file', { tags: 'slow' }, async () => {
    const record = (i: number) =>
      i % 700 === 699
        ? '{"text": "No name here."}'
        : JSON.stringify({
            text: `Ann${i % 7} sings ${'la'.repeat(80)}.`,
            spans: [{ start: 0, end: 4, label: 'PER' }],
          });
    const file = join(folder, 'some.ndjson');
    for (const [count, without] of [
      [699, undefined],
      [
        700,
        '1 record has no labels: training passes over it; a text without spans has "spans": []',
      ],
      [7000, '10 records have no labels: training passes over them; a text without spans'],
    ] as const) {
      writeFileSync(file, `${Array.from({ length: count }, (_, i) => record(i)).join('\n')}\n`);
      const { warnings } = await initPipeline({ file, out: join(folder, 'some.yaml') });
      if (without === undefined) expect(warnings).toEqual([]);
      else expect(warnings).toEqual([expect.stringContaining(without)]);
    }
  });

  it('holds out the last of ten records, in source and test', async () => {
    const { pipeline, reasons } = await made(file('some.conll', sentences(40)));
    const options = { files: ['some.conll'], columns: ['form', 'pos', 'tag'] };
    expect(pipeline.source.options).toMatchObject({
      ...options,
      split: { every: 10, except: [9] },
    });
    expect(pipeline.test?.options).toMatchObject({ ...options, split: { every: 10, take: [9] } });
    expect(pipeline).toMatchObject({ name: 'made', model: 'made.model' });
    expect(pipeline.train).toMatchObject({ epochs: 15, compact: true });
    expect(reasons).toContain('test: one record in 10, held out of training');
  });

  it('writes the recipe, and why it was chosen', async () => {
    const path = file('some.conll', sentences(40));
    const { text, recipe, textWith, reasons } = await made(path);
    expect(text).toContain(
      '\n# Fewer than 100 records: few features, and a margin loss that penalizes missed',
    );
    expect(reasons).toContain(`recipe: ${recipe.why}`);
    expect(text).toContain('  - contribute: { loss: softmax-margin, cost: 1, missCost: 3 }');
    expect(text).toContain('  - optimize: { adagrad: { eta0: 0.2, l2: 0.05 } }');
    expect(text).toContain('train: { epochs: 15, seed: 1, temperature: 1.75, compact: true }');
    const other = textWith({ ...recipe, dropout: 0.1, seeds: 3, temperature: 2 });
    expect(other).toContain(
      'train: { epochs: 15, seed: 1, seeds: 3, dropout: 0.1, temperature: 2, compact: true }',
    );
    const fast = await made(path, { fast: true });
    expect(fast.text).toContain('loss: log');
    expect(fast.text).toContain('preset: ner\n');
  });

  it('holds out runs of records where these are of documents', async () => {
    const text = Array.from({ length: 30 }, () => `-DOCSTART- -X- O\n\n${sentences(4)}\n`).join('');
    const { pipeline, reasons, text: yaml } = await made(file('documents.conll', text));
    expect(pipeline.source.options).toMatchObject({ split: { every: 10, run: 3, except: [9] } });
    expect(pipeline.test?.options).toMatchObject({ split: { every: 10, run: 3, take: [9] } });
    expect(reasons.join('\n')).toContain('test: one run of 3 records in 10, held out of training');
    expect(yaml).toContain('# One run of 3 records in 10 is held out of training');
  });

  it('stores observed pairs alone and prunes where labels are many, and only there', async () => {
    const tagged = (labels: number) =>
      Array.from({ length: 300 }, (_, i) => {
        const tokens = [`word${i}`, 'saw', '.'];
        return `${JSON.stringify({ tokens, tags: [`T${i % labels}`, 'V', 'P'] })}\n`;
      }).join('');
    const many = await made(file('many.ndjson', tagged(140)));
    const featurize = many.pipeline.stages.find(({ component }) => component.name === 'featurize');
    expect(featurize!.options).toMatchObject({ support: 'observed', compressed: true });
    expect(many.pipeline.config.model).toMatchObject({ prune: { most: 24 }, file: 'made.model' });
    expect(many.reasons.join('\n')).toMatch(/many labels: weights for observed pairs alone/);
    const few = await made(file('few.ndjson', tagged(90)));
    expect(few.text).not.toMatch(/compressed|prune/);
  });

  it('takes a second file for the test, and too few records for none', async () => {
    const [train, test] = [file('a.conll', sentences(40)), file('b.conll', sentences(3))];
    const { pipeline } = await made(train, { test });
    expect(pipeline.source.options.split).toBeUndefined();
    expect(pipeline.test?.options.files).toEqual(['b.conll']);
    const few = await made(test);
    expect(few.pipeline.test).toBeUndefined();
    expect(few.text).toContain('# test: ...');
  });

  it('refuses a second file that is of another form, at its line', async () => {
    const [train, test] = [file('c.conll', sentences(20)), file('d.conll', 'a X\n\n')];
    await expect(made(train, { test })).rejects.toThrow(
      /d\.conll:1: 2 columns in a row, expected 3/,
    );
    await expect(made(train, { test: file('e.conll', 'a b _\n\n') })).rejects.toThrow(
      'no record has tags',
    );
  });

  it('distinguishes the tasks by their tags', async () => {
    const taskOf = async (text: string) =>
      (await made(file('task', text))).reasons.find(line => line.startsWith('task'))!.split(':')[0];
    expect(await taskOf('aa B-PER\nbb O\ncc O\ndd O\n\nee O\n')).toBe('task ner');
    expect(await taskOf('aa B-X\nbb I-X\ncc B-Y\ndd O\n\nee B-X\n')).toBe('task chunk');
    expect(await taskOf('aa B-NP\nbb O\ncc O\n\nee O\n')).toBe('task chunk');
    expect(await taskOf('aa DT\nbb NN\n\ncc VB\n')).toBe('task pos');
    expect(await taskOf('a x\nb y\n\nc x\n')).toBe('task letters');
    expect(await taskOf('ab\txy\nabc\txyz\n')).toBe('task letters');
  });

  it('needs no column beside the words with wordsOnly, and says where it does', async () => {
    const path = file('cols.conll', sentences(30));
    const { text, warnings } = await made(path, { fast: true });
    expect(text).toContain('columns: [form, pos]');
    expect(warnings).toEqual([expect.stringContaining('the model will need pos in what it tags')]);
    const words = await made(path, { wordsOnly: true, fast: true });
    expect(words.text).toContain('columns: [form]');
    expect(words.warnings).toEqual([]);
  });

  it('counts records, tokens and labels to the end of a large file, gzip or not', {
    tags: 'slow',
  }, async () => {
    const late = Array.from({ length: 120 }, (_, i) => `late X B-T${i}\n`).join('\n');
    const large = `${sentences(30_000)}\n${late}\none two\n\n`;
    expect(large.length).toBeGreaterThan(2 ** 20);
    for (const content of [large, gzipSync(large)]) {
      const { reasons, warnings, text } = await made(file('large.gz', content));
      expect(reasons).toContain('30,120 labelled records, 90,120 tokens, 122 labels');
      expect(reasons.join('\n')).not.toMatch(/used as the tags: \d/);
      expect(text).toContain('compressed: true');
      expect(warnings).toContainEqual(
        expect.stringMatching(
          /^1 record cannot be read; the first: .*large.gz:120241: 2 columns in a row/,
        ),
      );
    }
  });

  it('writes what YAML would read otherwise so that it stays', async () => {
    const text = '"a, b" B-X\n[x] O\n# O\ny: O\n{} O\n\n'.replaceAll('"a, b"', '",:').repeat(3);
    const { text: yaml, pipeline } = await made(file('odd #1: {x}.conll', text));
    expect(pipeline.source.options.files).toEqual(['odd #1: {x}.conll']);
    const uncommented = yaml.replace(/^# (checks:| {2}- tokens| {4}tags)/gm, '$1');
    const out = join(folder, 'checked.yaml');
    writeFileSync(out, uncommented);
    const { checks } = await validatePipeline(out);
    expect(checks?.[0]).toMatchObject({
      tokens: ['",:', '[x]', '#', 'y:', '{}'],
      tags: ['B-X', 'O', 'O', 'O', 'O'],
    });
  });

  it('reports the place of a record that cannot be read', async () => {
    const bad = '{"tokens":["a"],"tags":["X"]}\n{"tokens":["a"],"tags":["X","Y"]}\n';
    await expect(made(file('bad.ndjson', bad))).rejects.toThrow(
      /bad\.ndjson:2: 1 token but 2 tags/,
    );
    await expect(made(join(folder, 'none'))).rejects.toThrow(/cannot read .*none: no such file/);
    await expect(made(folder)).rejects.toThrow('it is a directory');
    await expect(made(file('empty', ''))).rejects.toThrow('the file is empty');
  });
});

describe('chooseFeatures', () => {
  const pos = { name: 'xpos', holds: 'pos' } as const;
  const chunk = { name: 'spans', holds: 'chunk' } as const;
  const [few, many] = [
    { records: 50, tokens: 500 },
    { records: 5000, tokens: 50_000 },
  ];
  const features = (
    task: 'pos' | 'chunk' | 'ner',
    columns: readonly FeatureColumn[],
    data = many,
  ) => chooseFeatures(task, columns, fastRecipe(task, data));

  it('takes a preset, with the columns that it can use', () => {
    expect(features('chunk', [pos]).yaml).toEqual(['preset: chunk', 'columns: [form, xpos]']);
    expect(features('pos', [pos]).yaml).toEqual(['preset: pos', 'columns: [form]']);
    const other = { name: 'part', holds: 'pos' } as const;
    expect(features('ner', [other])).toMatchObject({ columns: [] });
    const small = chooseFeatures('ner', [pos], recipeFor('ner', few));
    expect(small).toMatchObject({ yaml: ['preset: ner-small', 'columns: [form]'], columns: [] });
  });

  it('adds phrases around a name, where there are any', () => {
    const { yaml, columns } = features('ner', [pos, chunk]);
    expect(columns).toEqual(['xpos', 'spans']);
    expect(yaml).toContain('  - "U93:%x[0,xpos]/%x[0,spans]"');
    expect(features('ner', [chunk]).yaml.filter(line => line.includes('spans'))).toHaveLength(4);
    expect(features('chunk', [chunk]).yaml.join()).not.toContain('spans');
  });

  it('takes the templates of the shipped pipeline for letters', () => {
    const shipped = readFileSync(join(root, 'pipelines/templates/letters.tpl'), 'utf8')
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('#'));
    expect(letterTemplates).toEqual([...shipped, 'B00:%x[0,0]']);
  });
});

describe('tags of another form among those of spans', () => {
  it('are named', async () => {
    const rows = 'Ann B-PER\nran O\n\nBen B_PER\nBerg I-PER\n';
    const { warnings, task } = await made(file('odd.conll', rows));
    expect([task, warnings]).toEqual([
      'pos',
      ['the tags would mark spans but for B_PER: correct it, and run init again'],
    ]);
    const other = rows.replace('B_PER', 'PER');
    expect((await made(file('other.conll', other))).warnings).toEqual([
      'the tags would mark spans but for PER: correct it, and run init again',
    ]);
    expect((await made(file('even.conll', rows.replace('_', '-')))).warnings).toEqual([]);
  });

  it.each([
    ['columns', 'Ann\tB-PER\nran\tO\n\nBen\tB-PER\nran\t\n', 5, 'the column tag is empty in a row'],
    [
      'JSON',
      '{"tokens":["a"],"tags":["B-X"]}\n\n\n{"tokens":["a","b"],"tags":["","O"]}\n',
      4,
      'tags[0] is ""',
    ],
  ])('are an error of their record where they are empty: %s', async (name, text, line, problem) => {
    const found = made(file(`empty-${name}`, text));
    await expect(found).rejects.toMatchObject({ problem, place: { line } });
  });

  it('are counted where they are empty after the beginning of a file', {
    tags: 'slow',
  }, async () => {
    const rows = `${'Ann\tB-PER\nran\tO\n\n'.repeat(2 ** 16)}Ben\t\n`;
    const { warnings } = await made(file('late.conll', rows));
    expect(warnings).toEqual([
      expect.stringMatching(
        /^1 record cannot be read; the first: .*late\.conll:196609: the column tag is empty in a row/,
      ),
    ]);
  });
});
