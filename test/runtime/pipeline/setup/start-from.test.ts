// @module-tag slow
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TrainingStep } from '../../../../src/engine/core/training/training-step.js';
import { nonZeroWeights } from '../../../../src/engine/models/files/model-file.js';
import type { TakenWeights } from '../../../../src/engine/models/start/add-weights.js';
import {
  loadPipeline,
  parsePipeline,
} from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { toyPipeline, workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();
const path = (name: string) => join(folder, name);
const file = toyPipeline(folder, 40, '  - checkpoint: { dir: checkpoints, every: epoch }\n');
const lbfgs = 'stages.4.optimize={lbfgs: {l2: 0.1}}';

async function train(model: string, ...set: string[]) {
  const steps: TrainingStep[] = [];
  const started: TakenWeights[] = [];
  await runPipeline(loadPipeline(file, { set }), {
    model: path(model),
    events: { onStep: step => steps.push(step), onStart: (_, taken) => started.push(taken) },
  });
  return { steps, started };
}

const objectiveOf = (step: TrainingStep | undefined) => step!.iteration!.objective;

describe('training that starts from a model', () => {
  it('begins where batch training ended, and is done at once', async () => {
    const cold = await train('whole.model', lbfgs, 'train.epochs=200');
    const warm = await train('warm.model', lbfgs, 'train.epochs=200', 'train.start=whole.model');
    const best = objectiveOf(cold.steps.at(-1));
    expect(cold.started).toEqual([]);
    expect(warm.started).toHaveLength(1);
    expect(warm.started[0]!.taken).toBe(warm.started[0]!.offered);
    expect(Math.abs(objectiveOf(warm.steps[0]) - best)).toBeLessThan(1e-4 * best);
    expect(warm.steps.length).toBeLessThan(cold.steps.length / 3);
  });

  it('begins online training with a small loss, and makes the same bytes each time', async () => {
    const cold = await train('cold.model', 'train.epochs=1');
    const warm = await train('warm.model', 'train.epochs=1', 'train.start=whole.model');
    const bytes = readFileSync(path('warm.model'));
    expect(warm.steps.at(-1)!.meanLoss).toBeLessThan(0.4 * cold.steps.at(-1)!.meanLoss);
    await train('warm.model', 'train.epochs=1', 'train.start=whole.model');
    expect(readFileSync(path('warm.model')).equals(bytes)).toBe(true);
  });

  it('begins with the newest checkpoint of a folder', async () => {
    rmSync(path('checkpoints'), { recursive: true });
    const first = await train('first.model', 'train.epochs=3');
    const warm = await train(
      'warm.model',
      'train.epochs=1',
      'train.start=checkpoints',
      'stages.5.checkpoint.dir=others',
    );
    expect(warm.started[0]!.taken).toBeGreaterThan(20);
    expect(warm.steps[0]!.meanLoss).toBeLessThan(first.steps[0]!.meanLoss / 2);
  });

  it('is refused before anything is read where the templates are others', async () => {
    const set = ['train.start=whole.model', 'stages.1.featurize.templates=["U00:%x[0,0]", "B"]'];
    await expect(train('no.model', ...set)).rejects.toThrow('template U01:%x[-1,0] -> absent');
    const absent = train('no.model', 'train.start=nothing.model');
    await expect(absent).rejects.toThrow('nothing.model');
  });
});

const stream = `version: 1
name: stream
source: { ndjson: { files: [more.ndjson] } }
stages:
  - featurize: { templates: ["U00:%x[0,0]", "U01:%x[-1,0]", "B"] }
  - batch: {}
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.2, l2: 0.1 } }
train: { corpusSize: 40, start: whole.model }
`;

it('a stream resumes from all that a model knows, and adds to it', async () => {
  const record = { tokens: ['the', 'whale', 'runs'], tags: ['DET', 'NOUN', 'VERB'] };
  writeFileSync(path('more.ndjson'), `${JSON.stringify(record)}\n`);
  const steps: TrainingStep[] = [];
  const started: TakenWeights[] = [];
  const { model } = await runPipeline(parsePipeline(stream, path('stream.yaml')), {
    model: path('stream.model'),
    events: { onStep: step => steps.push(step), onStart: (_, taken) => started.push(taken) },
  });
  expect(started[0]!.taken).toBe(started[0]!.offered);
  // What the file knew is still there, and one word has come.
  expect(model!.file).toBe(path('stream.model'));
  expect(nonZeroWeights(readFileSync(model!.file))).toBeGreaterThan(started[0]!.taken);
  expect(steps[0]!.meanLoss).toBeLessThan(1);
});
