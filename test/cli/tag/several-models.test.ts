import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { from, lastValueFrom, toArray } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TagstreamError } from '../../../src/engine/core/errors.js';
import type { Document } from '../../../src/engine/core/sentence/document.js';
import { bundleModels } from '../../../src/engine/models/files/bundle-models.js';
import { readTaggingModel, requireReadable } from '../../../src/engine/models/files/model-file.js';
import { Tagger } from '../../../src/engine/models/tagger.js';
import { batch } from '../../../src/engine/operators/batch.js';
import { featurize } from '../../../src/engine/operators/featurize.js';
import { tag as operatorTag } from '../../../src/engine/operators/tag.js';
import { tokenize } from '../../../src/engine/operators/tokenize.js';
import { Tagger as PageTagger } from '../../../src/entries/browser.js';
import { loadTagger } from '../../../src/runtime/io/load-tagger.js';
import { type NamedModel, readModelBytes } from '../../../src/runtime/io/read-model-bytes.js';
import { TaggerPool } from '../../../src/runtime/pipeline/tagging/service/tagger-pool.js';
import { train } from '../../../src/runtime/pipeline/training/train.js';
import { createService } from '../../../src/service/serve/service.js';
import { smallTreebank } from '../../engine/text/characters/small-treebank.js';
import { everyNth } from '../../house/long-forms.js';
import { tagstream } from '../commands/run-command.js';
import { trainHere } from '../commands/train-here.js';

const words = ['Anna', 'sees', 'the', 'dog', 'in', 'Oslo', '.'];
const parts = ['PROPN', 'VERB', 'DET', 'NOUN', 'ADP', 'PROPN', 'PUNCT'];
const names = ['B-PER', 'O', 'O', 'O', 'O', 'B-LOC', 'O'];

let folder: string;
const path = (name: string) => join(folder, name);
const bytes = (name: string) => readFileSync(path(name));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'several-'));
  const templates = ['U1:%x[0,0]'];
  const pos = await train({ corpus: [{ tokens: words, tags: parts }], features: { templates } });
  // Names are told by parts of speech alone, and by the word behind.
  const columns = { pos: parts };
  const ner = await train({
    corpus: [{ tokens: words, tags: names, columns }],
    features: { templates: ['U1:%x[0,pos]', 'U2:%x[1,0]'] },
  });
  writeFileSync(path('pos.model'), pos.bytes);
  writeFileSync(path('ner.model'), ner.bytes);
  const records = [
    { id: 1, text: 'Anna sees Oslo. The dog sees Anna.' },
    { id: 2, tokens: ['Anna', 'sees'], columns: { pos: ['X', 'X'], other: [1, 2] } },
    { id: 3, tokens: [] },
    { id: 4, text: 'The dog.', columns: 'theirs' },
  ];
  writeFileSync(path('in.ndjson'), records.map(record => `${JSON.stringify(record)}\n`).join(''));
  const conllu = (rows: string) =>
    rows.replaceAll(
      /^(\d+\t(\S+)\t)_(\t\S+\t_\t)_/gm,
      (_, id, form, more) => `${id}${form.toLowerCase()}${more}N=${form.length % 2}`,
    );
  writeFileSync(path('treebank.conllu'), conllu(smallTreebank(60, 5)));
  writeFileSync(
    path('own.yaml'),
    `version: 1
name: own
source: { conllu: { files: [treebank.conllu] } }
stages:
  - tokenize: { tokenizer: learned }
  - featurize: { templates: ["U00:%x[0,0]", "B"] }
  - batch: { sentences: 1 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.1 } }
columns:
  feats: { as: dictionary, templates: ["U00:%x[0,0]"] }
  lemma: { as: script, templates: ["U00:%x[0,0]"] }
train: { epochs: 2 }
model: own.model
`,
  );
  await trainHere(path('own.yaml'));
  const letters = 'Anna sees the dog in Oslo.'.split(/ |(?=\.)/);
  const characters = await train({
    corpus: [
      {
        tokens: letters.flatMap(word => [...word]),
        tags: letters.flatMap(word => Array.from(word, (_, i) => (i === 0 ? 'B' : 'I'))),
      },
    ],
    features: { templates: ['U0:%x[0,0]', 'U1:%x[-1,0]/%x[0,0]'] },
    tokenize: { tokenizer: 'characters' },
  });
  writeFileSync(path('characters.model'), characters.bytes);
  writeFileSync(path('page.txt'), `${letter.join('\n')}\n`);
  const texts = letter.map((text, id) => `${JSON.stringify({ id, text })}\n`);
  writeFileSync(path('letter.ndjson'), texts.join(''));
});

afterAll(() => rmSync(folder, { recursive: true }));

const both = ['--model', 'pos.model', '--model', 'ner.model', '--column', 'pos'];
const tag = (...more: string[]) => tagstream(['tag', ...both, ...more], { cwd: folder });

describe('several models in one run', () => {
  it('write each its own column, later ones by what those before found', {
    tags: 'slow',
  }, async () => {
    const { stdout, stderr, code } = await tag('in.ndjson');
    expect([code, stderr]).toEqual([0, expect.stringContaining('nlp')]);
    const [first, second, third, fourth] = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(first.tags.slice(0, 3)).toEqual(['PROPN', 'VERB', 'PROPN']);
    expect(first.columns.ner.slice(0, 3)).toEqual(['B-PER', 'O', 'B-LOC']);
    expect(first.columns.ner).toHaveLength(first.tokens.length);
    expect(first.spans[0]).toMatchObject({ label: 'PER', start: 0, end: 1, offsets: [0, 4] });
    // A column of the record is replaced in what the model sees, and others stay.
    expect(second.columns).toEqual({ pos: ['X', 'X'], other: [1, 2], ner: ['B-PER', 'O'] });
    expect(third.columns).toEqual({ ner: [] });
    expect(fourth).toMatchObject({
      columns: 'theirs',
      nlp: { columns: { ner: expect.any(Array) } },
    });
  });

  it('write the same bytes in workers, by code, in a pool and again', {
    tags: 'slow',
  }, async () => {
    const { stdout } = await tag('in.ndjson');
    expect((await tag('in.ndjson', '--workers', '2')).stdout).toBe(stdout);
    const whole = bundleModels([
      { bytes: bytes('pos.model'), source: 'pos.model', column: 'pos' },
      { bytes: bytes('ner.model'), source: 'ner.model' },
    ]);
    writeFileSync(path('whole.model'), whole);
    const bundled = await tagstream(['tag', '--model', 'whole.model', 'in.ndjson'], {
      cwd: folder,
    });
    expect(bundled.stdout).toBe(stdout);
    const [first] = stdout.split('\n').map(line => line && JSON.parse(line));
    const tagger = Tagger.fromBytes(whole);
    const { results, tags, spans } = tagger.tagText(first.text);
    expect({ tags, columns: { ...results }, spans }).toEqual({
      ...{ tags: first.tags, columns: first.columns, spans: first.spans },
    });
    expect({ ...tagger.analyze(['Anna', 'sees']).results }).toEqual({ ner: ['B-PER', 'O'] });
    const pool = await TaggerPool.load([
      { file: path('pos.model'), column: 'pos' },
      path('ner.model'),
    ]);
    try {
      expect({ ...(await pool.tagText(first.text)).results }).toEqual(first.columns);
    } finally {
      await pool.close();
    }
    writeFileSync(path('once.ndjson'), stdout);
    const again = await tag('once.ndjson');
    const lines = (text: string) =>
      text
        .trim()
        .split('\n')
        .map(line => ({ ...JSON.parse(line), gold: undefined }));
    expect(lines(again.stdout)).toEqual(lines(stdout));
  });

  it('become one file by the command, with the tokenizer of another', {
    tags: 'slow',
  }, async () => {
    const named = ['--column', 'pos', '--column', 'ner', '--tokenizer', 'own.model'];
    const { code, stderr } = await tagstream(
      ['export', 'pos.model', 'ner.model', ...named, '--out', 'exported.model', '--js', 'both.mjs'],
      { cwd: folder },
    );
    expect(code, stderr).toBe(0);
    const expected = bundleModels(
      [
        { bytes: bytes('pos.model'), column: 'pos' },
        { bytes: bytes('ner.model'), column: 'ner' },
      ],
      { tokenizer: { bytes: bytes('own.model') } },
    );
    expect(bytes('exported.model').equals(expected)).toBe(true);
    const { tagger } = (await import(pathToFileURL(path('both.mjs')).href)) as { tagger: Tagger };
    const text = 'Anna sees Oslo. The dog sees Anna.';
    expect(tagger.tagText(text)).toEqual(Tagger.fromBytes(expected).tagText(text));
    const refused = async (...given: string[]) => {
      const answer = await tagstream(['export', ...given], { cwd: folder });
      expect(answer.code, answer.stderr).toBeGreaterThan(0);
      return answer.stderr;
    };
    expect(
      await refused('pos.model', '--column', 'a', '--column', 'b', '--out', 'x.model'),
    ).toContain('--column b belongs to no model');
    expect(await refused('pos.model', 'ner.model', '--out', 'ner.model')).toContain('ner.model');
    expect(await refused('pos.model', '--tokenizer', 'ner.model', '--out', 'x.model')).toContain(
      'tokenizer',
    );
  });

  it('write the same bytes by a pipeline file, in workers too', { tags: 'slow' }, async () => {
    const { stdout } = await tag('in.ndjson');
    const models = '[{ file: pos.model, column: pos }, ner.model]';
    const yaml = (given: string) =>
      [
        'version: 1',
        'name: both',
        'source: { ndjson: { files: [in.ndjson] } }',
        `stages: [tokenize, { featurize: { model: ${given} } }, batch, tag]`,
      ].join('\n');
    writeFileSync(path('both.yaml'), yaml(models));
    const ran = await tagstream(['run', 'both.yaml'], { cwd: folder });
    expect([ran.code, ran.stdout]).toEqual([0, stdout]);
    const threads = await tagstream(['run', 'both.yaml', '--workers', '2'], { cwd: folder });
    expect([threads.code, threads.stdout]).toEqual([0, stdout]);
    const dry = await tagstream(['run', 'both.yaml', '--dry-run'], { cwd: folder });
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('B-PER')]);
    writeFileSync(path('registry.yaml'), yaml('[pos.model, "nats://ner@live"]'));
    const registry = await tagstream(['validate', 'registry.yaml'], { cwd: folder });
    expect(registry.stderr).toContain('only the first of several models can come from a registry');
  });

  it('come out of the operators alike', { tags: 'slow' }, async () => {
    const { stdout } = await tag('in.ndjson');
    const expected = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
      .map(({ columns, nlp }) => (nlp ?? { columns }).columns.ner);
    const model = readTaggingModel(
      bundleModels([
        { bytes: bytes('pos.model'), column: 'pos' },
        { bytes: bytes('ner.model'), column: 'ner' },
      ]),
    );
    const records = readFileSync(path('in.ndjson'), 'utf8').trim().split('\n');
    const documents = records.map((line): Document => {
      const { columns, ...record } = JSON.parse(line);
      return typeof columns === 'object' ? { ...record, columns } : record;
    });
    const found = await lastValueFrom(
      from(documents).pipe(tokenize(), featurize(model), batch(), operatorTag(model), toArray()),
    );
    const byDocument = documents.map(document =>
      found
        .filter(sentence => sentence.document === document)
        .flatMap(({ results }) => results!.ner!),
    );
    expect(byDocument).toEqual(expected);
    // One tagger after the other, each with its column.
    const [pos, ner] = ['pos.model', 'ner.model'].map(name => readTaggingModel(bytes(name)));
    const tagged = from(documents).pipe(
      ...([tokenize(), featurize(pos!), batch(), operatorTag(pos!, { into: 'pos' })] as const),
      ...([featurize(ner!), batch(), operatorTag(ner!, { into: 'ner' })] as const),
      toArray(),
    );
    const own = await lastValueFrom(tagged);
    const plain = ({ tokens, tags, results }: (typeof found)[number]) => ({
      ...{ tokens, tags, results: { ...results } },
    });
    expect(own.map(plain)).toEqual(found.map(plain));
  });

  it('refuse one behind the first that looks at other sentences of the document', async () => {
    const templates = ['U1:%x[0,0]', 'U2:%document[0,0,case]'];
    const far = await train({ corpus: [{ tokens: words, tags: names }], features: { templates } });
    writeFileSync(path('far.model'), far.bytes);
    const behind = ['--model', 'pos.model', '--model', 'far.model'];
    const { stderr, code } = await tagstream(['tag', ...behind, 'in.ndjson'], { cwd: folder });
    expect(code).not.toBe(0);
    expect(stderr).toContain('column "far" looks at other sentences of the document (%document)');
    const ahead = ['--model', 'far.model', '--column', 'ner', '--model', 'pos.model'];
    expect((await tagstream(['tag', ...ahead, 'in.ndjson'], { cwd: folder })).code).toBe(0);
    const columns = { pos: {} };
    const corpus = Array(9).fill({ tokens: words, tags: names, columns: { pos: parts } });
    await expect(train({ corpus, columns, features: { templates } })).rejects.toThrow(
      'columns.pos: a further column cannot look at other sentences',
    );
  });

  it('fill the columns of CoNLL-U, and attributes of MISC', { tags: 'slow' }, async () => {
    writeFileSync(path('letter.txt'), 'Anna sees Oslo.\n');
    const { stdout } = await tag('--to', 'conllu', 'letter.txt');
    const rows = stdout.split('\n').filter(row => /^\d/.test(row));
    expect(rows).toEqual([
      '1\tAnna\t_\tPROPN\t_\t_\t_\t_\t_\tner=B-PER',
      '2\tsees\t_\tVERB\t_\t_\t_\t_\t_\t_',
      '3\tOslo\t_\tPROPN\t_\t_\t_\t_\t_\tner=B-LOC|SpaceAfter=No',
      '4\t.\t_\tPUNCT\t_\t_\t_\t_\t_\t_',
    ]);
    writeFileSync(path('rows.conllu'), stdout);
    const onto = await tag('--column', 'feats', 'rows.conllu');
    expect(onto.stdout.split('\n')[4]).toBe('1\tAnna\t_\tPROPN\t_\tB-PER\t_\t_\t_\tner=B-PER');
    const conll = await tag('--to', 'conll', 'letter.txt');
    expect(conll.stdout.split('\n')[0]).toBe('Anna _ PROPN B-PER');
  });

  it('refuses formats with a place for one tag, and columns that two have', async () => {
    writeFileSync(path('letter.txt'), 'Anna sees Oslo.\n');
    const slash = await tag('--to', 'slash', 'letter.txt');
    expect(slash.stderr).toContain('the format slash has room for the tags of only one');
    const workers = await tag('--to', 'slash', '--workers', '2', 'letter.txt');
    expect(workers.stderr).toContain('the format slash has room for the tags of only one');
    const twice = await tag('--column', 'pos', 'letter.txt');
    expect(twice.stderr).toContain('two models have their tags in the column "pos"');
    const more = await tag('--column', 'a', '--column', 'b', 'letter.txt');
    expect(more.stderr).toContain('--column b belongs to no model');
  });

  it('are scored on the columns that they are named after', { tags: 'slow' }, async () => {
    const gold = { text: words.join(' '), tokens: words, tags: parts };
    const ner = names.map((name, i) => (i === 0 ? 'O' : name));
    writeFileSync(path('gold.ndjson'), `${JSON.stringify({ ...gold, columns: { ner } })}\n`);
    const score = async (...more: string[]) => {
      const { stdout } = await tagstream(['eval', 'gold.ndjson', '--json', ...both, ...more], {
        cwd: folder,
      });
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    const scores = await score();
    expect(scores).toMatchObject({ accuracy: 100, columns: { ner: { tokens: 7, right: 6 } } });
    const { fromText } = await score('--from-text');
    expect(fromText).toMatchObject({ pos: { f1: 1 }, ner: { f1: 6 / 7 } });
    writeFileSync(
      path('whole.model'),
      bundleModels([
        { bytes: bytes('pos.model'), column: 'pos' },
        { bytes: bytes('ner.model'), column: 'ner' },
      ]),
    );
    const one = ['eval', 'gold.ndjson', '--json', '--model', 'whole.model'];
    const { stdout } = await tagstream(one, { cwd: folder });
    expect(JSON.parse(stdout)).toEqual(scores);
    const more = await tagstream(
      ['eval', 'gold.ndjson', ...both, '--column', 'a', '--column', 'b'],
      {
        cwd: folder,
      },
    );
    expect(more.stderr).toContain('--column b belongs to no model');
  });

  it('are one file, whose damage names the layer', () => {
    const pos = bytes('pos.model');
    expect(bundleModels([{ bytes: pos }])).toBe(pos);
    const ner = { bytes: bytes('ner.model'), source: 'ner.model' };
    const whole = bundleModels([{ bytes: pos, column: 'pos' }, ner]);
    // A bundle brings its layers along.
    const more = bundleModels([{ bytes: whole }, { ...ner, column: 'again' }]);
    const stored = readTaggingModel(more).bundle!.stored;
    expect([stored.column, ...stored.layers.map(layer => layer.column)]).toEqual([
      ...['pos', 'ner', 'again'],
    ]);
    const turned = bundleModels([{ ...ner, column: 'other' }, { bytes: whole }]);
    expect(readTaggingModel(turned).bundle!.stored.layers.map(layer => layer.column)).toEqual([
      ...['pos', 'ner'],
    ]);
    // The layers of a file are read from it part by part, and again when they are asked for.
    writeFileSync(path('layers.model'), whole);
    const [layer] = loadTagger(path('layers.model')).model.bundle!.stored.layers;
    expect(layer!.bytes).toEqual(readTaggingModel(whole).bundle!.stored.layers[0]!.bytes);
    expect(Buffer.from(whole).indexOf(layer!.bytes)).toBeGreaterThan(0);
    const turnedBit = Uint8Array.from(whole);
    turnedBit[Buffer.from(whole).lastIndexOf('TSGM') + layer!.bytes.length - 9]! ^= 1;
    writeFileSync(path('layers.model'), turnedBit);
    expect(() => loadTagger(path('layers.model'))).toThrow(
      /its layer "ner": the model file is damaged: the checksum of section \S+ is wrong/,
    );
    const damaged = Uint8Array.from(whole);
    const at = Buffer.from(whole).lastIndexOf('TSGM');
    // Behind the preamble of the layer, with checksums around it that fit.
    damaged[at + 30]! ^= 1;
    expect(() => readTaggingModel(damaged, 'w')).toThrow(/checksum of section layer.0/);
    const fixed = bundleModels([{ bytes: pos, column: 'pos' }, ner]);
    const { layers, column } = readTaggingModel(fixed).bundle!.stored;
    expect([column, layers[0]!.codec.name]).toEqual(['pos', 'plain']);
    const cut = () => bundleModels([{ bytes: pos }, { ...ner, bytes: ner.bytes.subarray(0, 99) }]);
    expect(cut).toThrow(
      expect.objectContaining({ place: { source: 'ner.model' } }) as TagstreamError,
    );
    expect(requireReadable(whole, 'w')).toBeUndefined();
  });
});

/** What tags raw text: model files, and another one that divides texts. */
const bundles: readonly {
  readonly name: string;
  readonly models: readonly NamedModel[];
  readonly tokenizer?: string;
}[] = [
  { name: 'a bundle', models: [{ file: 'own.model' }] },
  { name: 'a tokenizer of another file', models: [{ file: 'pos.model' }], tokenizer: 'own.model' },
  {
    name: 'a tagger of characters',
    models: [{ file: 'pos.model' }],
    tokenizer: 'characters.model',
  },
  {
    name: 'a bundle and another model',
    models: [{ file: 'own.model', column: 'pos' }, { file: 'ner.model' }],
  },
  {
    name: 'several models and a tokenizer',
    models: [{ file: 'pos.model', column: 'pos' }, { file: 'ner.model' }],
    tokenizer: 'own.model',
  },
];

const letter = [
  ...["The dog doesn't a cat. Anna sees the dog in Oslo.", '', 'The U.S. sees Dr. Low!', ' '],
  ...['A\u{10400} e\u0301 dog\u00a0doesn\u2019t .', 'Anna'],
];

for (const part of everyNth(4, bundles)) {
  describe.each(part.rows)('$name', { tags: part.tags }, ({ models, tokenizer }) => {
    const named = [
      ...models.flatMap(({ file }) => ['--model', file]),
      ...models.flatMap(({ column }) => (column === undefined ? [] : ['--column', column])),
      ...(tokenizer === undefined ? [] : ['--tokenizer', tokenizer]),
    ];
    const tagWith = async (words: readonly string[], stdin = '') => {
      const { stdout, stderr, code } = await tagstream(['tag', ...named, ...words], {
        cwd: folder,
        stdin,
      });
      // CoNLL-U has no sentence without words, so blank texts are skipped.
      const bad = words.includes('conllu')
        ? /[1-9]\d* bad records? \((?!\d+ empty-sentence\))/
        : /bad record/;
      expect([code, stderr]).toEqual([0, expect.not.stringMatching(bad)]);
      return stdout;
    };
    const wholes = () => {
      const [first, ...further] = models.map(({ file, column }) => ({ file: path(file), column }));
      return readModelBytes({
        ...first!,
        further,
        tokenizer: tokenizer === undefined ? undefined : path(tokenizer),
      });
    };

    it.each([
      { of: 'ndjson', to: [], accept: 'application/x-ndjson' },
      { of: 'ndjson', to: ['--to', 'conllu'], accept: 'text/x-conllu' },
      { of: 'text', to: ['--to', 'conllu'] },
      { of: 'text', to: [] },
    ])(
      'writes the same of $of by all that write, $to',
      { tags: 'slow' },
      async ({ of, to, accept }) => {
        const input = of === 'text' ? 'page.txt' : 'letter.ndjson';
        const expected = await tagWith([input, ...to]);
        expect(expected).toContain(
          to.length > 0 ? '# text = The U.S. sees Dr. Low!' : '"offsets":',
        );
        const piped = ['--format', of, ...to];
        expect(await tagWith(piped, readFileSync(path(input), 'utf8'))).toBe(expected);
        expect(await tagWith([input, ...to, '--workers', '2'])).toBe(expected);
        // A record at a time.
        expect(await tagWith([input, ...to, '--limit', '99'])).toBe(expected);
        writeFileSync(path('whole.model'), wholes());
        const whole = await tagstream(['tag', '--model', 'whole.model', input, ...to], {
          cwd: folder,
        });
        expect(whole.stdout).toBe(expected);
        if (accept === undefined) return;
        const service = await createService({ models: { whole: path('whole.model') }, threads: 1 });
        try {
          const headers = { 'content-type': 'application/x-ndjson', accept };
          const body = bytes(input);
          const url = 'http://localhost/v1/tag';
          const answer = await service.fetch(new Request(url, { method: 'POST', headers, body }));
          expect(await answer.text()).toBe(expected);
        } finally {
          await service.close();
        }
      },
    );

    it('writes the same by a pipeline file', async () => {
      const expected = await tagWith(['letter.ndjson']);
      const given = models.map(({ file, column }) =>
        column === undefined ? file : `{ file: ${file}, column: ${column} }`,
      );
      const yaml = [
        'version: 1',
        'name: product',
        'source: { ndjson: { files: [letter.ndjson] } }',
        'stages:',
        // Without options the models say how texts are divided.
        `  - tokenize: ${tokenizer === undefined ? '{}' : `{ model: ${tokenizer} }`}`,
        `  - featurize: { model: ${given.length === 1 ? given[0] : `[${given.join(', ')}]`} }`,
        '  - batch',
        '  - tag',
      ];
      writeFileSync(path('product.yaml'), yaml.join('\n'));
      const ran = await tagstream(['run', 'product.yaml'], { cwd: folder });
      expect([ran.code, ran.stdout]).toEqual([0, expected]);
      const threads = await tagstream(['run', 'product.yaml', '--workers', '2'], { cwd: folder });
      expect([threads.code, threads.stdout]).toEqual([0, expected]);
    });

    it('finds the same in code, in a pool and in a page', async () => {
      const lines = (await tagWith(['letter.ndjson'])).trim().split('\n');
      const records = lines.map(line => JSON.parse(line));
      const whole = wholes();
      writeFileSync(path('whole.model'), whole);
      const paths = models.map(model => ({ ...model, file: path(model.file) }));
      const divided = tokenizer === undefined ? {} : { tokenizer: path(tokenizer) };
      const pool = await TaggerPool.load(paths, { ...divided, threads: 1 });
      const taggers = [
        Tagger.fromBytes(whole),
        loadTagger(path('whole.model')),
        PageTagger.fromBytes(whole),
        ...(models.length === 1 ? [loadTagger(paths[0]!.file, divided)] : []),
      ];
      try {
        for (const [i, text] of letter.entries()) {
          const { tokens, offsets, tags, columns, spans, sentences } = records[i];
          const expected = { tokens, offsets, tags, columns, spans };
          for (const tagger of [...taggers, pool]) {
            const found = await tagger.tagText(text);
            const { results } = found;
            expect({
              ...{ tokens: found.tokens, offsets: found.offsets, tags: found.tags },
              ...{ columns: results && { ...results }, spans: found.spans },
            }).toEqual(expected);
            expect(found.sentences).toEqual(
              sentences ?? (tokens.length === 0 ? [] : [[0, tokens.length]]),
            );
          }
        }
      } finally {
        await pool.close();
      }
    });
  });
}
