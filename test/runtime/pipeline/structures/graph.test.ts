import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import type { TrainingStep } from '../../../../src/engine/core/training/training-step.js';
import type { Kernel } from '../../../../src/engine/kernels/kernel.js';
import { readModel } from '../../../../src/engine/models/files/model-file.js';
import { inspectModel } from '../../../../src/engine/models/inspection/inspect-model.js';
import { readInspected } from '../../../../src/engine/models/inspection/read-inspected.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import {
  loadPipeline,
  parsePipeline,
} from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { validatePipeline } from '../../../../src/runtime/pipeline/loading/validate-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { train } from '../../../../src/runtime/pipeline/training/train.js';
import { workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();

interface Linked {
  readonly id: string;
  readonly tokens: string[];
  readonly tags: string[];
  readonly links: (readonly [number, number, string])[];
}

/**
 * Records as graphs: all nodes of a ring have one class, and most words say nothing of it. So a node without a telling word
 * has the class of those that it cites.
 */
function records(count: number, seed = 9): Linked[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, i) => {
    const tokens: string[] = [];
    const tags: string[] = [];
    const links: (readonly [number, number, string])[] = [];
    for (const ring of [0, 1]) {
      const type = ['sport', 'trade', 'law'][random.below(3)]!;
      const size = 3 + random.below(4);
      const first = tokens.length;
      for (let n = 0; n < size; n += 1) {
        const telling = n === 0 || random.below(4) === 0;
        tokens.push(telling ? `${type}${random.below(2)}` : `other${random.below(3)}`);
        tags.push(type);
        links.push([first + n, first + ((n + 1) % size), 'cites']);
      }
      if (ring === 1) links.push([0, first, 'rivals']);
    }
    return { id: `r${i}`, tokens, tags, links };
  });
}

const lines = (of: readonly object[]) => `${of.map(record => JSON.stringify(record)).join('\n')}\n`;
writeFileSync(join(folder, 'train.ndjson'), lines(records(80)));
const text = `version: 1
name: papers
source: { ndjson: { files: [train.ndjson] } }
stages:
  - featurize: { templates: ["U0:%x[0,0]"] }
  - batch: { sentences: 4 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.2, l2: 0.1 } }
train: { epochs: 6, seed: 7 }
model: { file: papers.model, structure: graph }
`;
const file = join(folder, 'papers.yaml');
writeFileSync(file, text);
const modelFile = join(folder, 'papers.model');

const run = (...set: string[]) => runWith(undefined, ...set);

async function runWith(kernel: Kernel | undefined, ...set: string[]) {
  const steps: TrainingStep[] = [];
  const options = {
    ...(kernel === undefined ? {} : { kernel }),
    events: { onStep: (step: TrainingStep) => steps.push(step) },
  };
  const result = await runPipeline(loadPipeline(file, { set }), options);
  return { steps, graphs: result.graphs, bytes: readFileSync(modelFile) };
}

/** The tags of records that it was not trained on. */
function tagsBy(tagger: Tagger): string[] {
  const found = records(60, 10).map(
    ({ tokens, links }) => tagger.analyze(tokens, {}, { links }).tags,
  );
  return found.flat();
}

/** The share of them that is wrong. */
function errorOf(tagger: Tagger): number {
  const gold = records(60, 10).flatMap(({ tags }) => tags);
  return tagsBy(tagger).filter((tag, t) => tag !== gold[t]).length / gold.length;
}

describe('a pipeline with the structure graph', () => {
  it('learns from links what words do not say, and `train` the same', {
    tags: 'slow',
  }, async () => {
    const { bytes } = await run();
    const tagger = new Tagger(readModel(bytes));
    expect(errorOf(tagger)).toBeLessThan(0.02);
    const { bytes: single } = await run('model.structure=chain', 'model.file=chain.model').then(
      () => ({ bytes: readFileSync(join(folder, 'chain.model')) }),
    );
    expect(errorOf(new Tagger(readModel(single)))).toBeGreaterThan(0.3);
    const { spec, features } = inspectModel(readInspected(bytes));
    expect(spec.graph).toMatchObject({ potentials: 'free', maxWidth: 3 });
    expect(features!.length).toBeGreaterThan(0);
    const own = await train({
      corpus: records(80),
      features: { templates: 'U0:%x[0,0]' },
      ...{ structure: 'graph', trainer: { sgd: { eta0: 0.2, l2: 0.1 } } },
      ...{ epochs: 6, seed: 7, batch: 4 },
    });
    const weightsOf = (model: Uint8Array) => {
      const { state, edges } = readModel(model).parameters.weights;
      return [...state.view, ...edges.view];
    };
    expect(weightsOf(own.bytes)).toEqual(weightsOf(bytes));
    expect(own.tagger.explain(['law0'])[0]!.runnerUp).toBeDefined();
    expect(() => own.tagger.analyze(['law0'], {}, { nbest: 2 })).toThrow(/best sequences/);
  });

  it.each([
    ['adagrad: {}', 'log', {}],
    ['sgd: {average: true}', 'hinge', {}],
    ['perceptron: {}', 'perceptron', {}],
    ['passive-aggressive: {}', 'perceptron', {}],
    ['sgd-l1: {l1: 0.01}', 'log', {}],
    ['lbfgs: {l2: 0.1}', 'log', {}],
    ['owl-qn: {l1: 0.1}', 'log', {}],
    ['sgd: {eta0: 0.2}', 'log', { maxWidth: 0 }],
    ['sgd: {eta0: 0.2}', 'log', { maxWidth: 0, schedule: 'flooding' }],
    ['sgd: {eta0: 0.2}', 'log', { potentials: 'associative' }],
    ['sgd: {eta0: 0.2, average: true}', 'hinge', { potentials: 'associative', maxWidth: 0 }],
    ['perceptron: {}', 'perceptron', { potentials: 'associative', maxWidth: 0 }],
  ] as const)(
    'learns by %s with the loss %s and %o',
    { tags: 'slow' },
    async (optimizer, loss, options) => {
      const set = Object.entries(options).map(([name, value]) => `model.${name}=${value}`);
      const all = [
        ...[`stages.3.optimize={${optimizer}}`, `stages.contribute.loss=${loss}`],
        ...['train.epochs=12', ...set],
      ];
      const reference = await runWith(kernels.reference, ...all);
      const { bytes, graphs, steps } = await run(...all);
      const tagger = new Tagger(readModel(bytes));
      expect(tagsBy(tagger)).toEqual(tagsBy(new Tagger(readModel(reference.bytes))));
      const last = reference.steps.at(-1)!.meanLoss;
      expect(Math.abs(steps.at(-1)!.meanLoss - last)).toBeLessThan(1e-5 * Math.max(1, last));
      expect(errorOf(tagger)).toBeLessThan(0.06);
      const isWide = 'maxWidth' in options;
      expect(graphs!.exact > 0).toBe(!isWide);
      expect(graphs!.converged > 0).toBe(isWide && !('potentials' in options));
      expect(graphs!.expanded > 0).toBe(isWide && 'potentials' in options);
      if (!('potentials' in options)) return;
      const { parameters } = readModel(bytes);
      const { matrixSize, labels, width, weights } = parameters;
      for (let i = matrixSize; i < weights.edges.view.length; i += 1) {
        const [x, y] = [Math.floor((i % matrixSize) / width), i % width];
        if (x >= labels || y >= labels) continue;
        if (x !== y) expect(weights.edges.view[i]).toBe(0);
      }
    },
  );

  it('is resumed to the bytes of a run that never stopped', async () => {
    const stage = '  - checkpoint: { dir: checkpoints, sentences: 20 }\n';
    const resumable = text.replace(/^train:.*\n/m, `${stage}train: { epochs: 3, seed: 2 }\n`);
    const once = async (resume: boolean, most: number) => {
      const controller = new AbortController();
      let steps = 0;
      await runPipeline(parsePipeline(resumable, file), {
        ...{ resume, signal: controller.signal },
        events: {
          onStep: () => {
            steps += 1;
            if (steps === most) setImmediate(() => controller.abort());
          },
        },
      });
      return steps;
    };
    const whole = await once(false, Number.POSITIVE_INFINITY);
    const bytes = readFileSync(modelFile);
    rmSync(join(folder, 'checkpoints'), { recursive: true });
    expect(await once(false, 8)).toBeLessThan(whole);
    await once(true, Number.POSITIVE_INFINITY);
    rmSync(join(folder, 'checkpoints'), { recursive: true });
    expect(readFileSync(modelFile).equals(bytes)).toBe(true);
  });

  it('tags in blocks what it tags one by one, and rejects links that there cannot be', async () => {
    const { bytes } = await run();
    const own = records(5, 11);
    writeFileSync(
      join(folder, 'in.ndjson'),
      lines([
        ...own.map(({ tags: _, ...record }) => record),
        { tokens: ['a', 'b'], links: [[0, 2]] },
        { tokens: ['a', 'b'], links: [[1, 1]] },
        { tokens: ['a', 'b'], links: 'none' },
      ]),
    );
    const tagging = `version: 1
name: tagging
source: { ndjson: { files: [in.ndjson] } }
stages:
  - featurize: { model: papers.model }
  - batch: {}
  - tag: {}
sink: { file: out.ndjson }
deadLetters: { file: dead.ndjson, maxErrorRate: 1 }
`;
    await runPipeline(parsePipeline(tagging, join(folder, 'tagging.yaml')), {});
    const tagger = new Tagger(readModel(bytes));
    const out = readFileSync(join(folder, 'out.ndjson'), 'utf8').trim().split('\n');
    expect(out).toHaveLength(5);
    for (const [i, { tokens, links }] of own.entries()) {
      const record = JSON.parse(out[i]!);
      expect(record.links).toEqual(links);
      expect(record.tags).toEqual(tagger.analyze(tokens, {}, { links }).tags);
    }
    const dead = readFileSync(join(folder, 'dead.ndjson'), 'utf8').trim().split('\n');
    expect(dead.map(line => JSON.parse(line).code)).toEqual(Array(3).fill('wrong-shape'));
  });

  it.each([
    [['stages.contribute.loss=exponential'], 'contribute.loss', /log, .*structure: chain/],
    [['stages.3.optimize={cd: {l1: 1}}'], 'optimize', /lbfgs/],
    [['train.workers=2'], 'train.workers', /train in one thread/],
    [['train.cluster={shards: 2}'], 'train.cluster', /leave cluster out/],
    [
      ['train.cluster={shards: 2}', 'stages.3.optimize={lbfgs: {}}'],
      'train.cluster',
      /leave cluster out/,
    ],
    [
      ['train.cluster={shards: 2}', 'model={file: spans.model, structure: segments}'],
      'train.cluster',
      /leave cluster out/,
    ],
    [['stages.featurize.support=observed'], 'featurize.support', /support: all/],
    [['model.hidden=2'], 'model.hidden', /structure: chain/],
    [['model.structure=chain', 'model.maxWidth=2'], 'model', /need structure: graph/],
    [['model.maxLength=2'], 'model', /need structure: segments/],
    [
      ['model.potentials=associative', 'stages.featurize.templates=["U0:%x[0,0]", "B"]'],
      'template B',
      /free/,
    ],
    [
      ['model.potentials=associative', 'stages.3.optimize={lbfgs: {}}'],
      'lbfgs',
      /online optimizer/,
    ],
    [['model.links={sameWord: some}'], 'sameWord', /capitalised/],
  ] as const)('is refused with %j, and the way out', async (set, message, fix) => {
    const refused = validatePipeline(file, { set: [...set] }).then(() =>
      runPipeline(loadPipeline(file, { set: [...set] }), {}),
    );
    const error = (await refused.catch((thrown: unknown) => thrown)) as Error & { fix?: string };
    expect(error.message).toContain(message);
    expect(`${error.message} ${error.fix ?? ''}`).toMatch(fix);
  });
});
