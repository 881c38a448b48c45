import { readFileSync, rmSync, writeFileSync } from 'node:fs';
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
import { toyPipeline, toyRecords, workspace } from '../../../cli/commands/workspace.js';
import { difference } from '../../../contracts/oracle/differences/difference.js';
import { linearScoresOf } from '../../../contracts/oracle/scores-of.js';
import { HmmTables } from '../../../contracts/oracle/tables/hmm-tables.js';
import { sentenceOf } from '../../../engine/features/sentence-of.js';

const folder = workspace();
const model = join(folder, 'toy.model');
const templates = 'stages.featurize.templates=["U0:%x[0,0]","B"]';
const hmm = [
  ...['model={scorer: hmm}', 'stages.contribute.loss=joint'],
  ...['stages.4.optimize={counts: {k: 0.1}}', templates],
];

async function train(file: string, set: readonly string[]) {
  const steps: TrainingStep[] = [];
  await runPipeline(loadPipeline(file, { set: [...hmm, ...set] }), {
    model,
    events: { onStep: step => steps.push(step) },
  });
  return { steps, bytes: readFileSync(model) };
}

/** Neither `epochs` nor the order of a pass: what a stream is. */
const streamed = ['train={corpusSize: 40}'];

describe('a pipeline with the scorer hmm', () => {
  const toy = () => toyPipeline(folder, 40);

  it('counts a hidden Markov model, which inspect shows', async () => {
    const { steps, bytes } = await train(toy(), ['train.epochs=1']);
    expect(steps.at(-1)!.meanLoss).toBeGreaterThan(0);
    const inspected = inspectModel(readInspected(bytes));
    expect(inspected.spec.scorer).toBe('hmm');
    const [named] = inspected.features!.filter(({ label }) => label === 'VERB');
    expect(named!.features.map(({ name }) => name)).toContain('U0:sees');
    const read = readModel(bytes, 'm', kernels.simd64);
    const sentences = toyRecords(40)
      .map(record => JSON.parse(record) as { tokens: string[]; tags: string[] })
      .map(({ tokens, tags }) => sentenceOf(tokens, { tags }));
    const tables = new HmmTables(sentences, {
      labels: read.labels.names,
      ...{ chain: [(token: string) => token], k: 0.1, transitionK: 1, minCount: 2 },
    });
    for (const sentence of [...sentences, sentenceOf(['Oslo', 'never'])]) {
      const found = linearScoresOf(read.parameters, read.encodeKnown(sentence));
      const expected = tables.scores(sentence);
      expect(difference(found.emissions.flat(), expected.emissions.flat())).toBeLessThan(1e-6);
      const pairs = [found, expected].map(({ transitions }) => transitions[0]!.flat());
      expect(difference(pairs[0]!, pairs[1]!)).toBeLessThan(1e-6);
    }
  });

  it.each([
    ['without a section train', 'train={}'],
    ['without epochs', 'train={seed: 3}'],
  ])('counts one pass %s', (_, section) => {
    const file = readFileSync(toy(), 'utf8').replace(/^train:.*\n/m, '');
    const set = [...hmm, ...(section === 'train={}' ? [] : [section])];
    const { train, config } = parsePipeline(file, toy(), { set });
    expect(train).toMatchObject({ epochs: 1, shuffle: true });
    expect(config.train).toEqual(train);
  });

  it('has on a stream the weights of a pass', async () => {
    const { bytes } = await train(toy(), ['train.epochs=1', 'train.shuffle=false']);
    const { bytes: other } = await train(toy(), streamed);
    const weights = (file: Uint8Array) => {
      const { state, edges } = readModel(file).parameters.weights;
      return [...state.view, ...edges.view];
    };
    expect(weights(other)).toEqual(weights(bytes));
  });

  it.each([
    ['with room for all features', ''],
    ['with few features, so that words and endings go and come back', ', maxFeatures: 70'],
  ])(
    'is resumed on a stream to the bytes of a run that never stopped: %s',
    { tags: 'slow' },
    async (_, limit) => {
      const lines = toyRecords(2001).map((line, i) =>
        line.replace('"the"', `"w${(i * 7) % 90}"`).replace('{', `{"weight":${1 + (i % 3)},`),
      );
      writeFileSync(join(folder, 'stream.ndjson'), `${lines.join('\n')}\n`);
      const text = `version: 1
name: stream
source: { ndjson: { files: [stream.ndjson] } }
stages:
  - featurize: { templates: ["U0:%x[0,0]", "U1:%suffix[0,0,2]", "U2:%suffix[0,0,1]"]${limit} }
  - batch: { sentences: 5 }
  - contribute: { loss: joint }
  - optimize: { counts: {} }
  - checkpoint: { dir: hmm-checkpoints, sentences: 100 }
train: { corpusSize: 1000 }
model: { file: stream.model, scorer: hmm }
`;
      let evicted = 0;
      const run = async (resume: boolean, stop: boolean) => {
        const controller = new AbortController();
        const { sentencesSeen } = await runPipeline(
          parsePipeline(text, join(folder, 'stream.yaml')),
          {
            ...{ resume, signal: controller.signal },
            events: {
              onEvicted: features => {
                evicted += features;
              },
              onStep: () => {
                if (stop) setImmediate(() => controller.abort());
              },
            },
          },
        );
        return sentencesSeen;
      };
      expect(await run(false, false)).toBe(2001);
      const whole = readFileSync(join(folder, 'stream.model'));
      rmSync(join(folder, 'hmm-checkpoints'), { recursive: true });
      const seen = await run(false, true);
      expect(seen).toBeGreaterThan(100);
      expect(seen).toBeLessThan(1900);
      expect(await run(true, false)).toBe(2001);
      expect(readFileSync(join(folder, 'stream.model')).equals(whole)).toBe(true);
      rmSync(join(folder, 'hmm-checkpoints'), { recursive: true });
      expect(evicted > 0).toBe(limit !== '');
      const { state } = readModel(whole).parameters.weights;
      expect(state.view.every(Number.isFinite)).toBe(true);
    },
  );

  it.each([
    [['stages.contribute.loss=log'], 'contribute.loss', /joint, or the scorer linear or memm/],
    [
      ['model={scorer: linear}'],
      'the optimizer counts cannot be combined with the scorer linear',
      /use the scorer hmm/,
    ],
    [
      ['model={scorer: linear}', 'stages.contribute.loss=log'],
      'the optimizer counts cannot be combined with the scorer linear',
      /use the scorer hmm/,
    ],
    ...['sgd', 'sgd-l1', 'adagrad', 'lbfgs', 'cd'].map(
      name =>
        [
          [`stages.4.optimize={${name}: {}}`],
          `stages[4].optimize: the `,
          /optimizer .* scorer/,
        ] as const,
    ),
    [['stages.featurize.hashed={}'], 'featurize.hashed', /leave it out/],
    [['stages.featurize.support=observed'], 'featurize.support', /support: all/],
    [['stages.featurize.mutualInformation={keep: 5}'], 'mutualInformation', /minCount/],
    [['train.dropout=0.1'], 'train.dropout', /leave it out/],
    [['train.threshold={keep: 5}'], 'train.threshold', /minCount/],
    [['train.compact=true'], 'train.compact', /leave it out/],
    [['train.start=toy.model'], 'train.start', /resume/],
    [['train.workers=2'], 'train.workers', /train in one thread/],
    [
      ['stages.featurize={preset: pos}'],
      'stages[1].featurize.preset: the scorer hmm does not support presets',
      /templates: \[/,
    ],
    [['train.epochs=2'], 'train.epochs: the optimizer counts', /leave epochs out/],
  ] as const)('is refused with %j, and the way out', async (set, message, fix) => {
    const refused = validatePipeline(toy(), { set: [...hmm, ...set] });
    const error = (await refused.catch((thrown: unknown) => thrown)) as Error & { fix?: string };
    expect(error.message).toContain(message);
    expect(error.message).toMatch(fix);
  });

  it('is not pruned, and counted with all digits', async () => {
    const set = [...hmm, ...streamed, 'stages.featurize.prune={every: 100}'];
    await expect(validatePipeline(toy(), { set })).rejects.toThrow('prune: the scorer hmm');
    const rough = runPipeline(loadPipeline(toy(), { set: [...hmm, 'train.epochs=1'] }), {
      model,
      kernel: kernels.simd,
    });
    await expect(rough).rejects.toMatchObject({
      code: 'config',
      fix: expect.stringMatching(/simd64/),
    });
  });
});
