// @module-tag slow
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readTaggingModel } from '../../../../src/engine/models/files/model-file.js';
import { applyScript } from '../../../../src/engine/text/labels/edit-script.js';
import {
  loadPipeline,
  parsePipeline,
} from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { trainFold } from '../../../../src/runtime/pipeline/run/folds/train-fold.js';
import { train } from '../../../../src/runtime/pipeline/training/train.js';
import { tagstream } from '../../../cli/commands/run-command.js';

const nouns = { dog: 'dogs', cat: 'cats', tree: 'trees', box: 'boxes', bus: 'buses' };
const verbs = { see: 'sees', like: 'likes', meet: 'meets' };

interface Word {
  readonly form: string;
  readonly upos: string;
  readonly feats: string;
  readonly lemma: string;
}

/** The n-th sentence: its verb agrees with the noun before it. */
function sentence(n: number): Word[] {
  const [noun, plural] = Object.entries(nouns)[n % 5]!;
  const [verb, singular] = Object.entries(verbs)[n % 3]!;
  const isOne = n % 2 === 0;
  const number = isOne ? 'Number=Sing' : 'Number=Plur';
  return [
    { form: isOne ? 'A' : 'The', upos: 'DET', feats: '_', lemma: isOne ? 'a' : 'the' },
    { form: isOne ? noun : plural, upos: 'NOUN', feats: number, lemma: noun },
    { form: isOne ? singular : verb, upos: 'VERB', feats: number, lemma: verb },
    { form: '.', upos: 'PUNCT', feats: '_', lemma: '.' },
  ];
}

const all = Array.from({ length: 60 }, (_, n) => sentence(n));
const rows = all.map(words =>
  words.map(({ form, upos, feats, lemma }, i) =>
    [i + 1, form, lemma, upos, '_', feats, '_', '_', '_', '_'].join('\t'),
  ),
);

const yaml = (columns: string) => `
version: 1
name: small
source: { conllu: { files: [train.conllu], tag: upos } }
stages:
  - tokenize: { tokenizer: learned }
  - featurize: { templates: ['U1:%x[0,0]', 'U2:%x[-1,0]', 'U3:%suffix[0,0,1]', 'B'] }
  - batch: { sentences: 1 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.2, l2: 0.01 } }
columns: ${columns}
train: { epochs: 12 }
model: small.model
`;
const both = `{ feats: {}, lemma: { as: script, templates: ['U1:%x[0,0]', 'U2:%suffix[0,0,2]/%x[0,feats]', 'U3:%x[0,upos]'] } }`;

let folder: string;
const cli = (...args: string[]) => tagstream(args, { cwd: folder });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'columns-'));
  writeFileSync(
    join(folder, 'train.conllu'),
    `${rows.map(each => each.join('\n')).join('\n\n')}\n\n`,
  );
  writeFileSync(join(folder, 'small.yaml'), yaml(both));
});

afterAll(() => rmSync(folder, { recursive: true }));

describe('further columns', () => {
  it('are learned into one file, the same each time, and come out of raw text', async () => {
    expect((await cli('train', 'small.yaml')).code).toBe(0);
    const bytes = readFileSync(join(folder, 'small.model'));
    expect((await cli('train', 'small.yaml', '--model', 'again.model')).code).toBe(0);
    expect(readFileSync(join(folder, 'again.model')).equals(bytes)).toBe(true);
    const { stored } = readTaggingModel(bytes).bundle!;
    expect([
      stored.column,
      ...stored.layers.map(({ column, codec }) => [column, codec.name]),
    ]).toEqual([...['upos', ['feats', 'plain'], ['lemma', 'script']]]);
    const text = 'A box meets. The dogs see.\n';
    writeFileSync(join(folder, 'letter.txt'), text);
    const { stdout } = await cli('tag', '--model', 'small.model', '--to', 'conllu', 'letter.txt');
    const found = stdout.split('\n').filter(row => /^\d/.test(row));
    expect(found.map(row => row.split('\t').slice(1, 6).join(' '))).toEqual([
      'A a DET _ _',
      'box box NOUN _ Number=Sing',
      'meets meet VERB _ Number=Sing',
      '. . PUNCT _ _',
      'The the DET _ _',
      'dogs dog NOUN _ Number=Plur',
      'see see VERB _ Number=Plur',
      '. . PUNCT _ _',
    ]);
    const own = await cli('eval', '--model', 'small.model', 'train.conllu', '--json');
    const given = JSON.parse(own.stdout).columns;
    expect(given.feats.tokens).toBe(240);
    expect(given.feats.accuracy).toBeGreaterThan(98);
    const raw = await cli(
      'eval',
      '--model',
      'small.model',
      'train.conllu',
      '--from-text',
      '--json',
    );
    const scores = JSON.parse(raw.stdout).fromText;
    expect(Object.keys(scores)).toEqual(['tokens', 'sentences', 'words', 'upos', 'feats', 'lemma']);
    expect(scores.feats.f1).toBeGreaterThan(0.98);
    expect(scores.lemma.f1).toBeGreaterThan(0.98);
  });

  it('leave the tags and their weights as they are without them', async () => {
    writeFileSync(join(folder, 'plain.yaml'), yaml(both).replace(/^columns:.*\n/m, ''));
    expect((await cli('train', 'plain.yaml', '--model', 'plain.model')).code).toBe(0);
    expect((await cli('train', 'small.yaml')).code).toBe(0);
    const tags = async (model: string) => {
      const { stdout } = await cli('tag', '--model', model, '--output', 'tags', 'letter.txt');
      return JSON.parse(stdout).tags;
    };
    expect(await tags('small.model')).toEqual(await tags('plain.model'));
  });

  it('are learned by train, from columns of records', async () => {
    const corpus = all.map(words => ({
      tokens: words.map(({ form }) => form),
      tags: words.map(({ upos }) => upos),
      columns: { feats: words.map(({ feats }) => feats), lemma: words.map(({ lemma }) => lemma) },
    }));
    const { tagger } = await train({
      corpus,
      features: { templates: ['U1:%x[0,0]', 'U2:%x[-1,0]', 'B'] },
      columns: { feats: {}, lemma: { as: 'script' } },
    });
    const { results } = tagger.tagText('The buses meet.');
    expect({ ...results }).toEqual({
      feats: ['_', 'Number=Plur', 'Number=Plur', '_'],
      lemma: ['the', 'bus', 'meet', '.'],
    });
  });

  it('give words of a dictionary their value, whatever the model says, and take it as context of others', async () => {
    // The value of "who" is that of the word before it; "rare" is in no dictionary.
    const corpus = Array.from({ length: 24 }, (_, n) => {
      const before = ['red', 'blue', 'rare'][n % 12 === 11 ? 2 : n % 2]!;
      const value = before === 'blue' ? 'B' : 'A';
      return { tokens: [before, 'who'], tags: ['X', 'X'], columns: { kind: [value, value] } };
    });
    const { tagger } = await train({
      corpus: [...corpus, ...corpus],
      features: { templates: ['U:%x[0,0]', 'B'] },
      columns: { kind: { as: 'dictionary', templates: ['U1:%x[0,0]', 'B'] } },
    });
    const { codec } = tagger.model.bundle!.stored.layers[0]!;
    const settled = (form: string) => codec.settled!({ form, tag: 'X' });
    expect(['red', 'blue', 'rare', 'who'].map(settled)).toEqual(['A', 'B', undefined, undefined]);
    const kinds = (tokens: string[]) => tagger.analyze(tokens).results!.kind;
    expect(kinds(['red', 'who'])).toEqual(['A', 'A']);
    expect(kinds(['blue', 'who'])).toEqual(['B', 'B']);
    expect(kinds(['rare', 'who'])).toEqual(['A', 'A']);
    // Tokens that are looked up have no features, which templates with numbers of tokens cannot find by text.
    const other = await train({
      corpus: [...corpus, ...corpus],
      features: { templates: ['U:%x[0,0]', 'B'] },
      columns: { kind: { as: 'dictionary', templates: ['U1:%x[0,0]', 'U2:%x[@0,0]', 'B'] } },
    });
    for (const tokens of [
      ['red', 'who'],
      ['blue', 'who'],
      ['rare', 'who'],
    ])
      expect(other.tagger.analyze(tokens).results!.kind).toEqual(kinds(tokens));
  });

  it('see the columns before as predicted, not the gold ones', async () => {
    // The tag follows from nothing, so that models of other parts guess it; the column is the tag itself.
    const corpus = Array.from({ length: 80 }, (_, n) => {
      const tag = (n * 7919) % 13 < 6 ? 'X' : 'Y';
      return { tokens: [`w${n}`], tags: [tag], columns: { same: [tag], other: [`w${n % 2}`] } };
    });
    const { tagger } = await train({
      corpus,
      features: { templates: ['U1:%x[0,0]'] },
      columns: { same: { templates: ['U1:%x[0,tags]'] } },
    });
    const { results, tags } = tagger.analyze(['w3']);
    // From gold tags it would have learned to repeat the tag, with near certainty.
    const layer = tagger.model.bundle!.stored.layers[0]!;
    const model = readTaggingModel(layer.bytes);
    const { marginals } = new (await import('../../../../src/engine/models/tagger.js')).Tagger(
      model,
    ).analyze(['w3'], { tags }, { marginals: true });
    expect(results!.same).toHaveLength(1);
    expect(marginals![0]).toBeLessThan(0.8);
  });

  it('are refused where no record has them, on streams, and with a first model', async () => {
    writeFileSync(join(folder, 'none.yaml'), yaml('{ xpos: {} }'));
    const none = await cli('train', 'none.yaml');
    expect(none.stderr).toContain('columns.xpos: no record has values in the column "xpos"');
    const stream = yaml(both).replace('epochs: 12', 'corpusSize: 60').replace('learned', 'regex');
    expect(() => parsePipeline(stream, 'a.yaml')).toThrow(/only be learned from a corpus/);
    const stacked = yaml(both).replace("templates: ['U1", "from: b.yaml, templates: ['U1");
    expect(() => parsePipeline(stacked, 'a.yaml')).toThrow(/with a first model/);
    const twice = yaml('{ "my tag": {}, my_tag: {} }');
    expect(() => parsePipeline(twice, 'a.yaml')).toThrow(
      /"my tag" and "my_tag" have the same place in CoNLL-U/,
    );
    expect(() => parsePipeline(yaml('{ upos: {} }'), 'a.yaml')).toThrow(/"upos" and "upos"/);
  });

  it('are shown by inspect, and crossval says that it leaves them out', async () => {
    const trained = await cli('train', 'small.yaml');
    expect(trained.code).toBe(0);
    // What is said of the training is of all its parts, before the first of them.
    expect(trained.stderr).toMatch(
      /^estimate: [\d,]+ features; memory about .*; time about \d+ s; model file about [\d.]+ kB \(tokenizer 1 s, .*; feats 1 s, .*; lemma 1 s, .*; tags 1 s, .*\)\ntraining the tokenizer\ntraining the column "feats"\ntraining the column "lemma"\npass /,
    );
    const { stdout } = await cli('inspect', 'small.model');
    const [, section = ''] = stdout.split('Further columns');
    expect(section).toMatch(/feats +3 .* plain\n +lemma .* script, by upos\n/);
    const { layers } = JSON.parse((await cli('inspect', 'small.model', '--json')).stdout);
    expect(layers.map(({ column }: { column: string }) => column)).toEqual(['feats', 'lemma']);
    const folds = await cli('crossval', 'small.yaml', '--folds', '2');
    expect(folds.code).toBe(0);
    expect(folds.stderr).toContain('the columns feats, lemma are neither learned nor scored');
    const alone = yaml('{}').replace('columns: {}\n', '').replace('learned', 'regex');
    writeFileSync(join(folder, 'alone.yaml'), alone);
    const same = await cli('crossval', 'alone.yaml', '--folds', '2');
    expect(folds.stdout).toBe(same.stdout);
    const onPart = vi.fn();
    const fold = { fold: 0, of: 2, seed: 1, run: 1 };
    const pipeline = loadPipeline(join(folder, 'small.yaml'));
    expect((await trainFold(pipeline, fold, { events: { onPart } }))?.scores).toBeDefined();
    expect(onPart).not.toHaveBeenCalled();
  });

  it('choose lemmas of unknown words that the data has with their part of speech', async () => {
    // "glosses" and "glosse" would be likelier by their ends, but only "gloss" is a lemma that is known.
    const pairs = [
      ['roses', 'rose'],
      ['houses', 'house'],
      ['noses', 'nose'],
      ['gloss', 'gloss'],
      ['kisses', 'kiss'],
      ['misses', 'miss'],
    ] as const;
    const corpus = pairs.flatMap(([form, lemma]) =>
      Array.from({ length: 3 }, () => ({
        ...{ tokens: [form, 'x'], tags: ['NOUN', 'X'] },
        columns: { lemma: [lemma, '_'] },
      })),
    );
    const templates = ['U1:%suffix[0,0,3]', 'U2:%x[0,tags]'];
    const trainWith = (lemma: string[]) =>
      train({
        ...{ corpus, features: { templates: ['U1:%x[0,0]', 'U2:%suffix[0,0,2]'] } },
        columns: { lemma: { as: 'script', templates: lemma } },
      });
    const { tagger } = await trainWith(templates);
    const layer = tagger.model.bundle!.stored.layers[0]!;
    const labels = readTaggingModel(layer.bytes).labels.names;
    // Words without a value teach nothing.
    expect(labels.every(label => applyScript('x', label) !== '_')).toBe(true);
    const { results } = tagger.analyze(['glosses']);
    expect(results!.lemma).toEqual(['gloss']);
    // With a bigram words are looked at in their sentences, and settled ones are still looked up.
    const inSentences = await trainWith([...templates, 'B']);
    const found = inSentences.tagger.analyze(['glosses', 'roses']);
    expect(found.results!.lemma).toEqual(['gloss', 'rose']);
  });
});
