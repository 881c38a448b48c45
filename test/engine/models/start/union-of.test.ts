import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { gazetteer } from '../../../../src/engine/features/resources/gazetteer.js';
import { quantisedVectors } from '../../../../src/engine/features/resources/quantised-vectors.js';
import { readModel, writeModel } from '../../../../src/engine/models/files/model-file.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import type { ModelSpec } from '../../../../src/engine/models/model-spec.js';
import { addWeights } from '../../../../src/engine/models/start/add-weights.js';
import { unionOf } from '../../../../src/engine/models/start/union-of.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { modelWith } from '../examples/model-with.js';
import { syntheticCorpus } from '../examples/synthetic-corpus.js';
import { train } from '../examples/train.js';
import { trainVoted } from '../examples/train-voted.js';

const corpus = syntheticCorpus(new Random(5), 40);

type Spec = Partial<ModelSpec> & Pick<ModelSpec, 'templates'>;

function trained(spec: Spec, sentences: readonly Sentence[] = corpus) {
  return readModel(writeModel(train(sentences, { spec, passes: 1 })));
}

function union(...specs: (Spec | ReturnType<typeof trained>)[]) {
  const models = specs.map((spec, i) => ({
    source: `${'abc'[i]}.model`,
    model: 'encodeKnown' in spec ? spec : trained(spec),
  }));
  return unionOf(models, kernels.simd64);
}

const words = { templates: 'U0:%x[0,0]\nB' };
const around = { templates: 'U1:%x[1,0]\nU0:%x[0,0]' };

describe('a union of models', () => {
  it('has the features of all, and gives each its weights in these rows', () => {
    const [a, b] = [trained(words), trained(around)];
    const model = union(a, b);
    expect(model.labels.names).toEqual(a.labels.names);
    expect(model.stateIndex.size).toBe(b.stateIndex.size);
    for (const expert of [a, b]) {
      const into = model.parameters.emptyCopy();
      const { offered, taken } = addWeights(model, expert, { into, factor: -2 });
      expect(taken).toBe(offered);
      const sum = (view: ArrayLike<number>) =>
        Array.from(view).reduce((x, y) => x + Math.abs(y), 0);
      const twice = 2 * sum(expert.parameters.weights.state.view);
      expect(Math.abs(sum(into.weights.state.view) / twice - 1)).toBeLessThan(1e-6);
    }
  });

  it('has weights for the pairs that are observed in one of them', () => {
    const spec = { ...around, support: 'observed' } as const;
    const model = union(words, spec);
    expect(model.spec.support).toBe('observed');
    expect(model.parameters.support!.state).toContain(1);
    expect(model.parameters.support!.transitions).toContain(1);
  });

  it('takes hashed features of the same templates, and no others', () => {
    const index = { mode: 'hashed', rows: 64, edgeRows: 8 } as const;
    expect(union({ ...words, index }, { ...words, index }).stateIndex.size).toBe(64);
    expect(() => union({ ...words, index }, { ...around, index })).toThrow(
      'the features share rows',
    );
    expect(() => union({ ...words, index }, words)).toThrow(/differ in index: .*"hashed".*exact/);
  });

  it('keeps the words that all dictionaries have, with the labels of any', () => {
    const dictionary = { minCount: 1 };
    const a = trained({ ...words, dictionary }, [
      sentenceOf(['p', 'q', 'r'], { tags: ['X', 'X', 'Y'] }),
    ]);
    const b = trained({ ...words, dictionary }, [
      sentenceOf(['r', 'q', 's'], { tags: ['Y', 'Y', 'X'] }),
    ]);
    expect(union(a, b).learnedWords).toEqual([
      ['q', [0, 1]],
      ['r', [1]],
    ]);
    const without = trained(words, [sentenceOf(['p', 'r'], { tags: ['X', 'Y'] })]);
    expect(union(a, without).learnedWords).toBeUndefined();
    expect(union(a, without).spec.dictionary).toBeUndefined();
  });

  it('allows the transitions that one of them allows', () => {
    const spans = (...tags: string[][]) =>
      trained(
        words,
        tags.map(own => sentenceOf(['a', 'b', 'c'], { tags: own })),
      );
    const a = spans(['B-X', 'I-X', 'O'], ['O', 'O', 'I-X']);
    const b = spans(['O', 'B-X', 'I-X']);
    expect(a.transitionRules.also).toEqual([[2, 1]]);
    expect(union(b, a).transitionRules).toEqual({ scheme: 'BIO', also: [[0, 2]] });
    expect(union(b, b).transitionRules).toEqual({ scheme: 'BIO', also: [] });
  });

  it('has the lists of all, where those of one name are the same', () => {
    const lists = (...names: string[]) => ({
      templates: 'U0:%x[0,0]\nU1:%gazetteer[0,0,own]\nB',
      resources: { gazetteers: { own: gazetteer(names) } },
    });
    expect(union(words, lists('w1', 'w2')).spec.resources).toEqual(lists('w1', 'w2').resources);
    expect(() => union(lists('w1'), lists('w2'))).toThrow(
      'b.model: two models have different lists',
    );
  });

  it('has the word vectors of all, where those of one name are the same', () => {
    const lists = (...values: number[]) => ({
      templates: 'U0:%x[0,0]\nU1:%vector[0,0,v]\nB',
      resources: {
        vectors: {
          v: quantisedVectors({
            ...{ words: ['w1', 'w2'], dimensions: 2 },
            values: Float32Array.from(values),
          }),
        },
      },
    });
    const one = lists(1, 2, 3, 4);
    expect(union(words, one, one).spec.resources).toEqual(one.resources);
    expect(() => union(one, lists(1, 2, 4, 3))).toThrow('b.model: two models have different lists');
    expect(() => union(one, lists(2, 4, 3, 4))).not.toThrow();
  });
});

describe('a union is refused', () => {
  it('of other labels', () => {
    const fewer = trained(words, syntheticCorpus(new Random(5), 40, { labels: 3 }));
    expect(() => union(words, fewer)).toThrow('b.model: the models differ in labels: L3 only in a');
    expect(() => union(fewer, words)).toThrow('L3 only in b.model');
  });

  it.each<[string, Spec, string]>([
    ['columns', { ...words, columns: ['form', 'pos'] }, 'differ in columns: ["form"]'],
    ['a tokenizer', { ...words, tokenize: { tokenizer: 'unicode' } }, 'differ in tokenizer'],
    ['macros', { templates: 'U0:%x[1,0]' }, 'give different things the same feature'],
  ])('where %s are others', (_, other, problem) => {
    expect(() => union(words, other)).toThrow(problem);
  });

  it('of a scorer that is not linear', () => {
    const model = modelWith(kernels.simd, { ...words, scorer: 'memm' });
    for (const sentence of corpus) model.encode(sentence);
    expect(() => union(words, model)).toThrow('b.model with others needs log-linear');
  });

  it.each<[string, Partial<ModelSpec>, string]>([
    ['spans', { segments: { maxLength: 3, features: ['length'] } }, 'has the structure segments'],
    ['two layers', { layers: { separator: '|' } }, 'has the structure layers'],
    [
      'words of a code',
      { codes: { kind: 'one-against-rest', decoder: 'product' } },
      'has the structure codes',
    ],
    ['hidden states', { hidden: { states: 2, spread: 0.1, seed: 1 } }, 'sums over hidden states'],
  ])('of a model with %s', (_, spec, problem) => {
    const model = modelWith(kernels.simd, { ...words, ...spec });
    const refused = () => union(words, model);
    expect(refused).toThrow(`b.model: the model ${problem}`);
  });

  it('of weights that vote', () => {
    const voted = readModel(writeModel(trainVoted(corpus, words)));
    expect(() => union(words, voted)).toThrow('the model is a set of voters');
  });
});
