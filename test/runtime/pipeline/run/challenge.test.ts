import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { RunStatus } from '../../../../src/engine/core/run-status.js';
import type { ChampionChange } from '../../../../src/engine/models/learning/contest.js';
import { DeadLetters } from '../../../../src/runtime/io/dead-letters/dead-letters.js';
import {
  type LoadOptions,
  parsePipeline,
} from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { runMetrics } from '../../../../src/service/telemetry/run-metrics.js';
import { workspace } from '../../../cli/commands/workspace.js';
import { syntheticCorpus } from '../../../engine/models/examples/synthetic-corpus.js';

const folder = workspace();
const path = (name: string) => join(folder, name);
const corpus = syntheticCorpus(new Random(3), 600, { wordsPerLabel: 40 });
writeFileSync(
  path('stream.ndjson'),
  corpus
    .map(({ tokens, tags }, i) =>
      JSON.stringify({ id: i, tokens, ...(i % 5 === 4 ? {} : { tags }) }),
    )
    .join('\n'),
);

const text = `version: 1
name: stream
source: { ndjson: { files: [stream.ndjson] } }
stages:
  - featurize: { templates: ["U00:%x[0,0]", "U01:%x[-1,0]/%x[0,0]", "B"], maxFeatures: 2000 }
  - batch: { sentences: 2 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.001, l2: 0.1 } }
  - evaluate: { progressive: true }
  - checkpoint: { dir: checkpoints, sentences: 50, keep: 2 }
  - tag: {}
train: { corpusSize: 1000 }
challenge:
  alpha: 0.1
  learners:
    margin: { stages.contribute.loss: softmax-margin, stages.optimize: { adagrad: { eta0: 0.1 } } }
    other: { "stages.featurize.templates": ["U00:%x[0,0]", "B"], "stages.optimize.sgd.eta0": 0.01 }
model: stream.model
sink: { file: out.ndjson }
`;

async function run(
  options: { resume?: boolean; stopAt?: number; load?: LoadOptions; text?: string } = {},
) {
  const controller = new AbortController();
  const changes: ChampionChange[] = [];
  const status = new RunStatus();
  const pipeline = parsePipeline(options.text ?? text, path('stream.yaml'), options.load);
  const result = await runPipeline(pipeline, {
    resume: options.resume ?? false,
    deadLetters: new DeadLetters({ policy: 'fail' }),
    signal: controller.signal,
    status,
    events: {
      onChampion: change => changes.push(change),
      onStep: ({ sentencesSeen }) => {
        if (sentencesSeen >= (options.stopAt ?? Number.POSITIVE_INFINITY)) controller.abort();
      },
    },
  });
  return { result, changes, status };
}

const written = (name = 'out.ndjson') => readFileSync(path(name));

describe('a stream with challengers', () => {
  it('is answered by the best, whose model is written, and shows how they do', {
    tags: 'slow',
  }, async () => {
    const { changes, status } = await run();
    expect(changes.map(({ from, to }) => [from, to])).toEqual([['pipeline', 'margin']]);
    const names = changes[0]!.standings.map(({ name }) => name);
    expect(names).toEqual(['pipeline', 'margin', 'other']);
    const metrics = await runMetrics(status).metrics();
    expect(metrics).toContain('tagstream_champion_switches_total 1');
    const accuracy = (learner: string, champion: boolean) =>
      Number(
        new RegExp(`learner_accuracy{learner="${learner}",champion="${champion}"} (.*)`).exec(
          metrics,
        )![1],
      );
    expect(accuracy('margin', true)).toBeGreaterThan(accuracy('pipeline', false) + 0.05);
    const model = written('stream.model');
    const served = written();
    expect(served.toString().trim().split('\n').length).toBe(corpus.length);

    // The model is that which the champion would have alone, from the switch on its tags are.
    const alone = text
      .replace(/challenge:[\s\S]*(?=model:)/, '')
      .replace('loss: log', 'loss: softmax-margin')
      .replace('sgd: { eta0: 0.001, l2: 0.1 }', 'adagrad: { eta0: 0.1 }');
    await run({ text: alone });
    expect(written('stream.model').equals(model)).toBe(true);
    const last = (bytes: Buffer) => bytes.toString().trim().split('\n').slice(-100);
    expect(last(written())).toEqual(last(served));
  });

  it('resumes to the same bytes, wherever it is stopped', { tags: 'slow' }, async () => {
    rmSync(path('checkpoints'), { recursive: true, force: true });
    const { changes } = await run();
    const whole = { tags: written(), model: written('stream.model') };
    for (const stopAt of [60, changes[0]!.sentences - 1, changes[0]!.sentences + 20, 400]) {
      rmSync(path('checkpoints'), { recursive: true });
      const stopped = await run({ stopAt });
      expect(stopped.result.sentencesSeen).toBeLessThan(480);
      await run({ resume: true });
      expect(written().equals(whole.tags)).toBe(true);
      expect(written('stream.model').equals(whole.model)).toBe(true);
    }
    const load = { set: ['challenge.alpha=0.2'] };
    await expect(run({ resume: true, load })).rejects.toThrow('challenge.alpha: 0.1 -> 0.2');
  });

  it('takes challengers from settings, each of its own', () => {
    const without = text.replace(/challenge:[\s\S]*(?=model:)/, '');
    const challenge = ['stages.optimize={adagrad: {}}', 'stages.featurize.cutoff=2'];
    const { plan } = parsePipeline(without, path('stream.yaml'), { challenge });
    const challengers = plan.kind === 'learn' ? plan.challenge!.challengers : [];
    expect(challengers.map(({ name, isTwin }) => [name, isTwin])).toEqual([
      ['challenger-1', true],
      ['challenger-2', false],
    ]);
    expect(challengers.map(({ plan: { optimizer } }) => optimizer.component.name)).toEqual([
      'adagrad',
      'sgd',
    ]);
    expect(challengers[1]!.plan.features.options.cutoff).toBe(2);
  });

  it.each([
    ['stages.batch.sentences=9', 'it cannot have its own setting batch'],
    ['source.ndjson.files=[x.ndjson]', 'it cannot have its own setting source'],
    ['train.seed=2', 'it cannot have its own setting train.seed'],
    ['train.epochs=2', /challenger-1: .*epochs/],
    ['stages.optimize={sdg: {}}', 'challenger-1: '],
    ['stages.optimize={lbfgs: {}}', 'challenger-1: '],
    ['stages.optimize', 'has no value (write --challenge key.key=value)'],
    ['=1', '--challenge has a value without a key'],
    ['stages.optimize={', 'cannot parse the value of --challenge stages.optimize'],
    ['name.of.it=3', 'a value on this path has no keys'],
  ])('refuses %s', (setting, message) => {
    const without = text.replace(/challenge:[\s\S]*(?=model:)/, '');
    const load = () => parsePipeline(without, path('stream.yaml'), { challenge: [setting] });
    expect(load).toThrow(message);
  });

  it('refuses learners without names, of corpora and of clusters', () => {
    const load = (...set: string[]) => parsePipeline(text, path('stream.yaml'), { set });
    expect(() => load('challenge.learners={}')).toThrow('name at least one learner');
    expect(() => load('challenge.learners.pipeline={a: 1}')).toThrow('choose another name');
    expect(() => load('challenge.alpha=1')).toThrow('alpha');
    const cluster = text
      .replace(
        'corpusSize: 1000',
        'corpusSize: 1000, cluster: { servers: a, shards: 2, every: 100 }',
      )
      .replace(/ {2}- (tag|evaluate): .*\n/g, '')
      .replace(/sink: .*/, '');
    expect(() => parsePipeline(cluster, path('stream.yaml'))).toThrow(
      'compares learners after each minibatch',
    );
    const corpusRun = text
      .replace(', maxFeatures: 2000', '')
      .replace('corpusSize: 1000', 'epochs: 2')
      .replace(/ {2}- tag: .*\n/, '');
    expect(() =>
      parsePipeline(
        corpusRun
          .replace(/sink: .*/, '')
          .replace('progressive: true', 'on: { ndjson: { files: [a] } }'),
        path('stream.yaml'),
      ),
    ).toThrow('compares learners on a stream');
  });
});
