import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Document } from '../../../src/core/sentence/document.js';
import type { TrainingStep } from '../../../src/core/training/training-step.js';
import { parsePipeline } from '../../../src/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../src/pipeline/run/run-pipeline.js';
import { train as trainInMemory } from '../../../src/pipeline/training/train.js';
import { toyRecords, workspace } from '../../cli/commands/workspace.js';

const folder = workspace();
const model = join(folder, 'pairs.model');
const corpus = toyRecords(40)
  .map(line => JSON.parse(line) as { tokens: string[]; tags: string[] })
  .map(({ tokens, tags }) => ({ tokens, tags: tags.map((tag, t) => `${tag}|${t % 2}`) }));
writeFileSync(
  join(folder, 'pairs.ndjson'),
  corpus.map(record => `${JSON.stringify(record)}\n`).join(''),
);

const text = `version: 1
name: pairs
source: { ndjson: { files: [pairs.ndjson] } }
stages:
  - tokenize: {}
  - featurize: { templates: ["U0:%x[0,0]", "B"] }
  - batch: { sentences: 4 }
  - contribute: { loss: log }
  - optimize: { sgd: { l2: 0.1 } }
train: { epochs: 6 }
model: { file: pairs.model, layers: "|" }
`;

const load = (set: readonly string[]) => parsePipeline(text, join(folder, 'pairs.yaml'), { set });

async function train(...set: string[]) {
  const steps: TrainingStep[] = [];
  await runPipeline(load(set), { model, events: { onStep: step => steps.push(step) } });
  return { steps, bytes: readFileSync(model) };
}

describe('a pipeline with tags of two layers', () => {
  it.each([
    ...['sgd: {l2: 0.1}', 'sgd-l1: {l1: 0.1}', 'adagrad: {}', 'lbfgs: {l2: 0.1}', 'owl-qn: {}'].map(
      optimize => [optimize, 'log'],
    ),
    ...['perceptron: {}', 'passive-aggressive: {}', 'arow: {}'].map(each => [each, 'perceptron']),
    ['sgd: {}', 'hinge'],
    ['lbfgs: {l2: 0.1}', 'softmax-margin'],
    ['lbfgs: {l2: 0.1}', 'pointwise-log'],
  ])('trains them with %s and the loss %s', async (optimize, loss) => {
    const { steps } = await train(
      `stages.4.optimize={${optimize}}`,
      `stages.contribute.loss=${loss}`,
      'train.epochs=15',
    );
    // Of labels that all score 0 the perceptron has no loss.
    const most = Math.max(...steps.map(({ meanLoss }) => meanLoss));
    expect(steps.at(-1)!.meanLoss).toBeLessThan(most / 2);
  });

  it.each(['all', 'observed'])(
    'gives the same bytes for any number of workers: %s',
    async support => {
      const set = ['stages.4.optimize={lbfgs: {l2: 0.1}}', `stages.featurize.support=${support}`];
      const alone = await train(...set);
      const together = await train(...set, 'train.workers=2');
      expect(together.bytes.equals(alone.bytes)).toBe(true);
    },
  );

  it.each([
    ['passes', [] as string[]],
    ['iterations', ['stages.4.optimize={lbfgs: {l2: 0.1}}']],
  ])('is resumed by %s to the bytes of a run that never stopped', async (_, set) => {
    const dir = join(folder, 'pairs-checkpoints');
    const all = [...set, `stages.5={checkpoint: {dir: ${dir}}}`];
    const pipeline = (epochs: number) => load([...all, `train.epochs=${epochs}`]);
    await runPipeline(pipeline(6), { model });
    const whole = readFileSync(model);
    rmSync(dir, { recursive: true });
    await runPipeline(pipeline(3), { model });
    await runPipeline(pipeline(6), { model, resume: true });
    expect(readFileSync(model).equals(whole)).toBe(true);
    rmSync(dir, { recursive: true });
  });

  it.each([
    [['model.scorer=memm'], 'model.scorer', /linear/],
    [['model.hidden=2'], 'hidden', /leave/],
    ...['cd', 'gis'].map(
      name => [[`stages.4.optimize={${name}: {}}`], `optimizer ${name}`, /lbfgs/] as const,
    ),
    [
      ['stages.4.optimize={voted-perceptron: {}}', 'stages.contribute.loss=perceptron'],
      'the optimizer voted-perceptron',
      /lbfgs/,
    ],
    [['train={corpusSize: 40}'], 'learned from a corpus', /train.epochs/],
    [['train.workers=2'], 'train.workers', /batch optimizer/],
    [['model.layers=""'], 'model', /./],
  ] as const)('is refused with %j, and the way out', (set, message, fix) => {
    let thrown: unknown;
    try {
      load(set);
    } catch (error) {
      thrown = error;
    }
    expect((thrown as Error).message).toContain(message);
    expect((thrown as Error).message).toMatch(fix);
  });
});

describe('train with tags of two layers', () => {
  const request = { corpus: corpus as Document[], features: { templates: ['U:%x[0,0]', 'B'] } };

  it('gives a tagger of pairs', async () => {
    const { tagger, scores } = await trainInMemory({ ...request, layers: '|', heldOut: corpus });
    expect(scores!.accuracy).toBeGreaterThan(0.9);
    expect(tagger.tag(corpus[0]!.tokens)).toEqual(corpus[0]!.tags);
    expect(tagger.labels[0]).toContain('|');
  });

  it('refuses what cannot train them, and tags of one layer', async () => {
    const refused = (more: object) => trainInMemory({ ...request, layers: '|', ...more });
    await expect(refused({ trainer: { cd: {} } })).rejects.toThrow('trainer: ');
    await expect(refused({ hidden: 2 })).rejects.toThrow('hidden: ');
    await expect(refused({ layers: '/' })).rejects.toMatchObject({ code: 'unknown-label' });
  });
});
