import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { loadPipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { toyPipeline, toyRecords, workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();
const file = toyPipeline(folder, 40);

async function taggerOf(...set: string[]): Promise<Tagger> {
  const model = join(folder, 'toy.model');
  await runPipeline(loadPipeline(file, { set }), { model });
  return Tagger.fromBytes(readFileSync(model));
}

it('keeps the labels, and makes the model less sure of them', async () => {
  const [warm, cool] = [await taggerOf(), await taggerOf('train.temperature=2')];
  for (const record of toyRecords(10)) {
    const { tokens } = JSON.parse(record) as { tokens: string[] };
    expect(cool.tag(tokens)).toEqual(warm.tag(tokens));
    const sure = warm.analyze(tokens, {}, { marginals: true }).marginals!;
    const less = cool.analyze(tokens, {}, { marginals: true }).marginals!;
    for (const [t, probability] of less.entries()) expect(probability).toBeLessThan(sure[t]!);
  }
});

it('is refused where weights are no exponents', () => {
  const load =
    (...set: string[]) =>
    () =>
      loadPipeline(file, { set: ['train.temperature=2', ...set] });
  const counted = ['model={file: toy.model, scorer: hmm}', 'stages.contribute.loss=joint'];
  expect(
    load(...counted, 'stages.featurize.templates=["U00:%x[0,0]"]', 'stages.optimize={counts: {}}'),
  ).toThrow('the scorer hmm has probabilities estimated from counts');
  expect(
    load('stages.contribute.loss=perceptron', 'stages.optimize={voted-perceptron: {}}'),
  ).toThrow('only a single set of weights can be divided');
});
