import { describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../../src/engine/core/errors.js';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { writeParameters } from '../../../../src/engine/models/files/model-file.js';
import { createOnlineLearner } from '../../../../src/engine/models/learning/learner.js';
import type { Model } from '../../../../src/engine/models/model.js';
import type { ModelSpec } from '../../../../src/engine/models/model-spec.js';
import {
  restoreModelState,
  saveModelState,
} from '../../../../src/engine/models/state/model-state.js';
import { sgd } from '../../../../src/engine/optimizers/sgd.js';
import { countAllocations } from '../../../faults/memory/count-allocations.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { smallCorpus } from '../../optimizers/small-corpus.js';
import { deepCopy } from '../examples/deep-copy.js';
import { listTemplates, wordLists } from '../examples/word-lists.js';

const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nB\nB0:%x[0,0]';
const exact = (cutoff: number) => ({ mode: 'exact', cutoff }) as const;
const hashed = { mode: 'hashed', rows: 50, edgeRows: 9 } as const;
const common = { templates, columns: ['form', 'n'] };
const specs: [string, ModelSpec][] = [
  ['exact', { ...common, index: exact(1), support: 'all' }],
  ['exact, with a cutoff', { ...common, index: exact(3), support: 'all' }],
  ['exact, of observed pairs', { ...common, index: exact(1), support: 'observed' }],
  ['hashed', { ...common, index: hashed, support: 'all' }],
  ['hashed, of observed pairs', { ...common, index: hashed, support: 'observed' }],
  [
    'with a dictionary',
    { ...common, index: exact(1), support: 'all', dictionary: { minCount: 3 } },
  ],
  [
    'with word lists',
    {
      ...common,
      templates: listTemplates,
      index: exact(1),
      support: 'all',
      resources: wordLists,
    },
  ],
];

/** What a saved state says of the sizes of a model. */
interface SavedJson {
  readonly stateIndex: { size: number };
  labelCapacity: number;
}

const random = new Random(41);
const stream = [
  ...smallCorpus(random, 20, { labels: 2, words: 5, longest: 3 }),
  ...smallCorpus(random, 20, { labels: 6, words: 40, longest: 5 }),
];

/** A model that has learned from part of a stream, by SGD that keeps a scale. */
function learned(spec: ModelSpec, sentences: number): Model {
  const model = createModel(spec);
  const learner = createOnlineLearner(model, {
    loss: logLoss,
    optimizer: sgd,
    options: { l2: 4 },
    corpusSize: 20,
  });
  for (const sentence of stream.slice(0, sentences)) {
    learner.apply(learner.contribute(packMinibatch([model.encode(sentence)])));
  }
  return model;
}

describe.each(specs)('the state of a model: %s', (_, spec) => {
  it.each([0, 1, 20, 40])('brings back all of it after %i sentences', sentences => {
    const model = learned(spec, sentences);
    model.corpusSize = 17;
    const restored = restoreModelState(deepCopy(saveModelState(model)));
    expect(restored.spec).toEqual(spec);
    expect(restored.labels.names).toEqual(model.labels.names);
    expect(restored.corpusSize).toBe(17);
    expect(restored.frozen).toBe(false);
    const { parameters } = restored;
    const before = model.parameters;
    expect([parameters.scale, parameters.version]).toEqual([before.scale, before.version]);
    expect(parameters.labelCapacity).toBe(before.labelCapacity);
    expect([parameters.stateRows, parameters.edgeRows]).toEqual([
      before.stateRows,
      before.edgeRows,
    ]);
    expect(parameters.pairs.size).toBe(before.pairs.size);
    expect(writeParameters(restored, parameters)).toEqual(writeParameters(model, before));
    if (sentences > 1) expect(parameters.scale).toBeLessThan(1);
  });

  it('encodes what comes as if it had never been away, counts below a cutoff included', () => {
    const model = learned(spec, 20);
    const restored = restoreModelState(deepCopy(saveModelState(model)));
    for (const sentence of stream.slice(20)) {
      const { sentence: own, ...encoded } = model.encode(sentence);
      expect(restored.encode(sentence)).toEqual({ ...encoded, sentence: own });
    }
    expect(restored.labels.names).toEqual(model.labels.names);
    expect(saveModelState(restored).json).toEqual(saveModelState(model).json);
    expect(restored.learnedWords).toEqual(model.learnedWords);
    expect(restored.learnedWords).not.toEqual([]);
    const { support, pairs } = restored.parameters;
    expect(Array.from(pairs.from.subarray(0, pairs.size))).toEqual(
      Array.from(model.parameters.pairs.from.subarray(0, pairs.size)),
    );
    const bytes = (each: Uint8Array | undefined) => each?.reduce((sum, byte) => sum + byte, 0);
    expect(bytes(support?.state)).toBe(bytes(model.parameters.support?.state));
    expect(bytes(support?.transitions)).toBe(bytes(model.parameters.support?.transitions));
  });

  it('is apart from the model that comes back', () => {
    const state = deepCopy(saveModelState(learned(spec, 20)));
    const before = deepCopy(state);
    const restored = restoreModelState(state);
    for (const sentence of stream.slice(20)) restored.encode(sentence);
    restored.reserve();
    restored.parameters.weights.state.view.fill(5);
    expect(state).toEqual(before);
  });
});

describe('the state of a model', () => {
  it('remembers that it is frozen, and that it has no corpus', () => {
    const model = createModel({ templates: 'U:%x[0,0]' });
    model.encode(sentenceOf(['a'], { tags: ['X'] }));
    model.frozen = true;
    const restored = restoreModelState(deepCopy(saveModelState(model)));
    expect(restored.frozen).toBe(true);
    expect(restored.corpusSize).toBeUndefined();
  });

  it.each([510, 513, 766, 767, 768, 1600])('comes back where %i features fill its table', size => {
    const model = createModel({ templates: 'U:%x[0,0]' });
    const tokens = Array.from({ length: size }, (_, t) => `w${t}`);
    model.encode(sentenceOf(tokens, { tags: tokens.map(() => 'X') }));
    const restored = restoreModelState(deepCopy(saveModelState(model)));
    expect(restored.stateIndex.size).toBe(size);
    const more = sentenceOf([...tokens, 'new']);
    expect(restored.encode(more).stateRows).toEqual(model.encode(more).stateRows);
  });

  it.each([
    ['2^31 features', (json: SavedJson) => Object.assign(json.stateIndex, { size: 2 ** 31 })],
    ['2^50 features', (json: SavedJson) => Object.assign(json.stateIndex, { size: 2 ** 50 })],
    ['room for 30,000 labels', (json: SavedJson) => Object.assign(json, { labelCapacity: 30_000 })],
  ])('that claims %s is refused before memory is taken', (_, claim) => {
    const state = deepCopy(saveModelState(learned(specs[0]![1], 10)));
    claim(state.json as unknown as SavedJson);
    let thrown: unknown;
    const allocated = countAllocations(() => {
      try {
        restoreModelState(state);
      } catch (error) {
        thrown = error;
      }
    });
    expect(thrown).toBeInstanceOf(TagstreamError);
    expect(allocated).toBeLessThan(2 ** 20);
  });

  it('leaves the model as it is, but for the room that it makes', () => {
    const model = createModel({ templates: 'U:%x[0,0]\nB' });
    model.encode(sentenceOf(['a', 'b'], { tags: ['X', 'Y'] }));
    const first = deepCopy(saveModelState(model));
    expect(saveModelState(model)).toEqual(first);
    expect(model.parameters.labels).toBe(2);
  });
});
