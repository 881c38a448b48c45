import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TrainingStep } from '../../../../src/engine/core/training/training-step.js';
import { contentsOf } from '../../../../src/engine/models/files/model-file.js';
import { loadPipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { train as trainInMemory } from '../../../../src/runtime/pipeline/training/train.js';
import { toyPipeline, toyRecords, workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();
const heldOut = '  - evaluate: { on: { ndjson: { files: [train.ndjson] } } }\n';
const file = toyPipeline(folder, 40, heldOut);
const withCheckpoints = toyPipeline(workspace(), 40, '  - checkpoint: { dir: checkpoints }\n');
const three = ['train.seeds=3', 'train.epochs=2', 'train.dropout=0.3'];
const bytes = () => readFileSync(join(folder, 'toy.model'));

interface Run {
  readonly resume?: boolean;
  /** Sentences after which the run is stopped. */
  readonly until?: number;
}

async function run(pipeline: string, set: readonly string[], { resume = false, until }: Run = {}) {
  const steps: TrainingStep[] = [];
  const controller = new AbortController();
  const result = await runPipeline(loadPipeline(pipeline, { set }), {
    resume,
    signal: controller.signal,
    model: join(folder, 'toy.model'),
    events: {
      onStep: step => {
        steps.push(step);
        if (step.sentencesSeen === until) controller.abort();
      },
    },
  });
  return { ...result, steps };
}

describe('train.seeds', () => {
  it('makes all passes with each seed, and the model that is scored last', {
    tags: 'slow',
  }, async () => {
    const test = 'test={ndjson: {files: [train.ndjson]}}';
    const { steps, sentencesSeen, test: scores } = await run(file, [...three, test]);
    expect(sentencesSeen).toBe(3 * 2 * 40);
    const ends = steps.filter(({ passEnd }) => passEnd !== undefined);
    expect(ends.map(({ passEnd }) => passEnd)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(ends.at(-1)!.scores).toEqual(scores);
    // The third pass is the first one of a seed.
    expect(ends[2]!.meanLoss).toBeGreaterThan(ends[1]!.meanLoss);
    const one = await run(file, ['train.epochs=2', 'train.dropout=0.3', 'train.seed=8']);
    expect(one.steps.map(({ meanLoss }) => meanLoss)).toEqual(
      steps.slice(20, 40).map(({ meanLoss }) => meanLoss),
    );
  });

  it.each([36, 80, 116, 236])(
    'resumes to the same bytes after %i of 240 sentences',
    { tags: 'slow' },
    async until => {
      await run(withCheckpoints, three);
      const whole = bytes();
      expect((await run(withCheckpoints, three, { until })).sentencesSeen).toBe(until);
      const { sentencesSeen } = await run(withCheckpoints, three, { resume: true });
      expect(sentencesSeen).toBe(240);
      expect(bytes().equals(whole)).toBe(true);
    },
  );

  it('refuses to resume with other passes of a seed', async () => {
    await run(withCheckpoints, three, { until: 116 });
    await expect(
      run(withCheckpoints, [...three, 'train.epochs=3'], { resume: true }),
    ).rejects.toThrow('each seed had 2 passes, and would have 3');
  });

  it('is noted as the length of the training', async () => {
    await run(file, three);
    const again = runPipeline(loadPipeline(file, { set: ['train.epochs=5'] }), {
      model: join(folder, 'toy.model'),
      keepLonger: true,
    });
    await expect(again).rejects.toThrow('it had up to 6 passes, this run has 5');
  });

  it.each([
    [['train={corpusSize: 40, seeds: 2}'], 'several seeds need a corpus in memory, not a stream'],
    [['stages.optimize={lbfgs: {}}'], 'the batch optimizer lbfgs does not depend on the seed'],
    [
      ['stages.optimize={voted-perceptron: {}}', perceptron()],
      'voted-perceptron keeps weights that vote',
    ],
    [
      ['stages.optimize={perceptron: {untilSeparated: true}}', perceptron()],
      'every seed runs all its passes',
    ],
    [['model={file: toy.model, scorer: memm}', 'stages.contribute.loss=local-log'], 'scorer memm'],
    [['model={file: toy.model, hidden: 2}'], 'hidden states differ from seed to seed'],
    [
      ['train.workers=2', 'train.mode=hogwild'],
      'the order of updates does not follow from the seed',
    ],
    [['train.start=other.model'], 'several seeds always start from zero weights'],
    [['train.shuffle=false'], 'all seeds give the same weights'],
    [['stages.evaluate.patience=2'], 'several seeds average the last weights'],
    [['stages.evaluate.best=true'], 'several seeds average the last weights'],
    [['train.cluster={shards: 2}'], 'several seeds cannot be combined with train.cluster'],
  ])('is refused with %j', (set, problem) => {
    expect(() => loadPipeline(file, { set: ['train.seeds=2', ...set] })).toThrow(problem);
  });

  it('gives the same weights in memory, and is refused there too', { tags: 'slow' }, async () => {
    await run(file, three);
    const request = {
      corpus: toyRecords(40).map(record => JSON.parse(record)),
      features: { templates: ['U00:%x[0,0]', 'U01:%x[-1,0]', 'B'] },
      trainer: { sgd: { eta0: 0.2, l2: 0.1 } },
      tokenize: {},
      ...{ batch: 4, epochs: 2, seed: 7, seeds: 3, dropout: 0.3 },
    };
    const { bytes: made } = await trainInMemory(request);
    expect(contentsOf(made).sections).toEqual(contentsOf(bytes()).sections);
    const iterated = trainInMemory({ ...request, dropout: 0, trainer: { lbfgs: {} } });
    await expect(iterated).rejects.toThrow(
      'seeds: the batch optimizer lbfgs does not depend on the seed',
    );
  });
});

function perceptron(): string {
  return 'stages.contribute.loss=perceptron';
}
