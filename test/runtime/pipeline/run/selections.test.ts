import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  nonZeroWeights,
  readModel,
  readTaggingModel,
} from '../../../../src/engine/models/files/model-file.js';
import { readModelHeader } from '../../../../src/engine/models/files/model-header.js';
import { readInspected } from '../../../../src/engine/models/inspection/read-inspected.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { loadPipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { tagstream } from '../../../cli/commands/run-command.js';
import { toyPipeline, workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();
const other = workspace();
const file = toyPipeline(folder, 40, '  - checkpoint: { dir: checkpoints, every: epoch }\n');
const path = join(folder, 'toy.model');

async function train(set: readonly string[], resume = false): Promise<Buffer> {
  await runPipeline(loadPipeline(file, { set }), { model: path, resume });
  return readFileSync(path);
}

describe('a pipeline that selects', () => {
  it('features by their information, once, however often it is resumed', {
    tags: 'slow',
  }, async () => {
    const select = ['stages.featurize.mutualInformation={keep: 7}', 'train.epochs=6'];
    const whole = await train(select);
    expect(readModel(whole).stateIndex.size).toBe(7);
    await train(select.with(1, 'train.epochs=2'));
    expect((await train(select, true)).equals(whole)).toBe(true);
  });

  it('weights by their size, after training', async () => {
    const whole = await train([]);
    const small = await train(['train.threshold={keep: 9}']);
    expect(nonZeroWeights(whole)).toBeGreaterThan(30);
    expect(nonZeroWeights(small)).toBe(9);
    const below = readModel(await train(['train.threshold={below: 0.1}'])).parameters;
    const weights = [...below.weights.state.view, ...below.weights.edges.view];
    expect(weights.every(weight => weight === 0 || Math.abs(weight) >= 0.1)).toBe(true);
  });

  it('rounds weights for a compact file, however often it is resumed', {
    tags: 'slow',
  }, async () => {
    const whole = await train([]);
    const compact = await train(['train.compact=true']);
    expect(readModelHeader(compact).compact).toMatchObject({ unit: 64 });
    const { weights } = readModel(compact).parameters;
    const before = readModel(whole).parameters.weights.edges.view;
    expect(weights.edges.view).toEqual(before.map(weight => Math.round(weight * 64) / 64));
    await train(['train.compact=true', 'train.epochs=2']);
    expect((await train(['train.compact=true'], true)).equals(compact)).toBe(true);
  });

  it('counts the ranks of gold tags after passes and of the test data, however often it is resumed', {
    tags: 'slow',
  }, async () => {
    const place = workspace();
    const held = 'ndjson: { files: [train.ndjson], split: { every: 4, take: [3] } }';
    const evaluated = toyPipeline(
      place,
      40,
      `  - evaluate: { on: { ${held} }, rank: 20 }\n  - checkpoint: { dir: checkpoints, every: epoch }\ntest: { ${held} }\n`,
    );
    const run = (epochs: number, resume = false) => {
      const set = [`train.epochs=${epochs}`, 'stages.optimize.sgd.eta0=0.005'];
      return runPipeline(loadPipeline(evaluated, { set }), { resume });
    };
    const { test } = await run(4);
    const whole = readFileSync(join(place, 'toy.model'));
    const passes = readInspected(whole).notes.history;
    const losses = passes.map(({ scores }) => scores!.rank!.loss);
    expect(losses).toHaveLength(4);
    expect(Math.min(...losses)).toBeGreaterThan(0);
    expect(test!.rank).toEqual(passes[3]!.scores!.rank);
    await run(2);
    await run(4, true);
    expect(readFileSync(join(place, 'toy.model')).equals(whole)).toBe(true);
  });

  it('counts ranks only on held-out data, and of models with lists of best sequences', async () => {
    const asked = (more: string) =>
      toyPipeline(workspace(), 8, `  - evaluate: ${more}\n  - tag: {}\n`);
    expect(() => loadPipeline(asked('{ progressive: true, rank: 3 }'))).toThrow(
      'ranks are counted on held-out data',
    );
    const held = '{ on: { ndjson: { files: [train.ndjson] } }, rank: 3 }';
    const graph = toyPipeline(workspace(), 8, `  - evaluate: ${held}\n`);
    const set = ['model={file: toy.model, structure: graph, links: {sameWord: capitalised}}'];
    await expect(runPipeline(loadPipeline(graph, { set }), {})).rejects.toThrow(
      'the structure graph cannot compute lists of best sequences',
    );
  });

  it('scores what the compact file has', async () => {
    const set = ['train.compact=true', 'test={ndjson: {files: [train.ndjson]}}'];
    const { test } = await runPipeline(loadPipeline(file, { set }), { model: path });
    const { code, stdout } = await tagstream([
      ...['eval', join(folder, 'train.ndjson'), '--model', path, '--json'],
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ accuracy: test!.accuracy });
  });

  it.each([
    [['stages.featurize={preset: pos}'], true],
    [['stages.featurize={preset: pos}', 'train.compact=false'], false],
    [['stages.featurize={preset: pos}', 'train.threshold={below: 0.1}'], true],
    [
      [
        'stages.featurize={preset: pos}',
        'stages.contribute.loss=perceptron',
        'stages.optimize={voted-perceptron: {}}',
      ],
      false,
    ],
    [['stages.featurize={preset: pos}', 'stages.optimize={lbfgs: {l2: 0.1}}'], true],
    [['stages.featurize={preset: pos, hashed: {rows: 512}}'], true],
    [['train.epochs=2'], false],
  ])('writes with %j a compact file: %s', { tags: 'slow' }, async (set, isCompact) => {
    const batch = set.some(each => each.includes('lbfgs')) ? ['stages.batch.sentences=40'] : [];
    const model = await train([...set, ...batch]);
    expect(readModelHeader(model).compact !== undefined).toBe(isCompact);
    const tags = (read: typeof readModel) =>
      new Tagger(read(model)).tag(['the', 'cat', 'sleeps', 'nowhere']);
    expect(tags(readTaggingModel)).toEqual(tags(readModel));
  });

  it('keeps the best of some passes compact as well', async () => {
    const stage = '  - evaluate: { on: { ndjson: { files: [train.ndjson] } }, patience: 2 }\n';
    const stopping = toyPipeline(other, 40, stage);
    const pipeline = loadPipeline(stopping, { set: ['train.compact=true'] });
    const { bestPass } = await runPipeline(pipeline, { model: path });
    expect(bestPass).toBeGreaterThan(0);
    const model = readFileSync(path);
    expect(readModelHeader(model).compact).toBeDefined();
  });

  it.each([
    [['stages.featurize.mutualInformation={}'], 'keep or least is needed'],
    [['train.threshold={}'], 'below or keep is needed'],
    [
      ['stages.featurize.mutualInformation={keep: 7}', 'stages.featurize.hashed={}'],
      'hashed rows cannot be selected',
    ],
    [
      [
        'stages.featurize.mutualInformation={keep: 7}',
        'train={corpusSize: 40}',
        'stages.checkpoint.sentences=10',
      ],
      'feature selection needs counts over a whole corpus',
    ],
  ])('is refused with %j', (set, problem) => {
    expect(() => loadPipeline(file, { set })).toThrow(problem);
  });
});
