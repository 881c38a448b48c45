import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import type { Constraints } from '../../../../src/engine/core/sentence/document.js';
import { Decoder } from '../../../../src/engine/models/decoding/decoder.js';
import { readModel, writeModel } from '../../../../src/engine/models/files/model-file.js';
import { parseDictionary } from '../../../../src/engine/models/labels/tag-dictionary.js';
import type { Model } from '../../../../src/engine/models/model.js';
import {
  restoreModelState,
  saveModelState,
} from '../../../../src/engine/models/state/model-state.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { kernelRows } from '../../../contracts/oracle/kernels/kernels.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { train } from '../examples/train.js';

const spec = { templates: 'U0:%x[0,0]\nB', dictionary: { minCount: 2 } };
const corpus = [
  sentenceOf(['in', 'New', 'York', 'now'], { tags: ['O', 'B-LOC', 'I-LOC', 'O'] }),
  sentenceOf(['Ann', 'in', 'Rome'], { tags: ['B-PER', 'O', 'B-LOC'] }),
  sentenceOf(['Ann', 'now'], { tags: ['B-LOC', 'O'] }),
];
const learner = train(corpus, { spec, passes: 20 });
const model = readModel(writeModel(learner));

/** Tags of a sentence, or the code of what is wrong. */
function tagsOf(own: Model, tokens: readonly string[], constraints?: Constraints, options = {}) {
  const sentence = { ...sentenceOf(tokens), ...(constraints && { constraints }) };
  const batch = packMinibatch([own.encodeKnown(sentence), own.encodeKnown(sentenceOf(['now']))]);
  const decoded = new Decoder(own.kernel, own).decode(own.parameters, batch, options);
  const error = decoded.rejected?.get(0);
  expect(own.labels.name(decoded.labels.at(-1)!)).toBe('O');
  const labels = Array.from(decoded.labels.subarray(0, tokens.length));
  return error?.code ?? labels.map(y => own.labels.name(y)).join(' ');
}

describe('a tag dictionary', () => {
  it('is learned for frequent words, and kept in file and checkpoint', () => {
    const words = [
      ['in', [0]],
      ['now', [0]],
      ['Ann', [1, 3]],
    ];
    expect(learner.model.learnedWords).toEqual(words);
    expect(model.learnedWords).toEqual(words);
    expect(writeModel(learner)).toEqual(writeModel(train(corpus, { spec, passes: 20 })));
    const state = saveModelState(learner.model);
    expect(restoreModelState(JSON.parse(JSON.stringify(state.json)) && state).learnedWords).toEqual(
      words,
    );
    const plain = train(corpus, { spec: { templates: 'U0:%x[0,0]' } });
    expect(readModel(writeModel(plain)).learnedWords).toBeUndefined();
  });

  it('leaves words only the tags they had, unless it is switched off or another given', () => {
    const own = readModel(writeModel(learner));
    const row = own.encodeKnown(sentenceOf(['in'])).stateRows[0]!;
    own.parameters.weights.state.view[row * own.parameters.width + own.labels.find('B-PER')] = 50;
    expect(tagsOf(own, ['in'])).toBe('O');
    expect(tagsOf(own, ['in'], undefined, { dictionary: false })).toBe('B-PER');
    const dictionary = parseDictionary('in\tB-LOC I-LOC UNKNOWN\n');
    expect(tagsOf(own, ['in'], undefined, { dictionary })).toBe('B-LOC');
  });

  it('gives way where it leaves nothing', () => {
    expect(tagsOf(model, ['in'], { 0: ['B-PER'] })).toBe('B-PER');
    // I-LOC cannot begin a sentence, and the scheme is stronger.
    const dictionary = parseDictionary('in\tI-LOC');
    expect(tagsOf(model, ['in'], undefined, { dictionary })).toBe('O');
  });

  it('gives way at a token whose constraint it contradicts, and there alone', () => {
    const own = readModel(writeModel(learner));
    const row = own.encodeKnown(sentenceOf(['in'])).stateRows[0]!;
    own.parameters.weights.state.view[row * own.parameters.width + own.labels.find('B-PER')] = 50;
    expect(tagsOf(own, ['in', 'in'], { 0: ['B-LOC'] })).toBe('B-LOC O');
    expect(tagsOf(own, ['in', 'in'], { 0: { not: ['B-PER'] } })).toBe('O O');
    expect(tagsOf(own, ['in', 'in'], { 0: ['B-LOC'] }, { dictionary: false })).toBe('B-LOC B-PER');
  });

  it('is refused where it knows no label of the model', () => {
    const dictionary = parseDictionary('in\tNOUN');
    expect(() => tagsOf(model, ['in'], undefined, { dictionary })).toThrow(
      expect.objectContaining({ code: 'config' }),
    );
  });

  it.each(['in', '\tO', 'in\t', '{"word":"in"}', '{"word":"in","tags":[1]}', '7'])(
    'has no line %j',
    line => {
      expect(() => parseDictionary(`a\tO\n\n${line}\n`, 'd.tsv')).toThrow(/^d\.tsv:3: /);
    },
  );
});

describe('constraints', () => {
  it('fix and forbid labels', () => {
    expect(tagsOf(model, ['now', 'now'])).toBe('O O');
    expect(tagsOf(model, ['now', 'now'], { 1: ['I-LOC'] })).toBe('B-LOC I-LOC');
    expect(tagsOf(model, ['in', 'Rome'], { 1: { not: ['B-LOC', 'nothing'] } })).toBe('O B-PER');
    const [risk] = [{ decoding: 'minimum-risk', marginals: true } as const];
    expect(tagsOf(model, ['now', 'now'], { 1: ['I-LOC'] }, risk)).toBe('B-LOC I-LOC');
    expect(tagsOf(model, ['now', 'now'], { 1: ['I-LOC'] }, { decoding: 'posterior' })).toMatch(
      / I-LOC$/,
    );
  });

  it.each<[string, Constraints, object]>([
    ['unknown labels only', { 0: ['B-X'] }, {}],
    ['every label forbidden', { 0: { not: ['O', 'B-LOC', 'I-LOC', 'B-PER'] } }, {}],
    ['a token that there is not', { 2: ['O'] }, {}],
    ['a token of another kind', { x: ['O'] }, { marginals: true }],
    ['a token in another spelling', { '00': ['O'] }, {}],
    ['a token without a number', { '': ['O'] }, {}],
    ['a label in place of labels', { 0: 'O' as never }, {}],
    ['a label that it must not have likewise', { 0: { not: 'O' as never } }, {}],
    ['nothing in place of labels', { 0: null as never }, {}],
    ['what the scheme forbids', { 0: ['I-LOC'] }, {}],
    ['the same at the least risk', { 0: ['O'], 1: ['I-LOC'] }, { decoding: 'minimum-risk' }],
  ])('reject only the sentence that has %s', (_, constraints, options) => {
    expect(tagsOf(model, ['now', 'now'], constraints, options)).toBe('constraint');
    const tagger = new Tagger(model);
    expect(() => tagger.analyze(['now', 'now'], {}, { ...options, constraints })).toThrow(
      expect.objectContaining({ code: 'constraint' }),
    );
  });

  it('may break the scheme where any transitions are allowed', () => {
    expect(tagsOf(model, ['now', 'now'], { 0: ['I-LOC'] }, { transitions: 'any' })).toBe('I-LOC O');
    const options = { transitions: 'any', constraints: { 0: ['I-LOC'] } } as const;
    expect(new Tagger(model).analyze(['now'], {}, options).spans).toEqual([
      { label: 'LOC', start: 0, end: 1 },
    ]);
  });

  it('have probabilities of their own: what is certain has 1', () => {
    const options = {
      ...{ marginals: true, probability: true, spanProbabilities: true, nbest: 5 },
      constraints: { 0: ['B-PER'], 1: ['O'] },
    };
    expect(new Tagger(model).analyze(['now', 'now'], {}, options)).toMatchObject({
      marginals: [1, 1],
      probability: 1,
      nbest: [{ tags: ['B-PER', 'O'], probability: 1 }],
      spans: [{ label: 'PER', start: 0, end: 1, probability: 1 }],
    });
  });
});

describe('n-best lists', () => {
  it.each([0, -1, 2.5, Number.NaN, 1001])('have not %d sequences', nbest => {
    expect(() => new Tagger(model).analyze(['now'], {}, { nbest })).toThrow(
      expect.objectContaining({ code: 'config' }),
    );
  });
});

it.each(['best', ['viterbi', 'posterior'], null])('there is no decoding %j', decoding => {
  const options = { decoding: decoding as never };
  expect(() => new Tagger(model).analyze(['now'], {}, options)).toThrow(
    expect.objectContaining({ code: 'config' }),
  );
});

describe.each(kernelRows)('a sentence whose sums no number holds: $name', ({ kernel }) => {
  const spec = { templates: 'U0:%v[0,n]\nB', columns: ['form', 'n'] };
  const ones = sentenceOf(['a', 'b', 'c'], {
    tags: ['O', 'B-X', 'I-X'],
    columns: { n: [1, 2, 1] },
  });
  const file = writeModel(train([ones], { spec }));

  it.each([
    ['without bounds', [3, 3, 3], {}],
    ['below all numbers', [-3, -3, -3], {}],
    ['below all of them, for any transitions', [-3, -3, -3], { transitions: 'any' }],
    ['both', [3, -3, 0], { marginals: true }],
    ['below all of them, at the least risk', [-3, -3, -3], { decoding: 'minimum-risk' }],
    ['below all of them, by posteriors', [-3, -3, -3], { decoding: 'posterior', nbest: 2 }],
  ] as const)('is rejected alone: %s', (_, weights, options) => {
    const own = readModel(file, 'own.model', kernel);
    own.parameters.weights.state.view.set(weights);
    const huge = sentenceOf(['a', 'b'], { columns: { n: [1e308, 1e308] } });
    const batch = packMinibatch([own.encodeKnown(huge), own.encodeKnown(ones)]);
    const decoder = new Decoder(own.kernel, own);
    const { labels, rejected } = decoder.decode(own.parameters, batch, options);
    expect([...rejected!.keys()]).toEqual([0]);
    expect(rejected!.get(0)!.code).toBe('numeric');
    const alone = decoder.decode(own.parameters, packMinibatch([own.encodeKnown(ones)]), options);
    expect(labels.subarray(2)).toEqual(alone.labels);
  });
});
