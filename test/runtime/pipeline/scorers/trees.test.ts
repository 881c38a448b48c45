// @module-tag slow
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TrainingStep } from '../../../../src/engine/core/training/training-step.js';
import { readModel } from '../../../../src/engine/models/files/model-file.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import { loadPipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { toyPipeline, workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();
const model = join(folder, 'toy.model');
const options = 'leafTokens: 1, leaves: 4, sample: 0.6';
const trees = ['model={scorer: trees}', `stages.4.optimize={trees: {${options}}}`];

async function train(
  set: readonly string[],
  more = '',
  stopAfter = Number.POSITIVE_INFINITY,
  resume = false,
) {
  const steps: TrainingStep[] = [];
  const controller = new AbortController();
  await runPipeline(loadPipeline(toyPipeline(folder, 40, more), { set: [...trees, ...set] }), {
    ...{ model, resume, kernel: kernels.simd64, signal: controller.signal },
    events: {
      onStep: step => {
        steps.push(step);
        if (step.step >= stopAfter) controller.abort();
      },
    },
  });
  return { steps, bytes: readFileSync(model) };
}

describe('a pipeline with the scorer trees', () => {
  it('grows a tree in each epoch, by its seed', async () => {
    const { steps, bytes } = await train([]);
    expect(steps).toHaveLength(6);
    expect(readModel(bytes).parameters.forest!.trees).toHaveLength(6);
    expect(steps.at(-1)!.meanLoss).toBeLessThan(steps[0]!.meanLoss / 2);
    expect((await train([])).bytes.equals(bytes)).toBe(true);
    expect((await train(['train.seed=8'])).bytes.equals(bytes)).toBe(false);
  });

  it.each([
    ['alone', []],
    [
      'after a switch',
      [
        `stages.4.optimize={switch: {first: {sgd: {l2: 0.1}}, epochs: 2, next: {trees: {${options}}}}}`,
      ],
    ],
  ])('is resumed to the bytes of a run that never stopped: %s', async (_, set) => {
    const more = '  - checkpoint: { dir: tree-checkpoints }\n';
    const whole = await train([...set, 'train.epochs=9'], more);
    expect(whole.steps).toHaveLength(9);
    rmSync(join(folder, 'tree-checkpoints'), { recursive: true });
    const stopped = await train([...set, 'train.epochs=9'], more, 5);
    expect(stopped.steps.length).toBeLessThan(9);
    const rest = await train([...set, 'train.epochs=9'], more, Number.POSITIVE_INFINITY, true);
    expect(stopped.steps.length + rest.steps.length).toBe(9);
    expect(rest.bytes.equals(whole.bytes)).toBe(true);
    rmSync(join(folder, 'tree-checkpoints'), { recursive: true });
  });

  it('adds trees to the weights that an online optimizer has made', async () => {
    const first = 'switch: {first: {sgd: {l2: 0.1}}, epochs: 2, next: {trees: {leafTokens: 1}}}';
    const { bytes } = await train([`stages.4.optimize={${first}}`]);
    const { forest, weights } = readModel(bytes).parameters;
    expect(forest!.trees).toHaveLength(4);
    expect(weights.state.view.some(weight => weight !== 0)).toBe(true);
  });

  it.each([
    [['model={scorer: linear}'], 'the optimizer trees cannot be combined', /scorer trees/],
    [
      ['stages.4.optimize={sgd: {}}'],
      'the optimizer sgd cannot be combined',
      /use the optimizer trees/,
    ],
    [
      ['stages.4.optimize={lbfgs: {}}'],
      'the optimizer lbfgs cannot be combined',
      /use the optimizer trees/,
    ],
    [['stages.contribute.loss=hinge'], 'loss', /log/],
    [['stages.contribute.loss=joint'], 'joint', /log/],
    [['train.workers=2'], 'one thread', /train in one thread/],
    [['train.threshold={below: 0.1}'], 'train.threshold', /leave it out/],
    [['train.compact=true'], 'train.compact', /leave it out/],
    [['train.dropout=0.1'], 'train.dropout', /online/],
    [['stages.4.optimize={trees: {depht: 3}}'], 'depht', /depth/],
  ])('refuses %j', (set, problem, fix) => {
    const load = () => loadPipeline(toyPipeline(folder), { set: [...trees, ...set] });
    expect(load).toThrow(expect.objectContaining({ code: 'config' }));
    try {
      load();
    } catch (error) {
      const { message, fix: found } = error as { message: string; fix: string };
      expect(message).toContain(problem);
      expect(`${message} ${found}`).toMatch(fix);
    }
  });
});
