import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { canGrow } from '../../../../src/engine/features/index/placed-index.js';
import { eachEdgeWeight, eachStateWeight } from '../../../../src/engine/kernels/store/weights.js';
import { readModel, writeModel } from '../../../../src/engine/models/files/model-file.js';
import { defaultKernel } from '../../../../src/engine/models/kernels.js';
import { settleCorpus } from '../../../../src/engine/models/learning/settle-corpus.js';
import type { Model } from '../../../../src/engine/models/model.js';
import type { ModelSpec } from '../../../../src/engine/models/model-spec.js';
import { growFrom, takeWeights } from '../../../../src/engine/models/start/grow-from.js';
import {
  restoreModelState,
  saveModelState,
} from '../../../../src/engine/models/state/model-state.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { modelWith } from '../examples/model-with.js';
import { syntheticCorpus } from '../examples/synthetic-corpus.js';
import { train } from '../examples/train.js';

const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nB\nB0:%x[0,0]';
const corpus = syntheticCorpus(new Random(5), 60);
const other = syntheticCorpus(new Random(6), 40, { labels: 5 });

function settled(spec: Partial<ModelSpec>, sentences = corpus): Model {
  const model = modelWith(defaultKernel, { templates, ...spec });
  settleCorpus(
    model,
    sentences.map(sentence => model.encode(sentence)),
  );
  model.reserve();
  return model;
}

/** Every weight by the names of what it is the weight of: the scores of one feature alone are not enough. */
function scoresOf(model: Model): number[] {
  const { state, edges, pairs } = model.parameters.weights;
  return [...state.view, ...edges.view, ...pairs.view].filter(weight => weight !== 0).sort();
}

/** Returns the weights of a model with the fingerprints or rows of their features, and their labels. */
function namedWeights({ labels: { names }, stateIndex, edgeIndex, parameters }: Model): string[] {
  const named: string[] = [];
  for (const index of [stateIndex, edgeIndex]) {
    const prints = canGrow(index) ? index.fingerprints() : undefined;
    const feature = (row: number) => prints?.subarray(2 * row, 2 * row + 2).join() ?? `${row}`;
    const name = (row: number, ...of: unknown[]) =>
      named.push([row < 0 ? 'transitions' : feature(row), ...of].join(' '));
    for (let row = index === edgeIndex ? -1 : 0; row < index.size; row += 1) {
      if (index === stateIndex) eachStateWeight(parameters, row, (y, w) => name(row, names[y], w));
      else eachEdgeWeight(parameters, row + 1, (y, z, w) => name(row, names[y], names[z], w));
    }
  }
  return named;
}

const rows: [name: string, spec: Partial<ModelSpec>][] = [
  ['all pairs', {}],
  ['observed pairs', { support: 'observed' }],
  ['a cutoff', { index: { mode: 'exact', cutoff: 2 } }],
  ['hashed features', { index: { mode: 'hashed', rows: 512, edgeRows: 64 } }],
];

describe.each(rows)('a start from a model file with %s', (_, spec) => {
  const learner = train(corpus, { spec: { templates, ...spec } });
  const file = readModel(writeModel(learner));

  it('gives the same corpus the very weights', () => {
    const model = settled(spec);
    const { offered, taken } = takeWeights(model, file);
    expect(taken).toBe(offered);
    expect(offered).toBeGreaterThan(50);
    expect(scoresOf(model)).toEqual(scoresOf(file));
    const encoded = corpus.map(sentence => model.encodeKnown(sentence));
    const deployed = learner.deployedParameters();
    for (const { stateRows, gold } of encoded) {
      const at = stateRows[0]! * model.parameters.width + gold![0]!;
      expect(model.parameters.weights.state.view[at]).toBe(deployed.weights.state.view[at]);
    }
  });

  it('leaves at zero what the other corpus has and the file has not, and leaves out the rest', () => {
    const strange = [...other, sentenceOf(['new', 'new', 'new'], { tags: ['L4', 'L9', 'L9'] })];
    const model = settled(spec, strange);
    const { offered, taken } = takeWeights(model, file);
    expect(taken).toBeLessThanOrEqual(offered);
    expect(taken).toBeGreaterThan(30);
    const unknown = model.labels.find('L9');
    expect(unknown).toBeGreaterThan(0);
    const { weights, width, stateRows } = model.parameters;
    for (let row = 0; row < stateRows; row += 1) {
      expect(weights.state.view[row * width + unknown]).toBe(0);
    }
  });

  it('leaves out the weights of features and labels that the model does not know', () => {
    const few = settled(spec, corpus.slice(0, 1));
    const without = settled(spec, [
      sentenceOf(corpus[1]!.tokens, { tags: corpus[1]!.tags!.map(() => 'L0') }),
    ]);
    for (const model of [few, without]) {
      const { offered, taken } = takeWeights(model, file);
      if (model === without || spec.index?.mode !== 'hashed') expect(taken).toBeLessThan(offered);
      expect(taken).toBeGreaterThan(0);
      // Nothing was added to the weights of another feature or label, nor to what no label has.
      expect(scoresOf(model)).toHaveLength(taken);
      const own = namedWeights(model);
      expect(own).toHaveLength(taken);
      expect(namedWeights(file)).toEqual(expect.arrayContaining(own));
    }
  });

  it('grows an empty model for a stream, with all that the file has', () => {
    const model = modelWith(defaultKernel, { templates, ...spec });
    const { offered, taken } = growFrom(model, file);
    expect(taken).toBe(offered);
    expect(scoresOf(model)).toEqual(scoresOf(file));
    expect(model.labels.names).toEqual(file.labels.names);
    const before = model.stateIndex.size;
    for (const sentence of [...other, ...other]) model.encode(sentence);
    expect(model.stateIndex.size).toBeGreaterThan(before - (spec.index?.mode === 'hashed' ? 1 : 0));
    expect(model.labels.names).toContain('L4');
  });

  it('takes the raw weights of a checkpoint', () => {
    const restored = restoreModelState(saveModelState(learner.model));
    const model = settled(spec);
    expect(takeWeights(model, restored).taken).toBeGreaterThan(50);
    const { scale, weights, width } = learner.model.parameters;
    const { stateRows, gold } = model.encodeKnown(corpus[0]!);
    const at = stateRows[0]! * width + gold![0]!;
    expect(scale).not.toBe(1);
    expect(model.parameters.weights.state.view[at]).toBe(
      Math.fround(weights.state.view[at]! * scale),
    );
  });
});

describe('a start from other features', () => {
  const file = readModel(writeModel(train(corpus, { spec: { templates } })));

  it.each<[string, Partial<ModelSpec>, string]>([
    [
      'templates',
      { templates: 'B0:%x[0,0]\nU0:%x[0,0]\nU2:%x[1,0]\nB' },
      'template U1:%x[-1,0] -> absent; template absent -> U2:%x[1,0]',
    ],
    ['transitions', { templates: templates.replace('B\n', '') }, 'template B -> absent'],
    ['columns', { columns: ['form', 'pos'] }, 'columns: form -> form pos'],
    [
      'an index',
      { index: { mode: 'hashed', rows: 64, edgeRows: 8 } },
      'index: exact -> hashed, 64 and 8 rows',
    ],
  ])('is refused where %s are others', (_, spec, difference) => {
    const model = modelWith(defaultKernel, { templates, ...spec });
    expect(() => takeWeights(model, file)).toThrow(difference);
    expect(() => growFrom(model, file)).toThrow(difference);
  });

  it('does not mind the order of templates', () => {
    const model = settled({ templates: 'B\nB0:%x[0,0]\nU1:%x[-1,0]\nU0:%x[0,0]' });
    const { offered, taken } = takeWeights(model, file);
    expect(taken).toBe(offered);
  });

  it('is refused once something has been learned', () => {
    const learner = train(corpus, { spec: { templates }, passes: 1 });
    expect(() => takeWeights(learner.model, file)).toThrow('the model is already trained');
  });
});

it('the rules of a span scheme follow from the file alone', () => {
  const chunks = [
    sentenceOf(['a', 'b', 'c'], { tags: ['B-X', 'I-X', 'O'] }),
    sentenceOf(['c', 'c', 'a'], { tags: ['O', 'O', 'I-X'] }),
  ];
  const file = readModel(writeModel(train(chunks, { spec: { templates } })));
  expect(file.transitionRules).toEqual({ scheme: 'BIO', also: [[2, 1]] });
  const model = modelWith(defaultKernel, { templates });
  growFrom(model, file);
  expect(model.transitionRules).toEqual(file.transitionRules);
});
