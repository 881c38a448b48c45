import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { parseOptions } from '../../../src/engine/core/schema/parse-options.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import { createModel } from '../../../src/engine/models/create-model.js';
import { readModel, writeModel } from '../../../src/engine/models/files/model-file.js';
import { createOnlineLearner } from '../../../src/engine/models/learning/learner.js';
import type { OptimizerComponent } from '../../../src/engine/optimizers/optimizer.js';
import { optimizers } from '../../../src/engine/optimizers/optimizers.js';
import { sgd } from '../../../src/engine/optimizers/sgd.js';
import { parsePipeline } from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../src/runtime/pipeline/run/run-pipeline.js';
import { optimizerIn } from '../../../src/runtime/pipeline/trainers/trainer-traits.js';
import { train } from '../../../src/runtime/pipeline/training/train.js';
import { toyRecords, workspace } from '../../cli/commands/workspace.js';

const folder = workspace();
const records = toyRecords(40);
writeFileSync(join(folder, 'toy.ndjson'), `${records.join('\n')}\n`);
const corpus = records.map(line => JSON.parse(line) as { tokens: string[]; tags: string[] });
const features = { templates: ['U0:%x[0,0]', 'U1:%x[-1,0]', 'B'] };
const averaging = optimizers.filter(({ options, name }) => {
  const parsed = options.safeParse(name === 'sgd' ? { average: true } : {});
  return parsed.success && Object.hasOwn(parsed.data as object, 'average');
});

/** The weights of a model that this pipeline trains. */
async function weightsOf(optimizer: string, more: string): Promise<ArrayLike<number>> {
  const text = `version: 1
name: average
source: { ndjson: { files: [toy.ndjson] } }
stages:
  - featurize: { templates: ["U0:%x[0,0]", "U1:%x[-1,0]", "B"] }
  - batch: { sentences: 1 }
  - contribute: { loss: ${optimizer.includes('sgd') ? 'log' : 'perceptron'} }
  - optimize: ${optimizer}
train: ${more}
model: average.model
`;
  await runPipeline(parsePipeline(text, join(folder, 'average.yaml')));
  const bytes = new Uint8Array(readFileSync(join(folder, 'average.model')));
  return readModel(bytes).parameters.weights.state.view;
}

describe('average: true', () => {
  it('is an option of these optimizers', () => {
    expect(averaging.map(({ name }) => name).sort()).toEqual([
      'passive-aggressive',
      'perceptron',
      'sgd',
    ]);
  });

  // One pass over a corpus, a short stream, a stream longer than its corpus, several passes.
  const runs = ['{ epochs: 1 }', '{ corpusSize: 100 }', '{ corpusSize: 30 }', '{ epochs: 3 }'];
  const products = averaging.flatMap(({ name }) => runs.map(run => [name, run] as const));
  it.each(products)('of %s changes the model of %s', async (name, run) => {
    const without = await weightsOf(`{ ${name}: { average: false } }`, run);
    expect(await weightsOf(`{ ${name}: { average: true } }`, run)).not.toEqual(without);
  });

  it('gives one pass the same model by train, by a learner and by a pipeline', async () => {
    const trainer = { sgd: { average: true } };
    const request = { corpus, features, loss: 'log' as const, epochs: 1, batch: 1, shuffle: false };
    const { bytes } = await train({ ...request, trainer });
    const model = createModel({ templates: features.templates.join('\n') });
    const learner = createOnlineLearner(model, {
      ...{ loss: logLoss, optimizer: sgd, options: { average: true }, corpusSize: corpus.length },
    });
    const part = { index: 0, count: 1, start: 0 };
    const encoded = corpus.map(({ tokens, tags }) =>
      model.encode({ tokens, tags, columns: {}, document: {}, part }),
    );
    for (const each of encoded) learner.apply(learner.contribute(packMinibatch([each])));
    const weights = (from: Uint8Array) => readModel(from).parameters.weights.state.view;
    expect(weights(writeModel(learner))).toEqual(weights(bytes));
    const half = { sgd: { average: true, averageAfter: 0.5 } };
    expect(weights((await train({ ...request, trainer: half })).bytes)).toEqual(weights(bytes));
    expect(await weightsOf('{ sgd: { average: true } }', '{ epochs: 1, shuffle: false }')).toEqual(
      weights(bytes),
    );
  });

  it.each([
    [1, 1],
    [3, 3],
    [2, 5],
  ])('is refused in %i passes where it begins after %i', async (epochs, averageAfter) => {
    const problem = `averaging would start after pass ${averageAfter}, but training ends after pass ${epochs}`;
    const options = { average: true, averageAfter };
    await expect(train({ corpus, features, epochs, trainer: { sgd: options } })).rejects.toThrow(
      expect.objectContaining({ code: 'config', problem: expect.stringContaining(problem) }),
    );
    await expect(
      weightsOf(
        `{ sgd: { average: true, averageAfter: ${averageAfter} } }`,
        `{ epochs: ${epochs} }`,
      ),
    ).rejects.toThrow(
      expect.objectContaining({
        code: 'config',
        place: expect.objectContaining({ line: 8 }),
        problem: `stages[3].optimize.sgd: averageAfter: ${problem}`,
        fix: expect.stringContaining(`below ${epochs}`),
      }),
    );
    await expect(
      weightsOf(
        `{ switch: { first: { sgd: { average: true, averageAfter: ${averageAfter} } }, epochs: ${epochs}, next: { lbfgs: {} } } }`,
        '{ epochs: 9 }',
      ),
    ).rejects.toThrow(problem);
  });

  it('is not forgotten where only averageAfter is given', async () => {
    await expect(weightsOf('{ sgd: { averageAfter: 1 } }', '{ epochs: 3 }')).rejects.toThrow(
      'averageAfter needs average: true',
    );
  });

  it('has an effect in shards, which learn from a part of the corpus in each pass', () => {
    const chosen = {
      component: sgd as unknown as OptimizerComponent<never>,
      options: parseOptions(sgd.options, { average: true }, 'sgd'),
    };
    const startIn = (train: Parameters<typeof optimizerIn>[1]) =>
      (optimizerIn(chosen, train).options as { averageAfter?: number }).averageAfter;
    const cluster = { shards: 4 } as NonNullable<Parameters<typeof optimizerIn>[1]>['cluster'];
    expect(startIn({ epochs: 1, cluster })).toBe(0.125);
    expect(startIn({ epochs: 2, cluster })).toBe(1);
    expect(startIn({ cluster })).toBe(1);
    expect(startIn({})).toBeUndefined();
    expect(startIn({ epochs: 1 })).toBe(0.5);
    expect(startIn({ epochs: 20 })).toBe(1);
  });
});
