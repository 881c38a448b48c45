import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { TrainingStep } from '../../../../src/engine/core/training/training-step.js';
import { parsePipeline } from '../../../../src/index.js';
import { observedRun } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { toyRecords, workspace } from '../../../cli/commands/workspace.js';
import { LocalExecutor } from '../../../engine/models/group/mixing/local-executor.js';

/** A learner of a stream in shards, where some settings are others. */
function split({
  train = 'corpusSize: 90, cluster: { shards: 3, every: 20 }',
  optimize = 'perceptron: {}',
  more = '  - checkpoint: { dir: steps, every: 2 }',
}: {
  readonly train?: string;
  readonly optimize?: string;
  readonly more?: string;
} = {}): string {
  return `version: 1
name: split
source: { ndjson: { files: [train.ndjson] } }
stages:
  - featurize: { templates: ["U:%x[0,0]", "B"] }
  - batch
  - contribute: { loss: perceptron }
  - optimize: { ${optimize} }
${more}
train: { ${train} }
model: split.model
`;
}

it.each([
  [
    { train: 'corpusSize: 9, cluster: { shards: 3 }', more: '' },
    'a stream has no passes, so the shards would never be mixed',
  ],
  [
    { train: 'epochs: 3, cluster: { shards: 3, every: 9 }', more: '' },
    'on a corpus, the shards are mixed after each pass',
  ],
  [{ train: 'cluster: { shards: 3, every: 9 }' }, 'train.epochs or train.corpusSize is needed'],
  [
    { train: 'corpusSize: 9, workers: 2, cluster: { shards: 3, every: 9 }' },
    'several workers need a corpus in memory, not a stream',
  ],
  [
    { train: 'corpusSize: 9, mode: hogwild, cluster: { shards: 3, every: 9 }' },
    '`mode: hogwild` needs several workers',
  ],
  [{ optimize: 'lbfgs: {}' }, 'needs a corpus in memory'],
  [{ more: '  - tag' }, 'a learner that is split by key cannot tag'],
  [
    { optimize: 'adagrad: { normalized: true }' },
    'split.yaml:8:28: stages[3].optimize.adagrad.normalized: normalized: true cannot be combined with train.cluster',
  ],
  [{ optimize: 'voted-perceptron: {}' }, 'voted-perceptron cannot be mixed'],
])('refuses %j', async (given, problem) => {
  const folder = workspaceOf();
  const executor = new LocalExecutor();
  const run = async () =>
    observedRun(parsePipeline(split(given), join(folder, 'split.yaml')), {}, { executor });
  await expect(run()).rejects.toThrow(problem);
});

const folder = workspace();
function workspaceOf(): string {
  writeFileSync(join(folder, 'train.ndjson'), `${toyRecords(90).join('\n')}\n`);
  writeFileSync(join(folder, 'dev.ndjson'), `${toyRecords(30).join('\n')}\n`);
  return folder;
}

it('scores held-out data between rounds, and keeps nothing of them in the model', async () => {
  const path = join(workspaceOf(), 'split.yaml');
  const more = '  - evaluate: { every: 2, on: { ndjson: { files: [dev.ndjson] } } }';
  const steps: TrainingStep[] = [];
  const events = { onStep: (step: TrainingStep) => steps.push(step) };
  const result = await observedRun(
    parsePipeline(split({ more }), path),
    { events },
    { executor: new LocalExecutor() },
  );
  expect(result).toMatchObject({ sentencesSeen: 90, stopped: false });
  expect(steps.map(({ sentencesSeen }) => sentencesSeen)).toEqual([20, 40, 60, 80, 90]);
  expect(steps.map(({ scores }) => scores?.sentences)).toEqual([
    undefined,
    30,
    undefined,
    30,
    undefined,
  ]);
  expect(steps[3]!.scores!.accuracy).toBeGreaterThan(95);
});
