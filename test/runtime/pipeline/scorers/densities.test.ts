import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import type { TrainingStep } from '../../../../src/engine/core/training/training-step.js';
import { readModel } from '../../../../src/engine/models/files/model-file.js';
import { inspectModel } from '../../../../src/engine/models/inspection/inspect-model.js';
import { readInspected } from '../../../../src/engine/models/inspection/read-inspected.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { train } from '../../../../src/runtime/pipeline/training/train.js';
import { workspace } from '../../../cli/commands/workspace.js';
import { numberedCorpus } from '../../../engine/models/examples/numbered-corpus.js';

const folder = workspace();
const records = numberedCorpus(new Random(1501), 300).map(({ tokens, tags, columns }) => ({
  ...{ tokens, tags: tags!, columns },
}));
const lines = records.map(({ tokens, tags, columns }) => JSON.stringify({ tokens, tags, columns }));
writeFileSync(join(folder, 'numbers.ndjson'), `${lines.join('\n')}\n`);

const text = (optimize: string, model: string, train: string, templates?: string) => `version: 1
name: numbers
source: { ndjson: { files: [numbers.ndjson] } }
stages:
  - featurize: { templates: ${templates ?? '["U0:%x[0,0]", "U1:%v[0,n0]", "U2:%v[0,n1]"]'} }
  - batch: { sentences: 10 }
  - contribute: { loss: joint }
  - optimize: { ${optimize} }
  - checkpoint: { dir: number-checkpoints, sentences: 300 }
${train}
model: { file: numbers.model, scorer: hmm${model} }
`;
const parsed = (file: string) => parsePipeline(file, join(folder, 'numbers.yaml'));

async function run(file: string, { resume = false, stopAfter = Number.POSITIVE_INFINITY } = {}) {
  const steps: TrainingStep[] = [];
  const controller = new AbortController();
  await runPipeline(parsed(file), {
    ...{ resume, signal: controller.signal },
    events: {
      onStep: step => {
        steps.push(step);
        if (steps.length >= stopAfter) setImmediate(() => controller.abort());
      },
    },
  });
  return { steps, bytes: readFileSync(join(folder, 'numbers.model')) };
}

function forgetCheckpoints(): void {
  rmSync(join(folder, 'number-checkpoints'), { recursive: true, force: true });
}

const mixture = ', covariance: full, hidden: { states: 2, seed: 3 }';

describe('a pipeline with densities', () => {
  it.each([
    ['counts: {}', ', covariance: full', 'train: { epochs: 1 }', Number.POSITIVE_INFINITY],
    ['em: { decrease: 1e-9 }', mixture, 'train: { epochs: 10 }', 4],
    ['stepwise-em: {}', mixture, 'train: { epochs: 3 }', 40],
    ['mmi: { iterations: 4, k: 0.1 }', mixture, 'train: { epochs: 10 }', 4],
    ['mmi: { joint: 0.5 }', '', 'train: { epochs: 10 }', 4],
  ])(
    'with %s and %s is resumed to the same bytes, and tags',
    { tags: 'slow' },
    async (optimize, model, rest, stop) => {
      forgetCheckpoints();
      const file = text(optimize, model, rest);
      const whole = await run(file);
      forgetCheckpoints();
      if (Number.isFinite(stop)) {
        const { steps } = await run(file, { stopAfter: stop });
        expect(steps.length).toBeLessThan(whole.steps.length);
        const { bytes } = await run(file, { resume: true });
        expect(bytes.equals(whole.bytes)).toBe(true);
        forgetCheckpoints();
      }
      const read = readModel(whole.bytes);
      expect(read.labels.tags).toEqual(expect.arrayContaining(['X', 'Y']));
      expect(inspectModel(readInspected(whole.bytes)).spec.covariance).toBe(
        model.includes('full') ? 'full' : undefined,
      );
      const tagger = Tagger.fromBytes(whole.bytes, { source: 'numbers.model' });
      let right = 0;
      let all = 0;
      for (const { tokens, tags, columns } of records) {
        const found = tagger.tag(tokens, columns);
        right += found.filter((tag, t) => tag === tags[t]).length;
        all += tags.length;
      }
      expect(right / all).toBeGreaterThan(0.8);
    },
  );

  it('has the bytes that train has', { tags: 'slow' }, async () => {
    const { bytes } = await run(text('em: {}', mixture, 'train: { epochs: 6, seed: 1 }'));
    forgetCheckpoints();
    const trained = await train({
      corpus: records.map(({ columns, ...rest }) => ({ ...rest, columns })),
      features: { templates: ['U0:%x[0,0]', 'U1:%v[0,n0]', 'U2:%v[0,n1]'] },
      ...{ scorer: 'hmm', covariance: 'full', hidden: { states: 2, seed: 3 } },
      ...{ trainer: { em: {} }, epochs: 6, seed: 1 },
    });
    const weights = (file: Uint8Array) => [...readModel(file).parameters.weights.state.view];
    expect(weights(trained.bytes)).toEqual(weights(bytes));
  });

  it.each([
    ['counts: {}', mixture, undefined, /mixture components are hidden/],
    ['em: {}', mixture, '["U0:%x[0,0]"]', /no template has numbers/],
    ['em: {}', ', covariance: full', '["U1:%v[0,n0]"]', /numbers of two columns/],
    [
      'em: {}',
      '',
      '["U1:%v[0,n0]%v[0,n1]", "U2:%v[0,n0]", "U3:%v[0,n1]", "U4:%v[0,x]"]',
      /covariance/,
    ],
    ['sgd: {}', ', covariance: full', undefined, /cannot be combined with the scorer hmm/],
  ])('with %s, %s and %s is refused', (optimize, model, templates, message) => {
    const file = text(optimize, model, 'train: { epochs: 1 }', templates);
    expect(() => parsed(file)).toThrow(message);
  });

  it('is refused with another scorer, and with workers', () => {
    const file = text('sgd: {}', ', covariance: full', 'train: { epochs: 1 }')
      .replace('scorer: hmm, ', '')
      .replace('loss: joint', 'loss: log');
    expect(() => parsed(file)).toThrow(/model.covariance: only the scorer hmm has densities/);
    const workers = text('mmi: {}', mixture, 'train: { epochs: 9, workers: 2 }');
    expect(() => parsed(workers)).toThrow(/workers/);
  });
});
