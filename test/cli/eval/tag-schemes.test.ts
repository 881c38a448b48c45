import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { evaluateModel } from '../../../src/cli/eval/eval-file.js';
import { readTaggingModel } from '../../../src/engine/models/files/model-file.js';
import { kernels } from '../../../src/engine/models/kernels.js';
import { convertTags } from '../../../src/engine/text/tags/convert-tags.js';
import { describeSchemes } from '../../../src/engine/text/tags/detect-scheme.js';
import { type SpanScheme, spanSchemes } from '../../../src/engine/text/tags/tag-scheme.js';
import { conllCodec } from '../../../src/formats/codecs/conll/conll-codec.js';
import { everyNth } from '../../house/long-forms.js';
import { tagstream } from '../commands/run-command.js';
import { trainHere } from '../commands/train-here.js';
import { workspace } from '../commands/workspace.js';

const folder = workspace();

/** Sentences with their tags in BIO; in all schemes their spans are told from each other by single tags. */
const sentences = [
  'Ann/B-PER saw/O Bob/B-PER Smith/I-PER',
  'Eva/B-PER van/I-PER Lind/I-PER sat/O',
  'the/O mat/O in/O Oslo/B-LOC',
  'Ann/B-PER Oslo/B-LOC saw/O',
  'Bob/B-PER sat/O',
];

function rowsOf(scheme: SpanScheme | 'none'): string {
  const blocks = sentences.map(text => {
    const cells = text.split(' ').map(cell => cell.split('/') as [string, string]);
    const bio = cells.map(([, tag]) => tag);
    const tags =
      scheme === 'none' ? bio.map(tag => tag.replace(/^..(?=.)/, '')) : convertTags(bio, scheme);
    return cells.map(([form], t) => `${form} ${tags[t]}\n`).join('');
  });
  return `${blocks.join('\n')}\n`;
}

const path = (name: string) => join(folder, name);
const models: readonly SpanScheme[] = ['BIO', 'IOB1', 'IOE2', 'BIOES', 'BILOU', 'BMES', 'BMEWO'];

function pipelineOf(scheme: string, more = ''): string {
  const file = path(`${scheme}${more === '' ? '' : '-labels'}.yaml`);
  writeFileSync(
    file,
    `version: 1
name: ${scheme}
source: { conll: { files: [${scheme}.conll], columns: [form, tag] } }
stages:
  - featurize: { templates: ["U00:%x[0,0]", "U01:%x[-1,0]/%x[0,0]", "U02:%x[0,0]/%x[1,0]", "B"]${more} }
  - batch: { sentences: 1 }
  - contribute
  - optimize: { sgd: { eta0: 0.5 } }
train: { epochs: 30, seed: 1 }
model: ${scheme}.model
`,
  );
  return file;
}

const modelOf = (scheme: string) => path(`${scheme}.model`);

beforeAll(async () => {
  for (const scheme of [...spanSchemes, 'none'] as const) {
    writeFileSync(path(`${scheme}.conll`), rowsOf(scheme));
  }
  for (const scheme of models) {
    await trainHere(pipelineOf(scheme));
  }
}, 120_000);

/** Schemes that only differ at spans that touch, of which there are none of one type. */
const same = (gold: SpanScheme, model: SpanScheme) =>
  gold === model ||
  (['IO', 'IOB1', 'IOE1'].includes(gold) === ['IO', 'IOB1', 'IOE1'].includes(model) &&
    ['IO', 'IOB1', 'IOE1'].includes(gold));

describe.each(models)('a model of %s', model => {
  for (const { rows, tags } of everyNth(20, spanSchemes)) {
    it.each(rows)('is exactly right on %s', { tags }, async gold => {
      const file = modelOf(model);
      const tagger = readTaggingModel(readFileSync(file), file, kernels.simd);
      const files = [path(`${gold}.conll`)];
      const input = { name: gold, files, codec: conllCodec({ columns: ['form', 'tag'] }) };
      const options = { probabilities: true, decoding: {}, errors: 9 };
      const evaluation = await evaluateModel(tagger, input, options);
      const report = evaluation.report();
      expect(report).toMatchObject({ f1: 100, accuracy: 100, tagF1: 100, confusions: [] });
      expect([report.schemes === undefined, evaluation.errors]).toEqual([same(gold, model), []]);
    });
  }
});

describe('tagstream eval', () => {
  it('says which schemes are compared, in text, JSON and page', async () => {
    const given = ['eval', path('BILOU.conll'), '--model', modelOf('BIO')];
    const note = describeSchemes({ gold: 'BILOU', model: 'BIO' });
    const [text, json] = await Promise.all([tagstream(given), tagstream([...given, '--json'])]);
    expect(text.stdout.split('\n')[1]).toBe(note);
    expect(JSON.parse(json.stdout).schemes).toEqual({ gold: 'BILOU', model: 'BIO' });
    const page = path('page.html');
    await tagstream([...given, '--html', page]);
    expect(readFileSync(page, 'utf8')).toContain(note.replace("'", '&#39;'));
  });

  it('says that gold tags mark no spans', async () => {
    const { stdout } = await tagstream(['eval', path('none.conll'), '--model', modelOf('BIO')]);
    expect(stdout).toContain(describeSchemes({ gold: 'none', model: 'BIO' }));
  });

  it('scores single tags of another scheme: U- for B-', async () => {
    const file = path('single.conll');
    writeFileSync(file, 'Ann U-PER\nsaw O\nBob U-PER\n\n');
    writeFileSync(path('single-bio.conll'), 'Ann B-PER\nsaw O\nBob B-PER\n\n');
    const of = async (name: string) => {
      const { stdout } = await tagstream(['eval', path(name), '--model', modelOf('BIO'), '--json']);
      return JSON.parse(stdout);
    };
    const { schemes, ...scores } = await of('single.conll');
    expect(schemes).toEqual({ gold: 'BILOU', model: 'BIO' });
    expect(scores).toEqual(await of('single-bio.conll'));
  });
});

describe('tagstream train', () => {
  it.each(['BILOU', 'IOB1', 'BMES'])(
    'with encode: bioes learns from %s, and reports BIO',
    { tags: 'slow' },
    async scheme => {
      const file = pipelineOf(scheme, `, encode: bioes`);
      const { stdout, stderr } = await tagstream([
        ...['train', file, '--model', path('encoded.model'), '--json'],
        ...['--set', `test={conll: {files: [${scheme}.conll], columns: [form, tag]}}`],
      ]);
      const { test } = JSON.parse(stdout);
      expect([test.f1, test.accuracy, test.schemes.model, stderr]).toEqual([
        100,
        100,
        'BIO',
        expect.any(String),
      ]);
    },
  );

  it('finds spans by a model of BILOU', async () => {
    const { stdout } = await tagstream(['tag', '--model', modelOf('BILOU')], {
      stdin: '{"tokens":["Eva","van","Lind","sat"]}\n',
    });
    expect(JSON.parse(stdout)).toMatchObject({
      tags: ['B-PER', 'I-PER', 'L-PER', 'O'],
      spans: [{ label: 'PER', start: 0, end: 3 }],
    });
  });
});
