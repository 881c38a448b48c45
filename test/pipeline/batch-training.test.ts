import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TrainingStep } from '../../src/core/training-step.js';
import { loadPipeline } from '../../src/pipeline/load-pipeline.js';
import { runPipeline } from '../../src/pipeline/run-pipeline.js';
import { toyPipeline, workspace } from '../cli/workspace.js';

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

  it('makes no more of them than epochs', async () => {
    expect(await train(lbfgs, 'train.epochs=3')).toHaveLength(3);
  });

  it('writes the same bytes again', async () => {
    await train(lbfgs, 'train.epochs=9');
    const first = readFileSync(join(folder, 'toy.model'));
    await train(lbfgs, 'train.epochs=9');
    expect(readFileSync(join(folder, 'toy.model')).equals(first)).toBe(true);
  });

  it.each([
    [['train.epochs=3', 'train.workers=2'], 'the batch optimizer lbfgs works in one thread'],
    [['train={corpusSize: 40}'], 'the batch optimizer lbfgs needs a corpus that is read whole'],
  ])('is refused with %j', (set, problem) => {
    expect(() => loadPipeline(file, { set: [lbfgs, ...set] })).toThrow(problem);
  });

  it('is refused with the loss of the perceptron', async () => {
    const set = 'stages.contribute.loss=perceptron';
    await expect(train(lbfgs, set)).rejects.toThrow('lbfgs does not go with the loss perceptron');
  });
});
