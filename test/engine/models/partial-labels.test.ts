import { describe, expect, it } from 'vitest';
import type { Sentence } from '../../../src/engine/core/sentence/sentence.js';
import { createModel } from '../../../src/engine/models/create-model.js';
import { Decoder } from '../../../src/engine/models/decoding/decoder.js';
import { scoreSentences } from '../../../src/engine/models/decoding/score-sentences.js';
import { settleCorpus } from '../../../src/engine/models/learning/settle-corpus.js';
import { sentenceOf } from '../features/sentence-of.js';

function partly(
  tokens: string[],
  partialTags: NonNullable<Sentence['partialTags']>,
  weight?: number,
): Sentence {
  return { ...sentenceOf(tokens), partialTags, ...(weight === undefined ? {} : { weight }) };
}

describe('a model and sentences that are labelled in part', () => {
  it('takes their features and labels, those of sets included, in the order they come', () => {
    const model = createModel({ templates: 'U:%x[0,0]' });
    const encoded = model.encode(partly(['a', 'b', 'c'], [['Y', 'X', 'Y'], null, 'Z'], 3));
    expect(model.labels.names).toEqual(['Y', 'X', 'Z']);
    expect(Array.from(encoded.stateRows)).toEqual([0, 1, 2]);
    expect(encoded.allowed).toEqual({
      starts: Uint32Array.of(0, 2, 2, 3),
      labels: Uint32Array.of(0, 1, 2),
    });
    expect([encoded.gold, encoded.weight]).toEqual([undefined, 3]);
  });

  it('takes nothing of them when frozen: unknown labels do not count, and may leave nothing', () => {
    const model = createModel({ templates: 'U:%x[0,0]' });
    model.encode(sentenceOf(['a'], { tags: ['X'] }));
    model.frozen = true;
    const some = model.encode(partly(['a', 'b'], [['Q', 'X'], null], Number.NaN));
    expect(Array.from(some.allowed!.labels)).toEqual([0]);
    const none = model.encode(partly(['a', 'b'], ['X', ['Q', 'R']]));
    expect(none.allowed).toBeUndefined();
    expect(model.labels.names).toEqual(['X']);
  });

  it('refuses a token without any label, tags of another number and weights to no purpose', () => {
    const model = createModel({ templates: 'U:%x[0,0]' });
    const code = (name: string) => expect.objectContaining({ code: name });
    expect(() => model.encode(partly(['a'], [[]]))).toThrow(code('unknown-label'));
    expect(() => model.encode(partly(['a', 'b'], ['X']))).toThrow(code('length-mismatch'));
    for (const weight of [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e7]) {
      expect(() => model.encode(partly(['a'], [['X', 'Y']], weight))).toThrow(code('wrong-shape'));
      expect(() => model.encode({ ...sentenceOf(['a'], { tags: ['X'] }), weight })).toThrow(
        code('wrong-shape'),
      );
      expect(model.encode({ ...sentenceOf(['a']), weight }).gold).toBeUndefined();
    }
  });

  it('counts for the dictionary what is known of their words, sets as all that they hold', () => {
    const model = createModel({ templates: 'U:%x[0,0]', dictionary: { minCount: 2 } });
    model.encode(sentenceOf(['a', 'b', 'c'], { tags: ['X', 'X', 'X'] }));
    model.encode(partly(['a', 'b', 'c', 'd'], ['Y', ['Z', 'X'], null, null]));
    model.encode(partly(['d', 'c', 'd'], [null, 'X', null]));
    const named = model.learnedWords!.map(([word, labels]) => [
      word,
      labels.map(y => model.labels.name(y)).join(' '),
    ]);
    expect(named).toEqual([
      ['a', 'X Y'],
      ['b', 'X Z'],
      ['c', 'X'],
    ]);
  });

  it('observes the labels of each set, and their pairs at neighbours', () => {
    const templates = 'U:%x[0,0]\nB\nB:%x[0,0]';
    const model = createModel({ templates, support: 'observed' });
    model.encode(partly(['a', 'b', 'c', 'd'], ['X', ['Y', 'Z'], null, 'X']));
    const { support, width } = model.parameters;
    const seen = (row: number) => Array.from(support!.state.subarray(row * width, row * width + 3));
    expect([0, 1, 2, 3].map(seen)).toEqual([
      [1, 0, 0],
      [0, 1, 1],
      [0, 0, 0],
      [1, 0, 0],
    ]);
    const pairs = [0, 1, 2].flatMap(from =>
      [0, 1, 2].filter(to => support!.transitions[from * width + to] === 1).map(to => [from, to]),
    );
    expect(pairs).toEqual([
      [0, 1],
      [0, 2],
    ]);
    expect(model.parameters.pairs.size).toBe(2);
  });

  it('encodes them once more where a cutoff drops features', () => {
    const index = { mode: 'exact', cutoff: 2 } as const;
    const model = createModel({ templates: 'U:%x[0,0]', index, support: 'observed' });
    const sentences = [partly(['a', 'b'], ['X', null], 2), partly(['c', 'a'], [null, ['X', 'Y']])];
    const settled = settleCorpus(
      model,
      sentences.map(sentence => model.encode(sentence)),
    );
    expect(settled.map(({ stateRows }) => Array.from(stateRows))).toEqual([[0], [0]]);
    expect(settled.map(({ allowed }) => Array.from(allowed!.labels))).toEqual([[0], [0, 1]]);
    expect(settled.map(({ weight }) => weight)).toEqual([2, undefined]);
    expect(Array.from(model.parameters.support!.state.subarray(0, 2))).toEqual([1, 1]);
  });

  it('is not scored on them', () => {
    const model = createModel({ templates: 'U:%x[0,0]' });
    const encoded = [
      model.encode(sentenceOf(['a', 'b'], { tags: ['X', 'Y'] })),
      model.encode(partly(['a', 'b'], ['X', null])),
    ];
    model.reserve();
    const scores = scoreSentences(model, model.parameters, new Decoder(model.kernel), encoded);
    expect([scores.sentences, scores.tokens]).toEqual([1, 2]);
  });
});
