import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nonZeroWeights, readModel } from '../../../src/models/files/model-file.js';
import { loadPipeline } from '../../../src/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../src/pipeline/run/run-pipeline.js';
import { toyPipeline, workspace } from '../../cli/commands/workspace.js';

const folder = workspace();
const file = toyPipeline(folder, 40, '  - checkpoint: { dir: checkpoints, every: epoch }\n');
const path = join(folder, 'toy.model');

async function train(set: readonly string[], resume = false): Promise<Buffer> {
  await runPipeline(loadPipeline(file, { set }), { model: path, resume });
  return readFileSync(path);
}

describe('a pipeline that selects', () => {
  it('features by their information, once, however often it is resumed', async () => {
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

  it.each([
    [['stages.featurize.mutualInformation={}'], 'keep or least is needed'],
    [['train.threshold={}'], 'below or keep is needed'],
    [
      ['stages.featurize.mutualInformation={keep: 7}', 'stages.featurize.hashed={}'],
      'either hashed',
    ],
    [
      [
        'stages.featurize.mutualInformation={keep: 7}',
        'train={corpusSize: 40}',
        'stages.checkpoint.sentences=10',
      ],
      'features are selected by counts of a whole corpus',
    ],
  ])('is refused with %j', (set, problem) => {
    expect(() => loadPipeline(file, { set })).toThrow(problem);
  });
});
