import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  estimateWarnings,
  nextStep,
} from '../../../../../src/cli/report/estimate/format-estimate.js';
import { Random } from '../../../../../src/engine/core/random.js';
import { gazetteer } from '../../../../../src/engine/features/resources/gazetteer.js';
import { quantisedVectors } from '../../../../../src/engine/features/resources/quantised-vectors.js';
import { readTaggingModel } from '../../../../../src/engine/models/files/model-file.js';
import { optimizers } from '../../../../../src/engine/optimizers/optimizers.js';
import { loadPipeline } from '../../../../../src/runtime/pipeline/loading/load-pipeline.js';
import type { EstimatedPart } from '../../../../../src/runtime/pipeline/run/estimate/estimate-parts.js';
import { estimatePipeline } from '../../../../../src/runtime/pipeline/run/estimate/estimate-pipeline.js';
import {
  estimateTraining,
  grownBy,
} from '../../../../../src/runtime/pipeline/run/estimate/training-estimate.js';
import { tagstreamProcess } from '../../../../cli/commands/run-command.js';
import { workspace } from '../../../../cli/commands/workspace.js';
import { corpora, corporaPresent } from '../../../../house/corpora/corpora.js';
import { isNightly } from '../../../../house/long-forms.js';

const sgd = optimizers.find(({ name }) => name === 'sgd')!;

const folder = workspace();
const shipped = (name: string) =>
  resolve(import.meta.dirname, `../../../../../pipelines/${name}.yaml`);

const present = corporaPresent('estimates of training');

/** What a command took is within this factor of what was said. */
const factor = 1.5;

beforeAll(() => {
  writeFileSync(
    join(folder, 'peak.mjs'),
    `import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
// Of this program alone: maxRSS begins with what the process had that started it.
const peak = () => Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
if (isMainThread) process.on('exit', () => process.stderr.write('peak ' + 1024 * peak() + '\\n'));
`,
  );
});

async function command(...given: string[]) {
  const env = {
    TAGSTREAM_CORPORA: corpora,
    NODE_OPTIONS: `--import ${join(folder, 'peak.mjs')}`,
  };
  const outcome = await tagstreamProcess(given, { cwd: folder, env });
  expect(outcome.code, outcome.stderr).toBe(0);
  return { ...outcome, peak: Number(/^peak (\d+)$/m.exec(outcome.stderr)![1]) };
}

function expectNear(said: number, found: number, what: string, within = factor): void {
  expect(said / found, `${what}: ${said} for ${found}`).toBeLessThan(within);
  expect(found / said, `${what}: ${said} for ${found}`).toBeLessThan(within);
}

/** What is foreseen, and said when the corpus has been read, is near what training takes. */
async function expectTrue(pipeline: string, ...set: string[]) {
  const settings = set.flatMap(one => ['--set', one]);
  const dry = await command('train', pipeline, '--dry-run', '--json', ...settings);
  const { estimate } = JSON.parse(dry.stdout);
  const trained = await command(
    'train',
    pipeline,
    '--json',
    '--model',
    'm.model',
    '--force',
    ...settings,
  );
  const { modelBytes } = JSON.parse(trained.stdout);
  const log = trained.stderr.split('\n').find(line => line.includes('estimate: '))!;
  const memory = /memory about ([\d.]+) (MB|GB)/.exec(log)!;
  expectNear(estimate.memory, trained.peak, 'memory foreseen');
  expectNear(Number(memory[1]) * (memory[2] === 'MB' ? 1e6 : 1e9), trained.peak, 'memory');
  return { model: estimate.model, modelBytes };
}

const starter = join(import.meta.dirname, '../../../../../corpora/starter/train.ndjson');

/** The starter as a treebank, with the tags of names as further parts of speech, and words without endings as lemmas. */
function treebank(): string {
  const records = readFileSync(starter, 'utf8').trim().split('\n');
  const sentences = records.map(line => {
    const { text, tokens, columns, tags } = JSON.parse(line);
    let end = 0;
    const rows = tokens.map((form: string, t: number) => {
      end = text.indexOf(form, end) + form.length;
      const isSpaced = t === tokens.length - 1 || text[end] === ' ';
      const lemma = form.toLowerCase().replace(/(?<=...)(?:ing|ed|e?s)$/, '');
      const cells = [t + 1, form, lemma, columns.upos[t], tags[t], '_', '_', '_', '_'];
      return [...cells, isSpaced ? '_' : 'SpaceAfter=No'].join('\t');
    });
    return `${rows.join('\n')}\n\n`;
  });
  return sentences.join('');
}

/** What is trained: settings of a pipeline, written before; and whether its model file is foreseen, too. */
interface Trained {
  readonly what: string;
  readonly settings?: readonly string[];
  readonly ofFile?: false;
  readonly write: () => Promise<string> | string;
}

async function withAdaGrad(task: string): Promise<string> {
  await command('init', starter, '--task', task, '--out', `${task}.yaml`);
  const file = join(folder, `${task}.yaml`);
  expect(readFileSync(file, 'utf8')).toContain('adagrad');
  return file;
}

const trainings: readonly Trained[] = [
  { what: 'the starter', write: () => shipped('starter') },
  { what: 'AdaGrad for parts of speech', write: () => withAdaGrad('pos') },
  { what: 'AdaGrad for names', write: () => withAdaGrad('ner') },
  {
    what: 'a handful of records',
    write: async () => {
      const record = (i: number) => ({
        tokens: [`Ann${i % 9}`, 'sings', '.'],
        tags: ['N', 'V', 'P'],
      });
      const lines = Array.from({ length: 60 }, (_, i) => `${JSON.stringify(record(i))}\n`);
      writeFileSync(join(folder, 'few.ndjson'), lines.join(''));
      await command('init', 'few.ndjson', '--out', 'few.yaml', '--fast');
      return join(folder, 'few.yaml');
    },
  },
  {
    what: 'hundreds of labels',
    settings: ['train.epochs=1'],
    // What the weights of made-up words come to says nothing of the size of a model file.
    ofFile: false,
    write: async () => {
      const random = new Random(5);
      const skewed = (most: number) => Math.floor(most * (random.below(1e6) / 1e6) ** 3);
      // Words come in phrases, of which few are frequent, and have nearly always the same label.
      const phrases = Array.from({ length: 9000 }, () => [
        skewed(20_000),
        skewed(20_000),
        skewed(300),
      ]);
      const tagged = (word: number) =>
        `w${word.toString(36)}/T${(word * 7 + (random.below(20) === 0 ? 1 : 0)) % 470}`;
      const lines = Array.from({ length: 2500 }, () =>
        Array.from({ length: 6 }, () => phrases[skewed(9000)]!.map(tagged).join(' ')).join(' '),
      );
      writeFileSync(join(folder, 'many.txt'), `${lines.join('\n')}\n`);
      const init = await command('init', 'many.txt', '--out', 'many.yaml');
      expect(init.stderr).toMatch(/^estimate: [\d,]+ features; memory about/m);
      return 'many.yaml';
    },
  },
];

/** They take minutes. */
const large: readonly Trained[] = [
  {
    what: 'chunks',
    settings: ['train.epochs=2', 'train.seeds=1'],
    write: () => shipped('chunk'),
  },
  {
    what: 'Spanish names',
    settings: ['train.epochs=1', 'source.conll.limit=2500'],
    write: () => shipped('ner'),
  },
];

describe('estimates of training', () => {
  it.each([...trainings, ...(present && isNightly ? large : [])])(
    'are true of $what',
    { tags: 'slow' },
    async ({ settings = [], ofFile, write }) => {
      const { model, modelBytes } = await expectTrue(await write(), ...settings);
      if (ofFile !== false) expectNear(model, modelBytes, 'model file');
    },
  );

  it('are true of the tokenizer and the columns of a text pipeline', { tags: 'slow' }, async () => {
    writeFileSync(join(folder, 'text.conllu'), treebank());
    const init = await command('init', 'text.conllu', '--text', '--out', 'text.yaml');
    expect(init.stderr).toMatch(
      /^estimate: [\d,]+ features; memory about .*; model file about [\d.]+ [kM]B \(tokenizer .*; xpos .*; lemma .*; tags .*\)$/m,
    );
    const set = ['train.epochs=4'];
    const said = (await estimatePipeline(loadPipeline(join(folder, 'text.yaml'), { set })))!;
    expect(said.parts!.map(({ what }) => what)).toEqual(['tokenizer', 'xpos', 'lemma', 'tags']);
    const trained = await command('train', 'text.yaml', '--set', ...set);
    const bytes = readFileSync(join(folder, 'text.model'));
    const { tokenizer, bundle } = readTaggingModel(bytes);
    const layers = bundle!.stored.layers.map(
      layer => layer.bytes.length + JSON.stringify(layer.codec).length,
    );
    const parts = [tokenizer!.stored.bytes.length, ...layers];
    const found = [...parts, bytes.length - parts.reduce((sum, part) => sum + part, 0)];
    for (const [i, { what, model }] of said.parts!.entries()) {
      expectNear(model!, found[i]!, what, 2.5);
    }
    expectNear(said.model!, bytes.length, 'model file');
    expectNear(said.memory, trained.peak, 'memory', 2);
    // The whole is that of the parts.
    const sum = (count: (part: EstimatedPart) => number) =>
      said.parts!.reduce((all, part) => all + count(part), 0);
    expect(sum(({ seconds }) => seconds)).toBeCloseTo(said.seconds, 9);
    expect(sum(({ model }) => model!)).toBeCloseTo(said.model!, 3);
    expect(Math.max(...said.parts!.map(({ memory }) => memory))).toBe(said.memory);
  });

  it.runIf(present)(
    'of ways to smaller trainings are those of these trainings',
    { tags: 'slow' },
    async () => {
      const environment = { TAGSTREAM_CORPORA: corpora };
      const part = ['source.conll.limit=2500'];
      const whole = (await estimatePipeline(
        loadPipeline(shipped('chunk'), { environment, set: part }),
      ))!;
      expect(whole.smaller.length).toBeGreaterThan(2);
      for (const { how, estimate } of whole.smaller) {
        const set = [...part, ...how.split(' --set ')];
        const own = (await estimatePipeline(loadPipeline(shipped('chunk'), { environment, set })))!;
        expect(own.memory).toBeLessThan(whole.memory);
        expectNear(estimate.memory, own.memory, how);
      }
    },
  );

  it('name what fits, where the whole does not', () => {
    const size = {
      ...{ sentences: 57_000, tokens: 1_160_000, columns: 0, active: 42, labels: 472 },
      ...{ features: 3_000_000, edges: 0, pairs: undefined },
    };
    const given = { optimizer: sgd, options: { l2: 0.2 }, epochs: 5, workers: 1, compact: true };
    const estimate = estimateTraining(size, { ...given, spec: { support: 'all' } })!;
    const smaller = [
      {
        how: 'a=1',
        estimate: estimateTraining(
          { ...size, features: 2_500_000 },
          { ...given, spec: { support: 'all' } },
        )!,
      },
      {
        how: 'b=2',
        estimate: estimateTraining(
          { ...size, pairs: 4_600_000 },
          { ...given, spec: { support: 'observed', compressed: true } },
        )!,
      },
    ];
    const [warning] = estimateWarnings({ ...estimate, smaller, compact: true }, 16e9);
    expect(warning).toBe(
      'its weights take about 5.7 GB, but the limit is 4.3 GB; what fits: --set b=2 (about 1 GB)',
    );
    const [without] = estimateWarnings({ ...estimate, smaller: [], compact: true }, 16e9);
    expect(without).toContain('take part of the corpus');
    const large = (compact: boolean) =>
      estimateWarnings({ ...estimate, smaller, model: 3e7, compact }, 16e9)[1];
    expect(large(false)).toContain(
      'will have about 30 MB; --set train.compact=true rounds weights',
    );
    expect(large(true)).toContain('30 MB; --set stages.featurize.cutoff=2 drops features');
    expect(estimateWarnings({ ...smaller[1]!.estimate, smaller, compact: true }, 16e9)).toEqual([]);
    const next = (foreseen: object) =>
      nextStep('x.yaml', { ...estimate, smaller, compact: true, ...foreseen }, 16e9);
    expect(next({})).toBe('next: tagstream train x.yaml --set b=2');
    expect(next({ smaller: [] })).toMatch(/^it does not fit here: take part of the corpus/);
    expect(next(smaller[1]!.estimate)).toBe('next: tagstream train x.yaml');
  });

  it('count each of several seeds, and the sum of their weights', () => {
    const size = {
      ...{ sentences: 9000, tokens: 200_000, columns: 0, active: 20, labels: 8 },
      ...{ features: 100_000, edges: 0, pairs: undefined },
    };
    const given = { optimizer: sgd, options: { l2: 0.2 }, epochs: 5, workers: 1, compact: true };
    const spec = { support: 'all' } as const;
    const one = estimateTraining(size, { ...given, spec })!;
    const longer = estimateTraining(size, { ...given, spec, epochs: 15 })!;
    const three = estimateTraining(size, { ...given, spec, seeds: 3 })!;
    expect(three.seconds).toBe(longer.seconds);
    expect(three.model).toBe(one.model);
    // Sums in float64 and a copy in float32, of 100,000 rows of 8 weights and the transitions.
    expect(three.memory - one.memory).toBe(12 * 8 * (100_000 + 8));
  });

  it('count lists, which become part of the model file', () => {
    const size = {
      ...{ sentences: 90, tokens: 2000, columns: 0, active: 20, labels: 8 },
      ...{ features: 1000, edges: 0, pairs: undefined },
    };
    const given = { optimizer: sgd, options: { l2: 0.2 }, epochs: 5, workers: 1, compact: true };
    const values = Float32Array.of(1, 2, 3, 4, 5, 6);
    const resources = {
      gazetteers: { towns: gazetteer('Bath\nYork') },
      vectors: { two: quantisedVectors({ words: ['a', 'b'], dimensions: 3, values }) },
    };
    const spec = { support: 'all' } as const;
    const plain = estimateTraining(size, { ...given, spec })!;
    const listed = estimateTraining(size, { ...given, spec: { ...spec, resources } })!;
    // Two names, two words, and for each word three numbers of a byte and a step of four.
    expect(listed.model! - plain.model!).toBe('Bath\nYork'.length + 'a\nb'.length + 2 * (3 + 4));
  });

  it('say nothing of what nothing is known of', async () => {
    const file = shipped('conll2000-lbfgs');
    const environment = { TAGSTREAM_CORPORA: corpora };
    expect(await estimatePipeline(loadPipeline(file, { environment }))).toBeUndefined();
  });

  it('let counts grow by the power by which they grew', () => {
    expect(grownBy(100, 150, 2)).toBe(225);
    expect(grownBy(100, 300, 2)).toBe(600);
    expect(grownBy(0, 100, 16)).toBe(800);
    expect(grownBy(50, 100, 1)).toBe(100);
  });
});
