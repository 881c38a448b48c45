import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { Decoder } from '../../../../src/engine/models/decoding/decoder.js';
import { PathDecoder, RowDecoder } from '../../../../src/engine/models/decoding/row-decoder.js';
import { readModel, writeModel } from '../../../../src/engine/models/files/model-file.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import type { Model } from '../../../../src/engine/models/model.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { train } from '../examples/train.js';

const names = ['O', 'B-X', 'I-X', 'B-Y', 'I-Y'];
const random = new Random(3);
const corpus = Array.from({ length: 40 }, () => drawn(true));
const spec = { templates: 'U0:%x[0,0]\nU1:%x[-1,0]\nB' };
const file = writeModel(train(corpus, { spec }));

function drawn(labelled: boolean): Sentence {
  const tokens = Array.from({ length: 1 + random.below(12) }, () => `w${random.below(30)}`);
  const tags = tokens.map(() => names[random.below(names.length)]!);
  return sentenceOf(tokens, labelled ? { tags } : {});
}

function both(model: Model, sentences: readonly Sentence[], options = {}) {
  const batch = packMinibatch(sentences.map(sentence => model.encode(sentence)));
  const whole = new Decoder(model.kernel, model).decode(model.parameters, batch, options);
  const rows = { starts: batch.stateStarts, rows: batch.stateRows };
  const decoder = PathDecoder.of(model, options)!;
  return { whole, paths: decoder.decode(rows, batch.sentenceStarts) };
}

describe('PathDecoder', () => {
  it.each(['simd', 'simd64'] as const)('finds what Decoder finds (%s)', name => {
    const model = readModel(file, 'm', kernels[name]);
    for (const transitions of ['scheme', 'any']) {
      const sentences = Array.from({ length: 70 }, () => drawn(false));
      const { whole, paths } = both(model, sentences, { transitions });
      expect(paths.sentences).toBe(70);
      expect(Array.from(paths.labels)).toEqual(Array.from(whole.labels));
    }
  });

  it.each(['simd', 'simd64', 'reference'] as const)(
    'keeps the labels that are fixed (%s)',
    name => {
      const model = readModel(file, 'm', kernels[name]);
      const sentences = Array.from({ length: 70 }, () => drawn(false));
      const batch = packMinibatch(sentences.map(sentence => model.encode(sentence)));
      const fixed = Int32Array.from({ length: batch.tokens }, () =>
        random.below(3) === 0 ? random.below(names.length) : -1,
      );
      const options = { transitions: 'any' } as const;
      const rows = { starts: batch.stateStarts, rows: batch.stateRows };
      const tokens = (s: number) => sentences[s]!.tokens;
      const decoder = new RowDecoder(model, options);
      const found = decoder.decode(rows, batch.sentenceStarts, tokens, fixed);
      const labels = found.labels.slice(0, batch.tokens);
      expect(labels.filter((_, t) => fixed[t]! >= 0)).toEqual(fixed.filter(label => label >= 0));
      // The same labels as constraints, which are another way to the same sequences.
      const constrained = sentences.map((sentence, s): Sentence => {
        const first = batch.sentenceStarts[s]!;
        const known = sentence.tokens.flatMap((_, t) => {
          const label = fixed[first + t]!;
          return label < 0 ? [] : [[String(t), [model.labels.name(label)]] as const];
        });
        return { ...sentence, constraints: Object.fromEntries(known) };
      });
      const other = packMinibatch(constrained.map(sentence => model.encode(sentence)));
      const whole = new Decoder(model.kernel, model).decode(model.parameters, other, options);
      expect(Array.from(labels)).toEqual(Array.from(whole.labels));
    },
  );

  it('stops before a sentence without a possible sequence of finite score', () => {
    const model = readModel(file);
    const sentences = [sentenceOf(['w1', 'w2']), sentenceOf(['w3', 'w4']), sentenceOf(['w5'])];
    const index = model.encode(sentences[1]!).stateRows[0]!;
    const weights = model.parameters.weights.state;
    weights.view.fill(Number.NaN, index * weights.width, (index + 1) * weights.width);
    const { paths, whole } = both(model, sentences);
    expect([...whole.rejected!.keys()]).toEqual([1]);
    expect(paths.sentences).toBe(1);
    expect(Array.from(paths.labels.subarray(0, 2))).toEqual(Array.from(whole.labels.slice(0, 2)));
  });

  it('leaves to Decoder what asks for more', () => {
    const model = readModel(file);
    expect(PathDecoder.of(model, {})).toBeInstanceOf(PathDecoder);
    expect(PathDecoder.of(model, { marginals: true })).toBeUndefined();
    expect(PathDecoder.of(model, { decoding: 'posterior' })).toBeUndefined();
    expect(PathDecoder.of(model, { dictionary: [['w1', ['O']]] })).toBeUndefined();
    expect(PathDecoder.of(readModel(file, 'm', kernels.reference), {})).toBeUndefined();
    const withWords = { ...spec, dictionary: { minCount: 1 } };
    const learned = readModel(writeModel(train(corpus, { spec: withWords })));
    expect(PathDecoder.of(learned, {})).toBeUndefined();
    expect(PathDecoder.of(learned, { dictionary: false })).toBeInstanceOf(PathDecoder);
  });
});
