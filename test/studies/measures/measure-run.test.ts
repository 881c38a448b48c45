import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { EncodedSentence } from '../../../src/engine/core/minibatch/encoded-sentence.js';
import type { TrainingStep } from '../../../src/engine/core/training/training-step.js';
import { readModel } from '../../../src/engine/models/files/model-file.js';
import { activeWeights } from '../../../src/engine/models/inspection/sparsity-pattern.js';
import { kernels } from '../../../src/engine/models/kernels.js';
import { observedRun } from '../../../src/runtime/pipeline/run/run-pipeline.js';
import type { TrainingParts } from '../../../src/runtime/pipeline/stages/build-training.js';
import { checkPlugin } from '../../../src/runtime/plugins/check-plugin.js';
import { parseStudy } from '../../../src/studies/load-study.js';
import { corpusLoss, penaltyOf } from '../../../src/studies/measures/measure-model.js';
import type { QuantityName } from '../../../src/studies/measures/quantities.js';
import { measureRun } from '../../../src/studies/run-study.js';
import { workspace } from '../../cli/commands/workspace.js';
import { toyStudy, toyText } from '../toy-study.js';

const file = toyStudy(workspace());

function pipelineWith(...set: string[]) {
  return parseStudy(toyText(), file, { only: ['sgd/all'], set }).runs[0]!.pipeline;
}

const all: QuantityName[] = [
  ...(['accuracy', 'error', 'f1', 'objective', 'loss', 'active', 'unigram', 'bigram'] as const),
  ...(['transitions', 'edges', 'features', 'passes', 'evaluations', 'sentences'] as const),
];

/** Keeps what a training works with, and its corpus. */
function observed() {
  const seen: { training?: TrainingParts; corpus: readonly EncodedSentence[] } = { corpus: [] };
  const observer = {
    onTrainee: (training: TrainingParts) => {
      seen.training = training;
    },
    onSettled: (corpus: readonly EncodedSentence[]) => {
      seen.corpus = corpus;
    },
  };
  return { observer, seen };
}

describe('measureRun', () => {
  it('measures the objective that batch optimizers minimise, sums and counts of the model', {
    tags: 'slow',
  }, async () => {
    const optimize = 'stages.optimize={lbfgs: {l2: 0.5}}';
    const pipeline = pipelineWith(optimize, 'train.epochs=12');
    const { observer, seen } = observed();
    let objective = 0;
    let evaluations = 0;
    const events = {
      onStep: ({ iteration }: TrainingStep) => {
        objective = iteration!.objective;
        evaluations = iteration!.evaluations;
      },
    };
    const { test } = await observedRun(pipeline, { events }, { observer });
    const { training, corpus } = seen;
    const parameters = training!.finishing.learner.deployedParameters();
    const loss = corpusLoss(kernels.simd64, parameters, corpus, training!.loss);
    const sum = loss + penaltyOf(pipeline, parameters)!;
    // Deployed weights are rounded to float32.
    expect(Math.abs(sum - objective)).toBeLessThan(1e-4 * objective);
    const counts = activeWeights(parameters);
    expect(counts.unigram).toBeGreaterThan(40);
    expect(counts.bigram).toBe(16);

    const measures = await measureRun(pipeline, { measured: new Set(all) });
    expect(measures!.values).toEqual({
      ...counts,
      ...{ accuracy: test!.accuracy, error: 100 - test!.accuracy!, f1: null },
      ...{ objective, loss, passes: 12, evaluations, sentences: 60 },
    });
    expect(measures!.times.seconds).toBeGreaterThan(0);
    expect(measures!.times.cpu).toBeGreaterThan(0);
    expect(measures!.course).toEqual([]);
  });

  it.each([
    ['declares none', {}, undefined],
    ['has none', { penalty: () => ({}) }, 0],
    ['names its option otherwise', { penalty: ({ l1 }: { l1: number }) => ({ l2: 2 * l1 }) }, 3],
  ])('asks the optimizer of a plug-in, which %s, for its penalties', (_, declared, expected) => {
    const definition = {
      ...{ kind: 'optimizer', name: 'mine', summary: 'mine', ...declared },
      ...{ options: z.object({ l1: z.number() }), create: () => ({}) },
    };
    const { optimizers } = checkPlugin({ name: 'its', components: [definition] });
    const part = { component: optimizers[0]!, options: { l1: 0.75 } };
    const views = { state: [1, 0], edges: [-1], pairs: [] };
    const weights = Object.fromEntries(
      Object.entries(views).map(([table, numbers]) => [table, { view: numbers }]),
    );
    const penalty = penaltyOf({ plan: { optimizer: part } } as never, { weights } as never);
    expect(penalty).toBe(expected);
  });

  it('refuses what is no penalty', () => {
    const components = [
      { kind: 'optimizer', name: 'mine', summary: 'mine', create: () => ({}), penalty: () => 3 },
    ];
    const [component] = checkPlugin({ name: 'its', components }).optimizers;
    expect(() => component!.penalty!({} as never)).toThrow(
      /the optimizer mine of the plug-in its returned no penalties/,
    );
  });

  it('measures weights of pairs and of conditioned transitions apart', async () => {
    const templates = 'stages.featurize.templates=["U00:%x[0,0]", "B", "B01:%x[0,0]"]';
    const counts = ['active', 'unigram', 'bigram', 'transitions', 'edges', 'features'] as const;
    for (const support of ['all', 'observed']) {
      const pipeline = pipelineWith(templates, `stages.featurize.support=${support}`);
      const { values } = (await measureRun(pipeline, { measured: new Set(counts) }))!;
      const { active, unigram, bigram, transitions, edges, features } = values as Record<
        string,
        number
      >;
      expect([unigram! + bigram!, transitions! + edges!]).toEqual([active, bigram]);
      // 10 words, one tag each, 4 tags; without observed pairs every weight gets a gradient.
      const dense = support === 'all';
      expect(unigram).toBe(dense ? 40 : 10);
      // The records have 9 pairs of tags in a row.
      expect(transitions).toBe(dense ? 16 : 9);
      expect(edges).toBe(dense ? 160 : 18);
      // Each word has a state and an edge feature.
      expect(features).toBe(20);
    }
  });

  it('measures the course after every so many passes, the same as at the end', async () => {
    const pipeline = pipelineWith('train.epochs=5', 'stages.optimize={sgd-l1: {l1: 0.3}}');
    const measure = ['objective', 'active', 'accuracy', 'rankLoss'] as const;
    const { values, course } = (await measureRun(pipeline, {
      measured: new Set(measure),
      course: { measure, every: 2 },
    }))!;
    expect(course.map(point => point.values.passes)).toEqual([2, 4]);
    const four = pipelineWith('train.epochs=4', 'stages.optimize={sgd-l1: {l1: 0.3}}');
    const short = await measureRun(four, { measured: new Set(measure) });
    expect(course[1]!.values).toEqual({ passes: 4, ...short!.values });
    expect(values.objective).toBeLessThan(course[0]!.values.objective!);
    const seconds = course.map(({ times }) => times.seconds!);
    expect(seconds[1]).toBeGreaterThan(seconds[0]!);
  });

  it('measures the best weights where these are kept', async () => {
    const held = 'evaluate: { on: { ndjson: { files: [test.ndjson] } }, patience: 1 }';
    const stages = `stages=[{featurize: {templates: ["U00:%x[-1,0]"]}}, {batch: {}}, {contribute: {}}, {optimize: {sgd: {eta0: 3, schedule: constant}}}, {${held}}]`;
    const pipeline = pipelineWith('train.epochs=30', stages);
    const { observer, seen } = observed();
    const result = await observedRun(pipeline, {}, { observer });
    const { training, corpus } = seen;
    const { finishing, loss: lossOf } = training!;
    const { learner } = finishing;
    expect(result.bestPass).toBeLessThan(learner.sentencesSeen / 60);
    const best = readModel(finishing.stopping!.bestModel!);
    const encoded = corpus.map(({ sentence }) => best.encodeKnown(sentence));
    const loss = corpusLoss(best.kernel, best.parameters, encoded, lossOf);
    const { values } = (await measureRun(pipeline, { measured: new Set(['loss', 'accuracy']) }))!;
    expect(values).toEqual({ loss, accuracy: result.test!.accuracy });
    const last = learner.deployedParameters();
    expect(corpusLoss(best.kernel, last, corpus, lossOf)).not.toBeCloseTo(loss, 3);
  });

  it('scores the training data by the weights of the model file, as test data that is the same', {
    tags: 'slow',
  }, async () => {
    const learned = ['test.ndjson.files=[train.ndjson]', 'test.ndjson.limit=60', 'train.epochs=2'];
    const losses = ['loss', 'objective', 'rankLoss', 'trainRankLoss'] as const;
    const measured = new Set(['error', 'trainError', 'active', 'exact', ...losses] as const);
    for (const optimize of ['{sgd: {eta0: 0.01}}', '{lbfgs: {l2: 0.5}}']) {
      const given = ['stages.featurize.templates=["U00:%x[-1,0]"]', `stages.optimize=${optimize}`];
      const whole = await measureRun(pipelineWith(...learned, ...given), { measured });
      expect(whole!.values.trainError).toBeGreaterThan(0);
      expect(whole!.values.trainError).toBe(whole!.values.error);
      expect(whole!.values.trainRankLoss).toBe(whole!.values.rankLoss);
      expect(whole!.values.rankLoss).toBeGreaterThan(1 - whole!.values.exact! / 100 - 1e-12);
      expect(whole!.values.exact).toBeLessThan(100);
      const kept = pipelineWith(...learned, ...given, 'train.threshold={keep: 2}');
      const { values } = (await measureRun(kept, { measured }))!;
      expect(values.active).toBe(2);
      expect(values.trainError).toBe(values.error);
      expect(values.trainRankLoss).toBe(values.rankLoss);
      expect(values.rankLoss).toBeGreaterThan(whole!.values.rankLoss!);
      expect(values.trainError).toBeGreaterThan(whole!.values.trainError!);
      expect(values.loss).toBeGreaterThan(whole!.values.loss!);
      expect(values.objective).toBeGreaterThanOrEqual(values.loss!);
    }
  });

  it('says nothing of what was stopped', async () => {
    const stop = new AbortController();
    const measures = await measureRun(pipelineWith('train.epochs=50'), {
      measured: new Set(['active']),
      signal: stop.signal,
      events: { onStep: ({ passEnd }) => passEnd === 2 && stop.abort() },
    });
    expect(measures).toBeUndefined();
  });
});
