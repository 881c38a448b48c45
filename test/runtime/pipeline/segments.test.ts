import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import type { TrainingStep } from '../../../src/engine/core/training/training-step.js';
import { readModel } from '../../../src/engine/models/files/model-file.js';
import { inspectModel } from '../../../src/engine/models/inspection/inspect-model.js';
import { readInspected } from '../../../src/engine/models/inspection/read-inspected.js';
import { kernels } from '../../../src/engine/models/kernels.js';
import { Tagger } from '../../../src/engine/models/tagger.js';
import {
  loadPipeline,
  parsePipeline,
} from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import { validatePipeline } from '../../../src/runtime/pipeline/loading/validate-pipeline.js';
import { runPipeline } from '../../../src/runtime/pipeline/run/run-pipeline.js';
import { train } from '../../../src/runtime/pipeline/training/train.js';
import { workspace } from '../../cli/commands/workspace.js';

const folder = workspace();
const words = ['Anna', 'Oslo', 'bank', 'of', 'the', 'river', 'Times'];

/** Names of people and places of one to six words among others. */
function records(count: number): string[] {
  const random = new Random(9);
  const draw = () => words[random.below(words.length)]!;
  return Array.from({ length: count }, (_, i) => {
    const tokens: string[] = [];
    const tags: string[] = [];
    for (let n = 1 + random.below(3); n > 0; n -= 1) {
      tokens.push('in');
      tags.push('O');
      const type = random.below(2) === 0 ? 'PER' : 'LOC';
      const length = 1 + random.below(6);
      for (let t = 0; t < length; t += 1) {
        tokens.push(t === 0 ? (type === 'PER' ? 'Anna' : 'Oslo') : draw());
        tags.push(`${t === 0 ? 'B' : 'I'}-${type}`);
      }
    }
    return JSON.stringify({ id: `r${i}`, tokens, tags });
  });
}

writeFileSync(join(folder, 'train.ndjson'), `${records(60).join('\n')}\n`);
const text = `version: 1
name: names
source: { ndjson: { files: [train.ndjson] } }
stages:
  - featurize: { templates: ["U0:%x[0,0]", "B1:%lower[0,0]", "B"] }
  - batch: { sentences: 4 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.2, l2: 0.1 } }
train: { epochs: 4, seed: 7 }
model: { file: names.model, structure: segments, maxLength: 3 }
`;
const file = join(folder, 'names.yaml');
writeFileSync(file, text);
const modelFile = join(folder, 'names.model');

async function run(...set: string[]) {
  const steps: TrainingStep[] = [];
  const options = { events: { onStep: (step: TrainingStep) => steps.push(step) } };
  await runPipeline(loadPipeline(file, { set }), { kernel: kernels.simd64, ...options });
  return { steps, bytes: readFileSync(modelFile) };
}

const weightsOf = (bytes: Uint8Array) => {
  const { state, edges } = readModel(bytes, 'm', kernels.simd64).parameters.weights;
  return [...state.view, ...edges.view];
};

describe('a pipeline with the structure segments', () => {
  it('trains a model that says so, and `train` the same one', async () => {
    const { steps, bytes } = await run();
    expect(steps.at(-1)!.meanLoss).toBeLessThan(steps[0]!.meanLoss / 2);
    const { spec } = inspectModel(readInspected(bytes));
    expect(spec.segments).toMatchObject({ maxLength: 3 });
    const inspected = inspectModel(readInspected(bytes));
    const names = inspected.features!.flatMap(({ features }) => features.map(({ name }) => name));
    expect(names).toEqual(expect.arrayContaining(['U0:Anna', 'segment:first:Oslo']));
    expect(names.every(name => name !== undefined)).toBe(true);
    const corpus = records(60).map(record => JSON.parse(record));
    const own = await train({
      ...{ corpus, features: { templates: ['U0:%x[0,0]', 'B1:%lower[0,0]', 'B'] } },
      ...{ structure: 'segments', maxLength: 3, trainer: { sgd: { eta0: 0.2, l2: 0.1 } } },
      ...{ epochs: 4, seed: 7, batch: 4, kernel: kernels.simd64 },
    });
    expect(weightsOf(own.bytes)).toEqual(weightsOf(bytes));
    expect(own.tagger.explain(['in', 'Oslo'])).toHaveLength(2);
  });

  it('has weights for features of spans with the label before them, as `train` has', async () => {
    const segmentFeatures = ['length', 'first', 'B:length', 'B:first'];
    const set = `model.segmentFeatures=${JSON.stringify(segmentFeatures)}`;
    const { steps, bytes } = await run(set);
    expect(steps.at(-1)!.meanLoss).toBeLessThan(steps[0]!.meanLoss / 2);
    const { spec, observedTransitions } = inspectModel(readInspected(bytes));
    expect(spec.segments!.features).toEqual(segmentFeatures);
    const named = observedTransitions!.map(({ name }) => name);
    expect(named).toEqual(expect.arrayContaining(['segment:B:length:1', 'B1:times']));
    const own = await train({
      ...{ corpus: records(60).map(record => JSON.parse(record)), segmentFeatures },
      ...{ features: { templates: ['U0:%x[0,0]', 'B1:%lower[0,0]', 'B'] } },
      ...{ structure: 'segments', maxLength: 3, trainer: { sgd: { eta0: 0.2, l2: 0.1 } } },
      ...{ epochs: 4, seed: 7, batch: 4, kernel: kernels.simd64 },
    });
    expect(weightsOf(own.bytes)).toEqual(weightsOf(bytes));
    expect(Buffer.from(own.bytes).equals(Buffer.from(bytes))).toBe(false);
    const tagger = Tagger.fromBytes(bytes);
    const { difference, contributions } = tagger.explain(['in', 'Oslo'])[1]!;
    const ofPair = contributions.find(({ name }) => name === 'segment:B:first:Oslo')!;
    expect(ofPair).toMatchObject({ kind: 'segment', columns: 'O>LOC / -' });
    expect(contributions.reduce((sum, { amount }) => sum + amount, 0)).toBeCloseTo(difference!, 9);
    expect(tagger.tag(['in', 'Oslo'])).toEqual(own.tagger.tag(['in', 'Oslo']));
  });

  it.each([
    'sgd: {l2: 0.1, average: true}',
    'sgd-l1: {l1: 0.01}',
    'adagrad: {}',
    'passive-aggressive: {}',
    'arow: {}',
    'perceptron: {}',
    'voted-perceptron: {}',
    'lbfgs: {l2: 0.1}',
    'owl-qn: {l1: 0.1}',
    'rprop: {}',
  ])('learns all records by %s', { tags: 'slow' }, async optimizer => {
    const loss = /perceptron|passive|arow/.test(optimizer) ? 'perceptron' : 'log';
    const epochs = /lbfgs|owl|rprop/.test(optimizer) ? 60 : 12;
    const set = [`stages.3.optimize={${optimizer}}`, `stages.contribute.loss=${loss}`];
    const { bytes } = await run(...set, `train.epochs=${epochs}`);
    const tagger = new Tagger(readModel(bytes));
    const wrong = records(60).filter(record => {
      const { tokens, tags } = JSON.parse(record);
      return tagger.tag(tokens).join() !== tags.join();
    });
    expect(wrong.length).toBeLessThan(3);
  });

  it('has the same minimum by lbfgs, owl-qn and cg', { tags: 'slow' }, async () => {
    const minima: number[][] = [];
    for (const name of ['lbfgs: {', 'owl-qn: {l1: 0,', 'cg: {']) {
      const optimize = `${name} l2: 0.5, tolerance: 1e-7, decrease: 0}`;
      const { bytes } = await run(`stages.3.optimize={${optimize}}`, 'train.epochs=300');
      minima.push(weightsOf(bytes));
    }
    for (const weights of minima) {
      const apart = weights.map((weight, i) => Math.abs(weight - minima[0]![i]!));
      expect(Math.max(...apart)).toBeLessThan(1e-4);
    }
    expect(Math.max(...minima[0]!)).toBeGreaterThan(0.5);
  });

  it('trains with dropout, a cutoff, hashed rows and weights of sentences', {
    tags: 'slow',
  }, async () => {
    const { bytes: plain } = await run();
    for (const set of [
      'train.dropout=0.2',
      'stages.featurize.cutoff=2',
      'stages.featurize.hashed={}',
      'stages.featurize.templates=["U0:%x[0,0]"]',
    ]) {
      const sizes = new Set<number>();
      for (const more of [[], ['model.segmentFeatures=["length", "B:length", "B:lower"]']]) {
        const { steps, bytes } = await run(set, ...more);
        expect(steps.at(-1)!.meanLoss).toBeLessThan(steps[0]!.meanLoss);
        expect(bytes.equals(plain)).toBe(false);
        sizes.add(bytes.length);
      }
      expect(sizes.size).toBe(2);
    }
  });

  it.each([
    ['in passes', 'train: { epochs: 3, seed: 2 }', ''],
    ['in passes with labels before spans', 'train: { epochs: 3, seed: 2 }', '[B:length, B:first]'],
    ['on a stream', 'train: { corpusSize: 60 }', ''],
  ])(
    'is resumed %s to the bytes of a run that never stopped',
    { tags: 'slow' },
    async (_, section, chosen) => {
      const stage = '  - checkpoint: { dir: checkpoints, sentences: 20 }\n';
      // Enough for a stream that is read in more than one piece.
      writeFileSync(join(folder, 'long.ndjson'), `${records(2000).join('\n')}\n`);
      const source = section.includes('epochs') ? 'train.ndjson' : 'long.ndjson';
      const resumable = text
        .replace(/^train:.*\n/m, `${stage}${section}\n`)
        .replace('maxLength: 3', `maxLength: 3${chosen && `, segmentFeatures: ${chosen}`}`)
        .replace('train.ndjson', source);
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
      // One of a longer training is not replaced.
      rmSync(modelFile, { force: true });
      const whole = await once(false, Number.POSITIVE_INFINITY);
      const bytes = readFileSync(modelFile);
      rmSync(join(folder, 'checkpoints'), { recursive: true });
      const stopped = await once(false, 8);
      expect(stopped).toBeLessThan(whole);
      await once(true, Number.POSITIVE_INFINITY);
      rmSync(join(folder, 'checkpoints'), { recursive: true });
      expect(readFileSync(modelFile).equals(bytes)).toBe(true);
    },
  );

  it.each([
    [['stages.contribute.loss=exponential'], 'contribute.loss', /log, .*structure: chain/],
    [['stages.contribute.loss=pointwise-log'], 'contribute.loss', /structure: chain/],
    [['stages.3.optimize={cd: {l1: 1}}'], 'optimize', /lbfgs/],
    [['stages.3.optimize={gis: {}}'], 'optimize', /lbfgs/],
    [['train.workers=2'], 'train.workers', /train in one thread/],
    [['stages.featurize.support=observed'], 'featurize.support', /support: all/],
    [['stages.featurize.mutualInformation={keep: 5}'], 'mutualInformation', /cutoff/],
    [['model.scorer=memm'], 'model.scorer', /structure: chain/],
    [['model.structure=chain'], 'model', /need structure: segments/],
    [['model.segmentFeatures=[lenght]'], 'there is no segment feature "lenght"', /length/],
    [['model.segmentFeatures=["B:lenght"]'], 'there is no segment feature "lenght"', /length/],
    [['model.segmentFeatures=["B:text:pos"]'], 'does not name a column', /the columns are/],
    [['model.segmentFeatures=["text:pos"]'], 'does not name a column', /the columns are/],
    [['model.segmentFeatures=["gazetteer:towns"]'], 'does not name a gazetteer', /gazetteers:/],
  ] as const)('is refused with %j, and the way out', async (set, message, fix) => {
    const refused = validatePipeline(file, { set: [...set] }).then(() =>
      runPipeline(loadPipeline(file, { set: [...set] }), {}),
    );
    const error = (await refused.catch((thrown: unknown) => thrown)) as Error & { fix?: string };
    expect(error.message).toContain(message);
    expect(`${error.message} ${error.fix ?? ''}`).toMatch(fix);
  });
});
