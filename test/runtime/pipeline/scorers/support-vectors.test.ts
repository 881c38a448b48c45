import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TrainingStep } from '../../../../src/engine/core/training/training-step.js';
import { SupportVectors } from '../../../../src/engine/kernels/vectors/support-vectors.js';
import { readModel } from '../../../../src/engine/models/files/model-file.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import { loadPipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { toyPipeline, workspace } from '../../../cli/commands/workspace.js';
import { everyNth } from '../../../house/long-forms.js';

const folder = workspace();
const model = join(folder, 'toy.model');
const vectors = [
  'model={scorer: support-vectors}',
  'stages.contribute.loss=hinge',
  'stages.4.optimize={support-vectors: {l2: 0.1, tolerance: 1.0e-9, rounds: 2}}',
];

async function train(
  set: readonly string[],
  more = '',
  stopAfter = Number.POSITIVE_INFINITY,
  resume = false,
) {
  const steps: TrainingStep[] = [];
  const controller = new AbortController();
  await runPipeline(loadPipeline(toyPipeline(folder, 40, more), { set: [...vectors, ...set] }), {
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

describe('a pipeline with the scorer support-vectors', () => {
  it('is resumed to the bytes of a run that never stopped', async () => {
    const more = '  - checkpoint: { dir: vector-checkpoints }\n';
    const whole = await train(['train.epochs=6'], more);
    expect(whole.steps).toHaveLength(6);
    expect(readModel(whole.bytes).parameters.vectors).toBeInstanceOf(SupportVectors);
    rmSync(join(folder, 'vector-checkpoints'), { recursive: true });
    const stopped = await train(['train.epochs=6'], more, 3);
    expect(stopped.steps.length).toBeLessThan(6);
    const rest = await train(['train.epochs=6'], more, Number.POSITIVE_INFINITY, true);
    expect(stopped.steps.length + rest.steps.length).toBe(6);
    expect(rest.bytes.equals(whole.bytes)).toBe(true);
  });

  for (const { rows, tags } of everyNth(5, [
    [['model={scorer: linear}'], 'support-vectors cannot be combined', /scorer support-vectors/],
    [
      ['stages.4.optimize={sgd: {}}'],
      'sgd cannot be combined',
      /use the optimizer support-vectors/,
    ],
    [['stages.4.optimize={smo: {}}'], 'smo', /log-linear|linear/],
    [['stages.contribute.loss=log'], 'loss', /hinge/],
    [['train.workers=2'], 'one thread', /train in one thread/],
    [['train.threshold={below: 0.1}'], 'train.threshold', /leave it out/],
    [['train.compact=true'], 'train.compact', /leave it out/],
    [['train.start=x.model'], 'train.start', /resume/],
    [
      ['stages.4.optimize={support-vectors: {kernel: {polinomial: {}}}}'],
      'kernel',
      /polynomial|polinomial/,
    ],
  ])) {
    it.each(rows)('refuses %j', { tags }, (set, problem, fix) => {
      const load = () => loadPipeline(toyPipeline(folder), { set: [...vectors, ...set] });
      expect(load).toThrow(expect.objectContaining({ code: 'config' }));
      try {
        load();
      } catch (error) {
        const { message, fix: found } = error as { message: string; fix: string };
        expect(message).toContain(problem);
        expect(`${message} ${found}`).toMatch(fix);
      }
    });
  }

  it('refuses transitions that depend on features', { tags: 'slow' }, async () => {
    await expect(
      train(['stages.featurize.templates=["U:%x[0,0]", "B", "B:%x[0,0]"]']),
    ).rejects.toThrow(expect.objectContaining({ code: 'config' }));
  });
});
