import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import type { TrainingStep } from '../../../../src/engine/core/training/training-step.js';
import { readModel } from '../../../../src/engine/models/files/model-file.js';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { train } from '../../../../src/runtime/pipeline/training/train.js';
import { toyRecords, workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();

/** Of every fifth record the tags are known, of every fifth one tag, of the rest none. */
const records = toyRecords(200).map((line, i): Document => {
  const { tokens, tags } = JSON.parse(line) as { tokens: string[]; tags: string[] };
  if (i % 5 === 0) return { tokens, tags };
  if (i % 5 === 1) return { tokens, partialTags: tags.map((tag, t) => (t === 0 ? tag : null)) };
  return { tokens };
});
const lines = records.map(({ tokens, tags, partialTags }) =>
  JSON.stringify({ tokens, ...((tags ?? partialTags) ? { tags: tags ?? partialTags } : {}) }),
);
writeFileSync(join(folder, 'mixed.ndjson'), `${lines.join('\n')}\n`);
/** Records for long enough that a stop comes before their end. */
const many = Array.from({ length: 10 }, () => lines).flat();
writeFileSync(join(folder, 'many.ndjson'), `${many.join('\n')}\n`);

const text = (optimize: string, featurize: string, rest: string) => `version: 1
name: mixed
source: { ndjson: { files: [mixed.ndjson] } }
stages:
  - featurize: { templates: ["U0:%x[0,0]", "U1:%suffix[0,0,1]"]${featurize} }
  - batch: { sentences: 8 }
  - contribute: { loss: joint }
  - optimize: { ${optimize} }
  - checkpoint: { dir: em-checkpoints, sentences: 400 }
${rest}
model: { file: mixed.model, scorer: hmm }
`;
const unlabelled = ', unlabelled: { weight: 0.5 }';

async function run(file: string, { resume = false, stopAfter = Number.POSITIVE_INFINITY } = {}) {
  const steps: TrainingStep[] = [];
  const controller = new AbortController();
  await runPipeline(parsePipeline(file, join(folder, 'mixed.yaml')), {
    ...{ resume, signal: controller.signal },
    events: {
      onStep: step => {
        steps.push(step);
        if (steps.length >= stopAfter) setImmediate(() => controller.abort());
      },
    },
  });
  const bytes = readFileSync(join(folder, 'mixed.model'));
  return { steps, bytes, iterations: steps.flatMap(({ iteration }) => iteration ?? []) };
}

function forgetCheckpoints(): void {
  rmSync(join(folder, 'em-checkpoints'), { recursive: true, force: true });
}

describe('a pipeline with em', () => {
  const file = text('em: { decrease: 1e-9 }', unlabelled, 'train: { epochs: 12, seed: 2 }');

  it('learns from records with, without and with some labels', { tags: 'slow' }, async () => {
    forgetCheckpoints();
    const { iterations, bytes, steps } = await run(file);
    expect(steps[0]!.contribution.sentenceCount).toBe(200);
    for (const [i, { objective }] of iterations.entries()) {
      if (i > 0) expect(objective).toBeLessThanOrEqual(iterations[i - 1]!.objective + 1e-9);
    }
    expect(iterations).toHaveLength(12);
    forgetCheckpoints();
    const without = await run(file.replace(unlabelled, ''));
    expect(without.steps[0]!.contribution.sentenceCount).toBe(80);
    // Words of unlabelled records have entries.
    expect(readModel(bytes).stateIndex.size).toBeGreaterThanOrEqual(
      readModel(without.bytes).stateIndex.size,
    );
    forgetCheckpoints();
  });

  it('is resumed to the bytes of a run that never stopped', { tags: 'slow' }, async () => {
    const whole = await run(file);
    forgetCheckpoints();
    const { steps } = await run(file, { stopAfter: 4 });
    expect(steps.length).toBeLessThan(12);
    const { steps: more, bytes } = await run(file, { resume: true });
    expect(more.length).toBeLessThan(12);
    expect(bytes.equals(whole.bytes)).toBe(true);
    forgetCheckpoints();
  });

  it('gives the weights that train gives', { tags: 'slow' }, async () => {
    const { bytes } = await run(file);
    forgetCheckpoints();
    const trained = await train({
      corpus: records,
      scorer: 'hmm',
      features: { templates: ['U0:%x[0,0]', 'U1:%suffix[0,0,1]'], unlabelled: { weight: 0.5 } },
      trainer: { em: { decrease: 1e-9 } },
      ...{ epochs: 12, seed: 2 },
    });
    const weights = (each: Uint8Array) => {
      const { state, edges } = readModel(each).parameters.weights;
      return [...state.view, ...edges.view];
    };
    expect(weights(trained.bytes)).toEqual(weights(bytes));
    expect(trained.iteration!.iteration).toBe(12);
  });

  it('takes the labels that no record names', async () => {
    const { tagger } = await train({
      corpus: toyRecords(60).map(line => ({
        tokens: (JSON.parse(line) as { tokens: string[] }).tokens,
      })),
      scorer: 'hmm',
      features: { templates: ['U0:%x[0,0]'], unlabelled: { labels: ['1', '2'] } },
      trainer: { em: { start: 'random' } },
    });
    expect(new Set(tagger.tag(['Ann', 'sees', 'Oslo', '.']))).toEqual(new Set(['1', '2']));
  });
});

describe('a pipeline with stepwise-em', () => {
  const optimize = 'stepwise-em: { warmUp: 10, minCount: 1 }';
  it.each([
    ['in passes', 'train: { epochs: 4, seed: 2 }', 30],
    ['on a stream', 'train: { corpusSize: 200 }', 8],
  ])(
    'is resumed %s to the bytes of a run that never stopped',
    { tags: 'slow' },
    async (_, rest, stopAfter) => {
      const mixed = text(optimize, unlabelled, rest).replace('sentences: 400', 'sentences: 50');
      const file = rest.includes('epochs') ? mixed : mixed.replace('mixed.ndjson', 'many.ndjson');
      const whole = await run(file);
      forgetCheckpoints();
      const { steps } = await run(file, { stopAfter });
      expect(steps.length).toBeLessThan(whole.steps.length);
      const { steps: more, bytes } = await run(file, { resume: true });
      expect(more.length).toBeLessThan(whole.steps.length);
      expect(bytes.equals(whole.bytes)).toBe(true);
      forgetCheckpoints();
      const { bytes: other } = await run(file.replace(unlabelled, ''));
      expect(other.equals(bytes)).toBe(false);
      forgetCheckpoints();
    },
  );

  it('has likelier tables after more passes, as those of em', { tags: 'slow' }, async () => {
    const lossAfter = async (epochs: number) => {
      const rest = `train: { epochs: ${epochs}, seed: 2 }`;
      const { steps } = await run(text(optimize, unlabelled, rest));
      forgetCheckpoints();
      return steps.at(-1)!.meanLoss;
    };
    const second = await lossAfter(2);
    const tenth = await lossAfter(10);
    const exact = await run(
      text('em: { decrease: 0, minCount: 1 }', unlabelled, 'train: { epochs: 30, seed: 2 }'),
    );
    forgetCheckpoints();
    const { tokenCount } = exact.steps[0]!.contribution;
    // The objective of em has the prior beside the likelihood.
    const bound = exact.iterations.at(-1)!.objective / tokenCount;
    expect(tenth).toBeLessThan(second);
    expect(tenth).toBeLessThan(bound);
  });
});

describe('unlabelled', () => {
  it.each([
    [
      'counts: {}',
      'train: { epochs: 1 }',
      /only the scorer hmm with the optimizers em and stepwise-em/,
      /optimizer em/,
    ],
    ['em: {}', 'train: { epochs: 5, workers: 2 }', /workers/, /train in one thread/],
    ['sgd: {}', 'train: { epochs: 5 }', /optimizer sgd cannot be combined/, /em/],
  ])('with %s and %s is refused, and the way out', (optimize, rest, message, fix) => {
    const parsed = () =>
      parsePipeline(text(optimize, unlabelled, rest), join(folder, 'mixed.yaml'));
    expect(parsed).toThrow(expect.objectContaining({ message: expect.stringMatching(message) }));
    expect(parsed).toThrow(expect.objectContaining({ fix: expect.stringMatching(fix) }));
  });

  it('is refused with other scorers, in a file and from code', async () => {
    const linear = text('sgd: {}', unlabelled, 'train: { epochs: 5 }')
      .replace(', scorer: hmm', '')
      .replace('loss: joint', 'loss: log');
    expect(() => parsePipeline(linear, join(folder, 'mixed.yaml'))).toThrow(
      /featurize.unlabelled: only the scorer hmm with the optimizers em/,
    );
    const request = { corpus: records, features: { templates: ['U:%x[0,0]'], unlabelled: {} } };
    await expect(train(request)).rejects.toThrow(/features.unlabelled: only/);
    await expect(train({ ...request, scorer: 'hmm' })).rejects.toThrow(/features.unlabelled: only/);
    await expect(train({ ...request, scorer: 'hmm', trainer: { sgd: {} } })).rejects.toThrow(/sgd/);
  });
});
