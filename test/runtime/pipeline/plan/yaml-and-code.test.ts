import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../../src/engine/core/errors.js';
import { Random } from '../../../../src/engine/core/random.js';
import { newestFormatVersion } from '../../../../src/engine/models/files/model-header.js';
import { readSections } from '../../../../src/engine/models/files/section-file.js';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { train } from '../../../../src/runtime/pipeline/training/train.js';
import { ThreadGroup } from '../../../../src/runtime/workers/thread-group.js';
import { workspace } from '../../../cli/commands/workspace.js';
import { everyNth, isNightly, testSeed } from '../../../house/long-forms.js';
import { type Asked, DrawnRequests, pipelineOf, requestOf, smallCorpus } from './drawn-requests.js';

/** Requests of a test, and the first of each: 400 of them, or 2,000 at night. */
const draws = 40;
const firsts = Array.from({ length: isNightly ? 50 : 10 }, (_, i) => i * draws);
const folder = workspace();

const corpora = new Map(
  ['corpus', 'heldout', 'corpus-pairs', 'heldout-pairs'].map((name, i) => [
    name,
    smallCorpus(new Random(i + 1), 6, name.endsWith('pairs')),
  ]),
);
for (const [name, records] of corpora) {
  const lines = records.map(record => `${JSON.stringify(record)}\n`);
  writeFileSync(join(folder, `${name}.ndjson`), lines.join(''));
}

/** What a training comes to: what a model file holds, or the error without its place. */
type Outcome =
  | { readonly model: unknown }
  | { readonly code: string; readonly problem: string; readonly fix: string | undefined };

/** The header has the checksums of all sections; what it says of the source is not compared. */
function contentsOf(bytes: Uint8Array): unknown {
  const { header } = readSections(bytes, newestFormatVersion, 'drawn.model');
  return JSON.parse(JSON.stringify(header, (key, value) => (key === 'input' ? undefined : value)));
}

async function outcomeOf(run: () => Promise<Uint8Array>): Promise<Outcome> {
  try {
    return { model: contentsOf(await run()) };
  } catch (thrown) {
    if (!(thrown instanceof TagstreamError)) throw thrown;
    const { code, problem, fix } = thrown;
    // Only where it is written differs.
    const what = problem.replace(/^[a-zA-Z][\w-]*(?:\[\d+\])*(?:\.[\w-]+(?:\[\d+\])*)*: /, '');
    return { code, problem: what, fix };
  }
}

function byFile(asked: Asked): Promise<Outcome> {
  return outcomeOf(async () => {
    let model: Uint8Array | undefined;
    const pipeline = parsePipeline(pipelineOf(asked), join(folder, 'drawn.yaml'));
    await runPipeline(pipeline, {
      onModel: bytes => {
        model = bytes;
      },
    });
    return model!;
  });
}

async function byCode(asked: Asked): Promise<Outcome> {
  const { workers = 1 } = asked.train as { readonly workers?: number };
  const group = workers === 1 ? undefined : new ThreadGroup(workers);
  try {
    return await outcomeOf(async () => {
      const request = requestOf(asked, name => corpora.get(name)!);
      return (await train(group === undefined ? request : { ...request, group })).bytes;
    });
  } finally {
    await group?.close();
  }
}

const templates = ['U0:%x[0,0]', 'B'];
const plain: Asked = {
  ...{ features: { templates }, model: {}, trainer: { sgd: {} }, loss: 'log' },
  train: { epochs: 1 },
};
const threads = { epochs: 1, workers: 2 };

describe('a pipeline file and a request to train', () => {
  const refused: readonly (readonly [why: string, asked: Partial<Asked>, problem: string])[] = [
    [
      'hogwild in one thread',
      { train: { epochs: 1, mode: 'hogwild' } },
      '`mode: hogwild` needs several workers',
    ],
    [
      'a batch optimizer in the mode hogwild',
      { trainer: { lbfgs: {} }, train: { ...threads, mode: 'hogwild' } },
      'the batch optimizer lbfgs is always deterministic',
    ],
    [
      'a naive penalty in the mode hogwild',
      { trainer: { 'sgd-l1': { penalty: 'naive' } }, train: { ...threads, mode: 'hogwild' } },
      'penalty: naive cannot be combined with mode: hogwild',
    ],
    [
      'two threads for an optimizer that takes one',
      { trainer: { cd: {} }, train: threads },
      'the batch optimizer cd runs in one thread',
    ],
    [
      'a selection among hashed features',
      { features: { templates, hashed: {}, mutualInformation: { keep: 9 } } },
      'features that share hashed rows cannot be selected',
    ],
    ['an unknown loss', { loss: 'lgo' }, 'there is no loss "lgo": did you mean'],
    [
      'dropout in two threads',
      { train: { ...threads, dropout: 0.1 } },
      'dropout cannot be combined with several workers',
    ],
    [
      'margins of a loss without',
      { train: { epochs: 1, margins: true } },
      'the loss log has no margins',
    ],
    [
      'margins of an optimizer that notes none',
      { trainer: { smo: {} }, loss: 'hinge', train: { epochs: 1, margins: true } },
      'the batch optimizer smo notes no margins',
    ],
  ];
  it.each(refused)('refuse %s alike', async (_, some, problem) => {
    const asked = { ...plain, ...some };
    const code = await byCode(asked);
    expect(code).toMatchObject({ code: 'config', problem: expect.stringContaining(problem) });
    expect(await byFile(asked)).toEqual(code);
  });

  it('train the same model by the same options', async () => {
    const code = await byCode(plain);
    expect(code).toHaveProperty('model.labels');
    expect(await byFile(plain)).toEqual(code);
  });

  it.each([
    [{ perceptron: {} }, 'perceptron'],
    [{ 'batch-perceptron': {} }, 'perceptron'],
    [{ sgd: {} }, 'softmax-margin'],
  ])('keep the margins of passes in the model by %j where asked', async (trainer, loss) => {
    const asked = { ...plain, trainer, loss, train: { epochs: 2, margins: true } };
    const code = await byCode(asked);
    const margin = { mistakes: expect.any(Number), smallest: expect.any(Number) };
    const history = [1, 2].map(pass => expect.objectContaining({ pass, margin }));
    expect(code).toMatchObject({ model: { notes: { history } } });
    expect(await byFile(asked)).toEqual(code);
    const without = await byCode({ ...asked, train: { epochs: 2 } });
    expect(JSON.stringify(without)).not.toContain('mistakes');
  });

  const parts = everyNth(firsts.length, firsts);
  const comeToTheSame = async (first: number) => {
    const drawn = new DrawnRequests(testSeed);
    for (let i = 0; i < first; i += 1) drawn.next();
    const counts = { models: 0, refusals: new Set<string>() };
    for (let i = 0; i < draws; i += 1) {
      const asked = drawn.next();
      const code = await byCode(asked);
      const file = await byFile(asked);
      const text = `number ${first + i}: ${JSON.stringify(asked)}`;
      if ('model' in code) counts.models += 1;
      else counts.refusals.add(code.problem);
      // Hogwild gives other weights in each run.
      const isFree = asked.train.mode === 'hogwild' && 'model' in code;
      if (isFree) expect(file, text).toHaveProperty('model');
      else expect(file, text).toEqual(code);
    }
    // Forty are too few for a rate.
    expect(counts.models).toBeGreaterThan(0);
    expect(counts.refusals.size).toBeGreaterThan(draws / 20);
  };
  for (const { rows, tags } of parts) {
    it.each(rows)(`come to the same, ${draws} times from number %i`, { tags }, comeToTheSame);
  }
});
