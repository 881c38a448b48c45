import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Document } from '../../../src/engine/core/sentence/document.js';
import type { TrainingStep } from '../../../src/engine/core/training/training-step.js';
import type { ParameterStore } from '../../../src/engine/kernels/store/parameter-store.js';
import { readModel } from '../../../src/engine/models/files/model-file.js';
import { loadPipeline } from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import { validatePipeline } from '../../../src/runtime/pipeline/loading/validate-pipeline.js';
import { runPipeline } from '../../../src/runtime/pipeline/run/run-pipeline.js';
import { train as trainInMemory } from '../../../src/runtime/pipeline/training/train.js';
import type { TrainRequest } from '../../../src/runtime/pipeline/training/train-request.js';
import { toyPipeline, toyRecords, workspace } from '../../cli/commands/workspace.js';

const folder = workspace();
const model = join(folder, 'toy.model');
const toy = () => toyPipeline(folder, 40);
const hidden = 'model={hidden: {states: 2, seed: 4}}';
const lbfgs = 'stages.4.optimize={lbfgs: {l2: 0.1}}';

async function train(...set: string[]) {
  const steps: TrainingStep[] = [];
  await runPipeline(loadPipeline(toy(), { set: [hidden, ...set] }), {
    model,
    events: { onStep: step => steps.push(step) },
  });
  return { steps, bytes: readFileSync(model) };
}

/** The sum of all weights' magnitudes, or of their squares. */
function normOf({ weights }: ParameterStore, isAbsolute: boolean): number {
  let sum = 0;
  for (const table of ['state', 'edges', 'pairs'] as const) {
    for (const weight of weights[table].view) sum += isAbsolute ? Math.abs(weight) : weight ** 2;
  }
  return sum;
}

describe('a pipeline with hidden states', () => {
  it('trains them by SGD, L-BFGS and others, and the user sees labels alone', {
    tags: 'slow',
  }, async () => {
    for (const optimize of [
      'sgd: {l2: 0.1}',
      'sgd-l1: {l1: 0.1}',
      'adagrad: {}',
      'lbfgs: {l2: 0.1}',
      'owl-qn: {l1: 0.1}',
      'cg: {l2: 0.1}',
      'rprop: {l2: 0.1}',
      'switch: {first: {sgd: {}}, epochs: 2, next: {lbfgs: {l2: 0.1}}}',
    ]) {
      const { steps, bytes } = await train(`stages.4.optimize={${optimize}}`, 'train.epochs=20');
      const [first, last] = [steps[0]!, steps.at(-1)!];
      const { parameters } = readModel(bytes);
      if (last.iteration === undefined) expect(last.meanLoss).toBeLessThan(first.meanLoss / 2);
      else {
        // The mean loss is without penalties. The objective with them halves, and those are of the weights in the file.
        const { objective, loss } = last.iteration;
        const started = steps.find(({ iteration }) => iteration !== undefined)!.iteration!;
        expect(objective).toBeLessThan(started.objective / 2);
        // Rprop takes another step from the weights that it measures.
        if (!optimize.includes('rprop'))
          expect(objective).toBeCloseTo(
            loss + 0.1 * normOf(parameters, optimize.includes('l1')),
            3,
          );
      }
      const { labels } = readModel(bytes);
      expect(labels.size).toBe(2 * labels.tags.length);
      expect(labels.tags).toContain('VERB');
    }
  });

  it.each(['hinge', 'softmax-margin', 'pointwise-log', 'exponential'])(
    'trains them with the loss %s',
    async loss => {
      const { steps } = await train(`stages.contribute.loss=${loss}`, 'train.epochs=8');
      expect(steps.at(-1)!.meanLoss).toBeLessThan(steps[0]!.meanLoss / 2);
    },
  );

  it('gives the same bytes for any number of workers, by passes and by iterations', {
    tags: 'slow',
  }, async () => {
    for (const set of [[], [lbfgs], ['stages.featurize.support=observed', lbfgs]]) {
      const alone = await train(...set, 'train.epochs=5');
      const together = await train(...set, 'train.epochs=5', 'train.workers=2');
      expect(together.bytes.equals(alone.bytes)).toBe(true);
    }
    const other = await train('model={hidden: {states: 2, seed: 5}}', 'train.epochs=5');
    expect(other.bytes.equals((await train('train.epochs=5')).bytes)).toBe(false);
  });

  it.each([
    ['passes', [] as string[]],
    ['iterations', [lbfgs]],
  ])(
    'is resumed by %s to the bytes of a run that never stopped',
    { tags: 'slow' },
    async (_, set) => {
      const dir = join(folder, 'hidden-checkpoints');
      const all = [...set, `stages.5={checkpoint: {dir: ${dir}}}`];
      const pipeline = (epochs: number) =>
        loadPipeline(toy(), { set: [hidden, ...all, `train.epochs=${epochs}`] });
      await runPipeline(pipeline(6), { model });
      const whole = readFileSync(model);
      rmSync(dir, { recursive: true });
      await runPipeline(pipeline(3), { model });
      await runPipeline(pipeline(6), { model, resume: true });
      expect(readFileSync(model).equals(whole)).toBe(true);
      const changed = loadPipeline(toy(), { set: ['model={hidden: 3}', ...all, 'train.epochs=7'] });
      await expect(runPipeline(changed, { model, resume: true })).rejects.toThrow('model.hidden');
      rmSync(dir, { recursive: true });
    },
  );

  it.each([
    [['model={scorer: hmm, hidden: 2}', 'stages.contribute.loss=joint'], 'hmm', /scorer|counts/],
    ...['cd', 'bcd', 'gis', 'iis'].map(
      name => [[`stages.4.optimize={${name}: {}}`], `optimizer ${name}`, /use lbfgs/] as const,
    ),
    [
      ['stages.4.optimize={eg: {l2: 1}}', 'stages.contribute.loss=hinge'],
      'the batch optimizer eg needs fully observed labels',
      /use lbfgs/,
    ],
    [['train={corpusSize: 40}'], 'hidden states are initialized once', /train.epochs/],
    [['model={hidden: 17}'], 'model.hidden', /./],
    [['model={hidden: {states: 2, spread: 0}}'], 'model.hidden', /./],
  ] as const)('is refused with %j, and the way out', async (set, message, fix) => {
    const refused = validatePipeline(toy(), { set: [hidden, ...set] });
    const error = (await refused.catch((thrown: unknown) => thrown)) as Error & { fix?: string };
    expect(error.message).toContain(message);
    expect(error.message).toMatch(fix);
  });

  it('is none where nothing is trained, nor with one state', async () => {
    const plain = await train('model={}', 'train.epochs=3');
    const one = await train('model={hidden: 1}', 'train.epochs=3');
    expect(one.bytes.equals(plain.bytes)).toBe(true);
  });
});

describe('train with hidden states', () => {
  const corpus = toyRecords(40).map(line => JSON.parse(line) as Document);
  const request: TrainRequest = { corpus, features: { templates: ['U:%x[0,0]', 'B'] }, hidden: 2 };

  it('gives a tagger whose tags are those of the corpus', { tags: 'slow' }, async () => {
    const { tagger, scores } = await trainInMemory({ ...request, heldOut: corpus });
    expect(scores!.accuracy).toBeGreaterThan(0.9);
    const { tokens, tags } = corpus[0]! as { tokens: string[]; tags: string[] };
    const found = tagger.analyze(tokens, {}, { marginals: true, nbest: 3 });
    expect(found.tags).toEqual(tags);
    expect(found.marginals!.every(each => each > 0.5 && each <= 1)).toBe(true);
    expect(new Set(found.nbest!.map(each => each.tags.join())).size).toBe(found.nbest!.length);
    expect(tagger.labels).toEqual([...new Set(tagger.labels)]);
  });

  it('takes options, and refuses what cannot train them', async () => {
    const two = await trainInMemory({ ...request, epochs: 2 });
    const same = await trainInMemory({ ...request, epochs: 2, hidden: { states: 2 } });
    const other = await trainInMemory({ ...request, epochs: 2, hidden: { states: 2, seed: 2 } });
    expect(same.bytes).toEqual(two.bytes);
    expect(other.bytes).not.toEqual(two.bytes);
    await expect(trainInMemory({ ...request, trainer: { cd: {} } })).rejects.toThrow(
      'trainer: the batch optimizer cd',
    );
    const counted = { ...request, scorer: 'hmm', trainer: { counts: {} } } as const;
    await expect(trainInMemory(counted)).rejects.toThrow('trainer: the optimizer counts');
    const wordsAlone = { ...counted, trainer: { em: {} } };
    await expect(trainInMemory(wordsAlone)).rejects.toThrow('no template has numbers');
  });
});
