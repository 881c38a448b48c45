// @module-tag slow
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadPipeline } from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../src/runtime/pipeline/run/run-pipeline.js';
import { tagstream } from '../../cli/commands/run-command.js';
import { toyPipeline, workspace } from '../../cli/commands/workspace.js';
import { longForm } from '../long-form.js';
import { trainAndStop } from './train-and-stop.js';

const folder = workspace();
const checkpoints = join(folder, 'checkpoints');
const stage = `  - checkpoint: { dir: checkpoints, sentences: 37, keep: 2 }\n`;
const pipeline = toyPipeline(folder, 300, stage);
// Up to 160 checkpoints; 20 from batch optimizers, which write one an iteration.
const epochs = 'train.epochs=20';

const optimizers: [name: string, settings: string[]][] = [
  ['sgd', []],
  ['averaged sgd', ['stages.optimize.sgd.average=true']],
  ['sgd-l1', ['stages.4.optimize={sgd-l1: {l1: 0.1}}']],
  ['perceptron', ['stages.4.optimize={perceptron: {}}', 'stages.contribute.loss=perceptron']],
  [
    'voted perceptron',
    ['stages.4.optimize={voted-perceptron: {voters: 9}}', 'stages.contribute.loss=perceptron'],
  ],
  ['adagrad', ['stages.4.optimize={adagrad: {l1: 0.1}}']],
  [
    'counts',
    [
      ...['model={scorer: hmm}', 'stages.contribute.loss=joint', 'stages.4.optimize={counts: {}}'],
      'stages.featurize.templates=["U00:%x[0,0]", "U01:%suffix[0,0,1]"]',
      'train.epochs=1',
    ],
  ],
  ['lbfgs', ['stages.4.optimize={lbfgs: {tolerance: 0, decrease: 0}}']],
  [
    'lbfgs in two threads',
    ['stages.4.optimize={lbfgs: {tolerance: 0, decrease: 0}}', 'train.workers=2'],
  ],
  ['owl-qn', ['stages.4.optimize={owl-qn: {l1: 0.1, tolerance: 0, decrease: 0}}']],
  ['cg', ['stages.4.optimize={cg: {tolerance: 0, decrease: 0}}']],
  ['rprop', ['stages.4.optimize={rprop: {tolerance: 0, decrease: 0}}']],
  [
    'eg',
    [
      'stages.4.optimize={eg: {tolerance: 0}}',
      'stages.contribute.loss=hinge',
      'source.ndjson.limit=40',
    ],
  ],
  [
    'smo',
    [
      'stages.4.optimize={smo: {tolerance: 0}}',
      'stages.contribute.loss=hinge',
      'source.ndjson.limit=40',
    ],
  ],
  [
    'cutting planes',
    [
      'stages.4.optimize={cutting-planes: {tolerance: 0}}',
      'stages.contribute.loss=hinge',
      'source.ndjson.limit=40',
    ],
  ],
  [
    'support-vectors',
    [
      'model={scorer: support-vectors}',
      'stages.4.optimize={support-vectors: {tolerance: 0, rounds: 2}}',
      'stages.contribute.loss=hinge',
      'source.ndjson.limit=40',
    ],
  ],
  [
    'batch perceptron',
    ['stages.4.optimize={batch-perceptron: {update: mean}}', 'stages.contribute.loss=perceptron'],
  ],
  [
    'sgd, then lbfgs',
    [
      'stages.4.optimize={switch: {first: {sgd: {average: true}}, epochs: 10, next: {lbfgs: {tolerance: 0, decrease: 0}}}}',
    ],
  ],
  [
    'a path of rprop',
    [
      'stages.4.optimize={path: {l1: [9, 8, 7, 6, 5, 4, 3, 2, 1], with: {rprop: {}}, iterations: 2}}',
    ],
  ],
];

const trainStopped = (given: string[], signal: NodeJS.Signals, after: number) =>
  trainAndStop([pipeline, ...given], checkpoints, signal, after);

// A second time those that go another way through a run; in the long form all.
const twice = ['averaged sgd', 'lbfgs', 'sgd, then lbfgs'];

// In the short form every fourth one, and those; all resume in other tests, without a process that is killed.
const chosen = optimizers.filter(([name], i) => longForm || i % 4 === 0 || twice.includes(name));

describe.each(chosen)('training with %s', (name, settings) => {
  const isTwice = longForm || twice.includes(name);
  const set = [epochs, ...settings];
  const given = set.flatMap(setting => ['--set', setting]);

  it(`killed ${isTwice ? 'twice' : 'once'} and resumed, ends in the bytes of a run that never stopped`, async () => {
    rmSync(checkpoints, { recursive: true, force: true });
    const whole = join(folder, 'whole.model');
    const resumed = join(folder, 'resumed.model');
    rmSync(resumed, { force: true });
    await runPipeline(loadPipeline(pipeline, { set }), { model: whole });
    rmSync(checkpoints, { recursive: true, force: true });
    await trainStopped([...given, '--model', resumed], 'SIGKILL', 3);
    if (isTwice) {
      await trainStopped([...given, '--model', resumed, '--resume'], 'SIGTERM', 9);
    }
    const last = await tagstream(['train', pipeline, ...given, '--model', resumed, '--resume']);
    expect(last.stderr).toMatch(/resumed after \d+ sentences/);
    expect(last.code).toBe(0);
    expect(readFileSync(resumed).equals(readFileSync(whole))).toBe(true);
  });
});

describe('resuming', () => {
  it('starts anew where there is no checkpoint yet', async () => {
    rmSync(checkpoints, { recursive: true, force: true });
    const first = await tagstream(['train', pipeline, '--resume']);
    expect(first.code).toBe(0);
    expect(first.stderr).not.toContain('resumed after');
  });

  it('refuses another pipeline, and says what has changed', async () => {
    const changed = ['train', pipeline, '--resume', '--set', 'stages.optimize.sgd.l2=0.7'];
    const { code, stderr } = await tagstream(changed);
    expect(stderr).toContain('what the model learns: stages.optimize.sgd.l2: 0.1 -> 0.7');
    expect(code).toBe(1);
  });

  it('names a damaged checkpoint and resumes from the one before', async () => {
    const newest = readdirSync(checkpoints).sort().at(-1)!;
    rmSync(join(checkpoints, newest, 'manifest.json'));
    const { code, stderr } = await tagstream(['train', pipeline, '--resume']);
    expect(stderr).toContain(`skipped checkpoint ${newest}`);
    expect(stderr).toMatch(/resumed after \d+ sentences/);
    expect(code).toBe(0);
  });

  it('never starts from zero in silence', async () => {
    for (const name of readdirSync(checkpoints)) {
      rmSync(join(checkpoints, name, 'manifest.json'), { force: true });
    }
    const { code, stderr } = await tagstream(['train', pipeline, '--resume']);
    expect(stderr).toContain('no intact checkpoint');
    expect(code).toBe(1);
  });
});
