import { describe, expect, it } from 'vitest';
import { joined } from '../../../../src/engine/core/arrays.js';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { referenceKernel } from '../../../../src/engine/kernels/reference/reference-kernel.js';
import { Decoder } from '../../../../src/engine/models/decoding/decoder.js';
import {
  contentsOf,
  modelPieces,
  nonZeroWeights,
  readModel,
  writeModel,
  writeParameters,
} from '../../../../src/engine/models/files/model-file.js';
import { modelFormatVersion } from '../../../../src/engine/models/files/model-header.js';
import { writeSections } from '../../../../src/engine/models/files/section-file.js';
import type { Learner } from '../../../../src/engine/models/learning/learner.js';
import type { Model } from '../../../../src/engine/models/model.js';
import { everyNth } from '../../../house/long-forms.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { syntheticCorpus } from '../examples/synthetic-corpus.js';
import { train } from '../examples/train.js';
import { corpus, modelKinds, words } from './model-kinds.js';

/** A file of sections in one piece. */
function sectionFile(...given: Parameters<typeof writeSections>): Uint8Array {
  return joined(writeSections(...given));
}

/** Labels and scores of all sentences under a store of weights. */
function decoded(model: Model, parameters: Model['parameters'], sentences: readonly Sentence[]) {
  const batch = packMinibatch(sentences.map(sentence => model.encodeKnown(sentence)));
  return new Decoder(model.kernel).decode(parameters, batch, { marginals: true });
}

for (const part of everyNth(2, modelKinds)) {
  describe.each(part.rows)('a model file %s', { tags: part.tags }, (_, options, sentences) => {
    const learner = train(sentences, options);
    const bytes = writeModel(learner);
    const strangers = [
      ...sentences,
      sentenceOf(['new', 'w1', 'newer'], { columns: { n: [1, 2, 0] } }),
    ];

    it('has the tags, scores and probabilities of the learner', () => {
      const model = readModel(bytes);
      expect(model.labels.names).toEqual(learner.model.labels.names);
      expect(model.spec).toEqual(learner.model.spec);
      expect(model.frozen).toBe(true);
      expect(model.corpusSize).toBe(sentences.length);
      const expected = decoded(learner.model, learner.deployedParameters(), strangers);
      const found = decoded(model, model.parameters, strangers);
      expect(found.labels).toEqual(expected.labels);
      expect(found.scores).toEqual(expected.scores);
      expect(found.marginals).toEqual(expected.marginals);
    });

    it('is the same after it was taken apart and put together', () => {
      expect(joined(modelPieces(contentsOf(bytes)))).toEqual(bytes);
    });

    it('is written the same twice, and trained the same twice', () => {
      expect(writeModel(learner)).toEqual(bytes);
      expect(writeModel(train(sentences, options))).toEqual(bytes);
      expect(writeModel(train(sentences, { ...options, seed: 2 }))).not.toEqual(bytes);
    });

    it('is written again as it was read', () => {
      const model = readModel(bytes);
      expect(writeParameters(model, model.parameters)).toEqual(bytes);
    });

    it('holds the weights that are not zero, as float32', () => {
      const model = readModel(bytes);
      const numbers = (each: Model['parameters']) =>
        [each.weights.state, each.weights.edges, each.weights.pairs]
          .flatMap(table => Array.from(table.view))
          .filter(weight => weight !== 0)
          .sort();
      const deployed = numbers(learner.deployedParameters());
      expect(numbers(model.parameters)).toEqual(deployed);
      expect(deployed).toEqual(deployed.map(Math.fround));
      expect(nonZeroWeights(bytes)).toBe(deployed.length);
      expect(deployed.length).toBeGreaterThan(30);
    });
  });
}

describe('a model file', () => {
  const learner: Learner = train(
    syntheticCorpus(new Random(3), 4, { labels: 2, wordsPerLabel: 2, longest: 4 }),
    { spec: { templates: 'U:%x[0,0]\nB\nB:%x[0,0]' } },
  );
  const bytes = writeModel(learner);
  const codes = ['model-format', 'model-version', 'model-damaged'];

  /** The code that reading is refused with; nothing where the model is read as it was. */
  function refusal(altered: Uint8Array): string | undefined {
    let model: Model;
    try {
      model = readModel(altered, 'some.model');
    } catch (error) {
      const { code, place } = error as { code: string; place: { source: string } };
      expect(place.source).toBe('some.model');
      return code;
    }
    expect(writeParameters(model, model.parameters)).toEqual(bytes);
    return undefined;
  }

  it('is refused, or read as it was, whichever of its bytes is another', { tags: 'slow' }, () => {
    expect(bytes.length).toBeLessThan(2000);
    const seen = new Map<string | undefined, number>();
    for (let at = 0; at < bytes.length; at += 1) {
      for (const mask of [0x01, 0x80, 0xff]) {
        const altered = bytes.slice();
        altered[at]! ^= mask;
        const code = refusal(altered);
        seen.set(code, (seen.get(code) ?? 0) + 1);
      }
    }
    expect([...seen.keys()].filter(code => code !== undefined).sort()).toEqual(codes.toSorted());
    expect(seen.get('model-format')).toBe(12);
    expect(seen.get('model-version')).toBe(12);
    // What may change unnoticed is the padding after sections, at most seven bytes each.
    expect(seen.get(undefined) ?? 0).toBeLessThanOrEqual(8 * 7 * 3);
  });

  it('is refused wherever it was cut off', { tags: 'slow' }, () => {
    for (let length = 0; length < bytes.length; length += 1) {
      expect(codes).toContain(refusal(bytes.slice(0, length)) ?? `read ${length} bytes`);
    }
  });

  it('is refused with bytes too many', () => {
    for (const more of [1, 8, 100]) {
      const longer = new Uint8Array(bytes.length + more);
      longer.set(bytes);
      expect(refusal(longer)).toBe('model-damaged');
    }
  });

  it.each([0, 10, 255, 0x10000])('of version %i is refused, with both versions named', version => {
    const other = sectionFile(version, {}, {});
    expect(modelFormatVersion).toBe(1);
    expect(() => readModel(other)).toThrow(
      expect.objectContaining({
        code: 'model-version',
        problem: `the model has format version ${version}; this program reads versions 1 to 9`,
      }),
    );
  });

  it.each([
    ['nothing', ''],
    ['few bytes', 'TSG'],
    ['text', 'U00:%x[0,0]\nB\n and so on and so forth'],
    ['JSON', JSON.stringify({ version: 1 })],
  ])('is not taken for one: %s', (_, text) => {
    expect(() => readModel(new TextEncoder().encode(text), 'a.txt')).toThrow(
      expect.objectContaining({
        code: 'model-format',
        message: 'a.txt: this is not a Tagstream model file (pass a file that train wrote)',
      }),
    );
  });

  it.each([1, 3, 8])('is read from a Buffer that starts %i bytes into its memory', offset => {
    const pool = Buffer.alloc(bytes.length + 2 * offset, 0xaa);
    const part = pool.subarray(offset, offset + bytes.length);
    part.set(bytes);
    expect(part.byteOffset % 8).toBe((pool.byteOffset + offset) % 8);
    const model = readModel(part);
    expect(writeParameters(model, model.parameters)).toEqual(bytes);
    part.fill(0);
    expect(writeParameters(model, model.parameters)).toEqual(bytes);
  });

  it('may hold a model that has learned nothing', () => {
    const empty = train(corpus.slice(0, 3), { spec: { templates: words }, passes: 0 });
    const model = readModel(writeModel(empty));
    expect(model.labels.size).toBe(empty.model.labels.size);
    expect(model.stateIndex.size).toBe(0);
    expect(nonZeroWeights(writeModel(empty))).toBe(0);
    expect(Array.from(decoded(model, model.parameters, corpus.slice(0, 1)).scores)).toEqual([0]);
  });

  it('keeps only features that have a weight', () => {
    const options = { options: { eta0: 1e-50 }, spec: { templates: words } };
    const tiny = train(corpus, { ...options, kernel: referenceKernel });
    // As float32 these weights are zero: a feature without any is not kept.
    expect(tiny.model.parameters.weights.state.view.some(weight => weight !== 0)).toBe(true);
    expect(readModel(writeModel(tiny)).stateIndex.size).toBe(0);
  });

  it('brings the description of its input along', () => {
    const input = { codec: 'conll', options: { columns: ['form', 'tag'] } };
    const spec = { templates: words, input, tokenize: { tokenizer: 'unicode' } };
    expect(readModel(writeModel(train(corpus, { spec }))).spec).toMatchObject(spec);
  });

  it('of some ten labels and thousands of features takes few bytes for a weight', () => {
    const shape = { labels: 12, wordsPerLabel: 60, longest: 12 };
    const large = train(syntheticCorpus(new Random(4), 150, shape), {
      spec: { templates: words },
      passes: 1,
    });
    const size = writeModel(large).length;
    const weights = nonZeroWeights(writeModel(large));
    expect(weights).toBeGreaterThan(5000);
    expect(size / weights).toBeLessThan(6);
  });
});

it.each([Number.NaN, Number.POSITIVE_INFINITY, 1e39])('does not write the weight %d', weight => {
  const learner = train(corpus, { spec: { templates: words } });
  const { edges, state } = learner.model.parameters.weights;
  const check = (table: typeof state) => {
    const [first] = table.view;
    table.view[0] = weight;
    expect(() => writeModel(learner)).toThrow(
      expect.objectContaining({ code: 'numeric', message: expect.stringContaining('not finite') }),
    );
    table.view[0] = first!;
  };
  check(state);
  check(edges);
  expect(readModel(writeModel(learner)).frozen).toBe(true);
});
