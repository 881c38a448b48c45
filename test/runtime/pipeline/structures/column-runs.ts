import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { TrainingStep } from '../../../../src/engine/core/training/training-step.js';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { workspace } from '../../../cli/commands/workspace.js';
import { everyNth } from '../../../house/long-forms.js';

/** Runs of a small pipeline for labels that are made of columns. */
export class ColumnRuns {
  readonly folder: string;
  readonly model: string;
  readonly #file: string;
  readonly #text: string;

  /** @param option of the section `model`, as it is written in a pipeline file */
  constructor(name: string, corpus: readonly object[], option: string) {
    this.folder = workspace();
    this.model = join(this.folder, `${name}.model`);
    this.#file = join(this.folder, `${name}.yaml`);
    const lines = corpus.map(record => `${JSON.stringify(record)}\n`);
    writeFileSync(join(this.folder, `${name}.ndjson`), lines.join(''));
    this.#text = `version: 1
name: ${name}
source: { ndjson: { files: [${name}.ndjson] } }
stages:
  - tokenize: {}
  - featurize: { templates: ["U0:%x[0,0]", "B"] }
  - batch: { sentences: 4 }
  - contribute: { loss: log }
  - optimize: { sgd: { l2: 0.1 } }
train: { epochs: 6 }
model: { file: ${name}.model, ${option} }
`;
  }

  load(set: readonly string[]) {
    return parsePipeline(this.#text, this.#file, { set });
  }

  async train(...set: string[]) {
    const steps: TrainingStep[] = [];
    const events = { onStep: (step: TrainingStep) => steps.push(step) };
    await runPipeline(this.load(set), { model: this.model, events });
    return { steps, bytes: readFileSync(this.model) };
  }
}

/**
 * What holds of all of them: they are trained, by any number of workers to the same bytes, and resumed.
 *
 * @param changed another setting of the labels, with which a run is not resumed, and the part of the file it is in
 */
export function testColumns(runs: ColumnRuns, changed: readonly [setting: string, part: string]) {
  const { model } = runs;
  const trained = [
    ...['sgd: {l2: 0.1}', 'sgd-l1: {l1: 0.1}', 'adagrad: {}', 'lbfgs: {l2: 0.1}', 'owl-qn: {}'].map(
      optimize => [optimize, 'log'],
    ),
    ...['perceptron: {}', 'passive-aggressive: {}', 'arow: {}'].map(each => [each, 'perceptron']),
    ['sgd: {}', 'hinge'],
    ['lbfgs: {l2: 0.1}', 'softmax-margin'],
    ['lbfgs: {l2: 0.1}', 'pointwise-log'],
  ];
  for (const { rows, tags } of everyNth(6, trained))
    it.each(rows)('trains them with %s and the loss %s', { tags }, async (optimize, loss) => {
      const { steps } = await runs.train(
        `stages.4.optimize={${optimize}}`,
        `stages.contribute.loss=${loss}`,
        'train.epochs=15',
      );
      // Of labels that all score 0 the perceptron has no loss.
      const most = Math.max(...steps.map(({ meanLoss }) => meanLoss));
      expect(steps.at(-1)!.meanLoss).toBeLessThan(most / 2);
    });

  for (const { rows, tags } of everyNth(2, ['all', 'observed']))
    it.each(rows)('gives the same bytes for any number of workers: %s', { tags }, async support => {
      const set = ['stages.4.optimize={lbfgs: {l2: 0.1}}', `stages.featurize.support=${support}`];
      const alone = await runs.train(...set);
      const together = await runs.train(...set, 'train.workers=2');
      expect(together.bytes.equals(alone.bytes)).toBe(true);
    });

  const resumed: [string, string[]][] = [
    ['passes', []],
    ['iterations', ['stages.4.optimize={lbfgs: {l2: 0.1}}']],
  ];
  for (const { rows, tags } of everyNth(2, resumed))
    it.each(rows)(
      'is resumed by %s to the bytes of a run that never stopped',
      { tags },
      async (_, set) => {
        const dir = join(runs.folder, 'checkpoints');
        const all = [...set, `stages.5={checkpoint: {dir: ${dir}}}`];
        const pipeline = (epochs: number) => runs.load([...all, `train.epochs=${epochs}`]);
        await runPipeline(pipeline(6), { model });
        const whole = readFileSync(model);
        rmSync(dir, { recursive: true });
        await runPipeline(pipeline(3), { model });
        await runPipeline(pipeline(6), { model, resume: true });
        expect(readFileSync(model).equals(whole)).toBe(true);
        const [setting, part] = changed;
        const other = runs.load([...all, 'train.epochs=7', setting]);
        await expect(runPipeline(other, { model, resume: true })).rejects.toThrow(part);
        rmSync(dir, { recursive: true });
      },
    );
}
