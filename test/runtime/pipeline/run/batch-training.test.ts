import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TrainingStep } from '../../../../src/engine/core/training/training-step.js';
import { loadPipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { toyPipeline, workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();
const file = toyPipeline(folder, 40);
const lbfgs = 'stages.4.optimize={lbfgs: {l2: 0.1}}';

async function train(...set: string[]): Promise<TrainingStep[]> {
  const steps: TrainingStep[] = [];
  await runPipeline(loadPipeline(file, { set }), {
    model: join(folder, 'toy.model'),
    events: { onStep: step => steps.push(step) },
  });
  return steps;
}

describe('a pipeline with a batch optimizer', () => {
  it('makes iterations until there is nothing more to gain', async () => {
    const steps = await train(lbfgs, 'train.epochs=500');
    expect(steps.length).toBeLessThan(500);
    expect(steps.at(-1)!.iteration!.ending).toBe('gradient');
    expect(steps.map(({ passEnd }) => passEnd)).toEqual(steps.map((_, i) => i + 1));
    const objectives = steps.map(({ iteration }) => iteration!.objective);
    expect(objectives).toEqual([...objectives].sort((a, b) => b - a));
    expect(steps.at(-1)!.sentencesSeen).toBe(steps.length * 40);
  });

  it('makes no more of them than epochs', { tags: 'slow' }, async () => {
    expect(await train(lbfgs, 'train.epochs=3')).toHaveLength(3);
  });

  it('writes the same bytes again', { tags: 'slow' }, async () => {
    await train(lbfgs, 'train.epochs=9');
    const first = readFileSync(join(folder, 'toy.model'));
    await train(lbfgs, 'train.epochs=9');
    expect(readFileSync(join(folder, 'toy.model')).equals(first)).toBe(true);
  });

  it.each([
    [
      ['stages.4.optimize={bcd: {}}', 'train.epochs=3', 'train.workers=2'],
      'the batch optimizer bcd runs in one thread',
    ],
    [
      ['train.epochs=3', 'train.workers=2', 'train.mode=hogwild'],
      'the batch optimizer lbfgs is always deterministic',
    ],
    [['train={corpusSize: 40}'], 'the batch optimizer lbfgs needs a corpus in memory'],
  ])('is refused with %j', { tags: 'slow' }, (set, problem) => {
    expect(() => loadPipeline(file, { set: [lbfgs, ...set] })).toThrow(problem);
  });

  it('writes the same bytes with several workers', { tags: 'slow' }, async () => {
    const bytes = [];
    for (const workers of [1, 2, 3]) {
      await train(lbfgs, 'train.epochs=9', `train.workers=${workers}`);
      bytes.push(readFileSync(join(folder, 'toy.model')).toString('base64'));
    }
    expect(new Set(bytes).size).toBe(1);
  });

  it.each(['perceptron', 'hinge'])('is refused with the loss %s', { tags: 'slow' }, async loss => {
    const set = `stages.contribute.loss=${loss}`;
    await expect(train(lbfgs, set)).rejects.toThrow(`lbfgs does not support the loss ${loss}`);
  });

  it.each(['exponential', 'pointwise-log', 'pointwise-exponential', 'softmax-margin'])(
    'comes to the minimum of the loss %s',
    { tags: 'slow' },
    async loss => {
      const steps = await train(lbfgs, `stages.contribute.loss=${loss}`, 'train.epochs=500');
      expect(steps.length).toBeLessThan(500);
      const { ending, objective, gradientNorm } = steps.at(-1)!.iteration!;
      expect(ending).toMatch(/^(gradient|decrease)$/);
      expect(gradientNorm).toBeLessThan(0.01);
      expect(objective).toBeLessThan(steps[0]!.iteration!.objective / 2);
    },
  );
});

describe('a pipeline with an online optimizer', () => {
  const sgd = 'stages.4.optimize={sgd: {eta0: 0.1, l2: 0.1}}';

  it.each(['exponential', 'pointwise-log', 'pointwise-exponential', 'softmax-margin', 'hinge'])(
    'learns with the loss %s, and refuses it to the perceptron',
    { tags: 'slow' },
    async loss => {
      const set = `stages.contribute.loss=${loss}`;
      const steps = await train(sgd, set, 'train.epochs=10');
      expect(steps.at(-1)!.meanLoss).toBeLessThan(0.2);
      const problem = `perceptron does not support the loss ${loss}`;
      await expect(train('stages.4.optimize={perceptron: {}}', set)).rejects.toThrow(problem);
    },
  );
});

describe('a pipeline with boosting', () => {
  const boosting = 'stages.4.optimize={boosting: {}}';

  it('has one weight more an iteration at most', { tags: 'slow' }, async () => {
    const steps = await train(boosting, 'stages.contribute.loss=exponential', 'train.epochs=12');
    for (const [i, { iteration }] of steps.entries()) {
      expect(iteration!.active).toBeLessThanOrEqual(i + 1);
      if (i > 0) expect(iteration!.objective).toBeLessThan(steps[i - 1]!.iteration!.objective);
    }
    expect(steps).toHaveLength(12);
  });

  it('is refused with another loss', { tags: 'slow' }, async () => {
    await expect(train(boosting)).rejects.toThrow('boosting does not support the loss log');
  });
});
