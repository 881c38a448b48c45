import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TrainingStep } from '../../../../src/engine/core/training/training-step.js';
import { readModel } from '../../../../src/engine/models/files/model-file.js';
import { inspectModel } from '../../../../src/engine/models/inspection/inspect-model.js';
import { readInspected } from '../../../../src/engine/models/inspection/read-inspected.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import {
  loadPipeline,
  parsePipeline,
} from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { validatePipeline } from '../../../../src/runtime/pipeline/loading/validate-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { toyPipeline, workspace } from '../../../cli/commands/workspace.js';
import { everyNth } from '../../../house/long-forms.js';

const folder = workspace();
const model = join(folder, 'toy.model');
const memm = ['model={scorer: memm}', 'stages.contribute.loss=local-log'];
const toy = () => toyPipeline(folder, 40);

async function train(...set: string[]) {
  const steps: TrainingStep[] = [];
  await runPipeline(loadPipeline(toy(), { set: [...memm, ...set] }), {
    model,
    kernel: kernels.simd64,
    events: { onStep: step => steps.push(step) },
  });
  return { steps, bytes: readFileSync(model) };
}

function weightsOf(bytes: Uint8Array): number[] {
  const { state, edges } = readModel(bytes, 'm', kernels.simd64).parameters.weights;
  return [...state.view, ...edges.view];
}

describe('a pipeline with the scorer memm', () => {
  it('trains a locally normalised model, which inspect shows', async () => {
    const { steps, bytes } = await train();
    expect(inspectModel(readInspected(bytes)).spec.scorer).toBe('memm');
    expect(steps.at(-1)!.meanLoss).toBeLessThan(steps[0]!.meanLoss / 2);
    expect(readModel(bytes).parameters.layout.scorer).toBe('memm');
  });

  it('has the same minimum by lbfgs, owl-qn, cg, and after a switch from sgd', {
    tags: 'slow',
  }, async () => {
    const l2 = 'l2: 0.1, tolerance: 1e-7, decrease: 0';
    const minima: number[][] = [];
    for (const optimize of [
      `lbfgs: {${l2}}`,
      `owl-qn: {l1: 0, ${l2}}`,
      `cg: {${l2}}`,
      `switch: {first: {sgd: {l2: 0.1}}, epochs: 2, next: {lbfgs: {${l2}}}}`,
    ]) {
      const { bytes } = await train(`stages.4.optimize={${optimize}}`, 'train.epochs=300');
      minima.push(weightsOf(bytes));
    }
    for (const weights of minima) {
      const apart = weights.map((weight, i) => Math.abs(weight - minima[0]![i]!));
      expect(Math.max(...apart)).toBeLessThan(1e-4);
    }
    expect(Math.max(...minima[0]!)).toBeGreaterThan(0.5);
  });

  it('has that minimum by the log loss too, which is the same of full labels', {
    tags: 'slow',
  }, async () => {
    const set = [
      'stages.4.optimize={lbfgs: {l2: 0.1, tolerance: 1e-7, decrease: 0}}',
      'train.epochs=300',
    ];
    const local = weightsOf((await train(...set)).bytes);
    const log = weightsOf((await train(...set, 'stages.contribute.loss=log')).bytes);
    const linear = weightsOf(
      (await train(...set, 'stages.contribute.loss=log', 'model={scorer: linear}')).bytes,
    );
    const apart = (other: number[]) =>
      Math.max(...local.map((weight, i) => Math.abs(weight - other[i]!)));
    expect(apart(log)).toBeLessThan(1e-4);
    expect(apart(linear)).toBeGreaterThan(0.05);
  });

  for (const { rows, tags } of everyNth(4, [
    [['stages.contribute.loss=hinge'], 'contribute.loss', /log, local-log.* scorer linear/],
    [['stages.contribute.loss=perceptron'], 'contribute.loss', /scorer linear/],
    [
      ['model={scorer: linear}'],
      'contribute.loss: the loss local-log cannot be combined with the scorer linear',
      /or the scorer memm/,
    ],
    ...['cd', 'bcd', 'gis', 'iis'].map(
      name =>
        [
          ['stages.contribute.loss=log', `stages.4.optimize={${name}: {}}`],
          `the batch optimizer ${name} needs scores that are linear in the weights`,
          /lbfgs, owl-qn, .* scorer linear/,
        ] as const,
    ),
    [
      ['stages.contribute.loss=exponential', 'stages.4.optimize={boosting: {}}'],
      'the batch optimizer boosting needs',
      /scorer linear/,
    ],
    [
      [
        'stages.contribute.loss=log',
        'stages.4.optimize={switch: {first: {sgd: {}}, next: {bcd: {}}}}',
      ],
      'the batch optimizer switch needs',
      /scorer linear/,
    ],
    [['model={scorer: hmmm}'], 'model', /did you mean hmm\? known: linear, memm, hmm/],
  ] as const)) {
    it.each(rows)('is refused with %j, and the way out', { tags }, async (set, message, fix) => {
      const refused = validatePipeline(toy(), { set: [...memm, ...set] });
      const error = (await refused.catch((thrown: unknown) => thrown)) as Error & { fix?: string };
      expect(error).toMatchObject({ code: 'config', message: expect.stringContaining(message) });
      expect(error.message).toMatch(fix);
    });
  }

  it('is not resumed with another scorer', async () => {
    const more = `  - checkpoint: { dir: checkpoints, sentences: 20 }\n`;
    const file = toyPipeline(folder, 40, more);
    const run = (resume: boolean, ...set: string[]) =>
      runPipeline(loadPipeline(file, { set }), { model, resume });
    await run(false, 'model={scorer: memm}', 'train.epochs=2');
    await expect(run(true, 'train.epochs=3')).rejects.toMatchObject({
      code: 'checkpoint',
      message: expect.stringContaining('model.scorer: "memm" -> absent'),
    });
    await run(true, 'model={scorer: memm}', 'train.epochs=3');
    expect(readModel(readFileSync(model)).spec.scorer).toBe('memm');
  });

  it('is refused where nothing is trained', async () => {
    const text = `version: 1
name: tags
source: { ndjson: { files: [train.ndjson] } }
stages: [{ featurize: { model: toy.model } }, { batch: {} }, { tag: {} }]
model: { scorer: memm }
`;
    const parse = () => parsePipeline(text, join(folder, 'tags.yaml'));
    expect(parse).toThrow(/does not train a model/);
  });
});
