import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TrainingStep } from '../../../../src/engine/core/training/training-step.js';
import { readModel } from '../../../../src/engine/models/files/model-file.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import { loadPipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { toyPipeline, toyRecords, workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();
const model = join(folder, 'toy.model');
writeFileSync(join(folder, 'dev.ndjson'), `${toyRecords(90).slice(60).join('\n')}\n`);
const held = (more: string) =>
  toyPipeline(folder, 40, `  - evaluate: { on: { ndjson: { files: [dev.ndjson] } }${more} }\n`);

async function train(file: string, optimize: string, ...set: string[]) {
  const steps: TrainingStep[] = [];
  const chosen = [`stages.4.optimize={${optimize}}`, ...set];
  const result = await runPipeline(loadPipeline(file, { set: chosen }), {
    model,
    kernel: kernels.simd64,
    events: { onStep: step => steps.push(step) },
  });
  return { steps, result, bytes: readFileSync(model) };
}

/** Without the notes, which describe the course of training. */
function weightsOf(bytes: Uint8Array): number[] {
  const { state, edges } = readModel(bytes).parameters.weights;
  return [...state.view, ...edges.view].filter(weight => weight !== 0);
}

describe('a pipeline that switches', () => {
  const file = toyPipeline(folder, 40);

  it.each(
    ['chain', 'segments', 'graph, links: {sameWord: all}'].flatMap(structure =>
      [
        'sgd: {eta0: 0.2, l2: 0.1, average: true}',
        'sgd-l1: {l1: 0.1, l2: 0.1}',
        'adagrad: {l1: 0.1, l2: 0.1}',
      ].map(first => [structure, first]),
    ),
  )(
    'with the structure %s makes the passes that %s would make alone',
    { tags: 'slow' },
    async (structure, online) => {
      const set = ['train.epochs=3', `model={file: toy.model, structure: ${structure}}`];
      const alone = await train(file, online!, ...set);
      const first = `switch: {first: {${online}}, epochs: 3, sentences: 4, next: {lbfgs: {l2: 0.1}}}`;
      const switched = await train(file, first, ...set);
      expect(weightsOf(switched.bytes)).toEqual(weightsOf(alone.bytes));
      expect(weightsOf(alone.bytes).length).toBeGreaterThan(30);
      expect(switched.steps).toHaveLength(3);
    },
  );

  it('resumes from their weights to the minimum', { tags: 'slow' }, async () => {
    const lbfgs = 'lbfgs: {l2: 0.1, tolerance: 1e-7, decrease: 0}';
    const cold = await train(file, lbfgs, 'train.epochs=200');
    const first = `switch: {first: {sgd: {eta0: 0.2, l2: 0.1}}, epochs: 4, next: {${lbfgs}}}`;
    const { steps } = await train(file, first, 'train.epochs=200');
    const objectives = steps.map(({ iteration }) => iteration!.objective);
    const best = cold.steps.at(-1)!.iteration!.objective;
    expect(Math.abs(objectives.at(-1)! - best)).toBeLessThan(1e-8 * best);
    expect(objectives[4]).toBeLessThan(objectives[3]!);
    expect(objectives[4]).toBeLessThan(cold.steps[0]!.iteration!.objective / 2);
    expect(steps.map(({ iteration }) => iteration!.iteration)).toEqual(steps.map((_, i) => i + 1));
  });

  it.each([
    ['perceptron: {}', 'lbfgs: {}', 'switch does not support the loss log'],
    ['sgd: {}', 'boosting: {}', 'use the loss exponential'],
  ])('is refused from %s to %s', async (first, next, problem) => {
    const optimize = `switch: {first: {${first}}, next: {${next}}}`;
    await expect(train(file, optimize)).rejects.toThrow(problem);
  });

  it('may end in a path', { tags: 'slow' }, async () => {
    const path = 'path: {l1: [2, 1], with: {bcd: {l2: 0.1}}}';
    const optimize = `switch: {first: {sgd: {}}, epochs: 2, next: {${path}}}`;
    const { steps } = await train(file, optimize, 'train.epochs=100');
    const at = steps.map(({ iteration }) => iteration!.path?.step);
    expect(at.slice(0, 3)).toEqual([undefined, undefined, 1]);
    expect(at.at(-1)).toBe(2);
  });
});

describe('a pipeline with a path', () => {
  const path = 'path: {l1: [20, 5, 1, 0.1], with: {owl-qn: {l2: 0.01}}}';

  it('is scored after each step of it', { tags: 'slow' }, async () => {
    const { steps } = await train(held(''), path, 'train.epochs=300');
    const scored = steps.filter(({ scores }) => scores !== undefined);
    const ends = steps.filter(({ iteration }) => iteration!.path!.ended);
    expect(scored).toEqual(ends);
    expect(ends.map(({ iteration }) => iteration!.path!.l1)).toEqual([20, 5, 1, 0.1]);
    expect(ends.at(-1)!.scores!.accuracy).toBeGreaterThan(ends[0]!.scores!.accuracy!);
  });

  it('keeps the model of the best step if asked', { tags: 'slow' }, async () => {
    const { steps, result, bytes } = await train(held(', best: true'), path, 'train.epochs=300');
    const ends = steps.filter(({ scores }) => scores !== undefined);
    const best = Math.max(...ends.map(({ scores }) => scores!.accuracy!));
    const first = ends.find(({ scores }) => scores!.accuracy === best)!;
    expect(ends).toHaveLength(4);
    expect(result.bestPass).toBe(first.passEnd);
    const again = await train(held(''), path, `train.epochs=${first.passEnd}`);
    expect(weightsOf(again.bytes)).toEqual(weightsOf(bytes));
  });

  it.each([
    ['path: {l1: [1, 2]}', 'each penalty must be smaller than the one before'],
    ['path: {l1: [1], with: {lbfgs: {}}}', 'unknown key "lbfgs"'],
  ])('refuses %s', async (optimize, problem) => {
    await expect(train(held(''), optimize)).rejects.toThrow(problem);
  });
});
