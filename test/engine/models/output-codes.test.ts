import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import { createModel } from '../../../src/engine/models/create-model.js';
import {
  readModel,
  readTaggingModel,
  writeModel,
} from '../../../src/engine/models/files/model-file.js';
import { readModelHeader } from '../../../src/engine/models/files/model-header.js';
import { readSections } from '../../../src/engine/models/files/section-file.js';
import { explainSentence } from '../../../src/engine/models/inspection/explain.js';
import { inspectModel } from '../../../src/engine/models/inspection/inspect-model.js';
import { readInspected } from '../../../src/engine/models/inspection/read-inspected.js';
import { kernels } from '../../../src/engine/models/kernels.js';
import { settleCorpus } from '../../../src/engine/models/learning/settle-corpus.js';
import { takeWeights } from '../../../src/engine/models/start/grow-from.js';
import { restoreModelState, saveModelState } from '../../../src/engine/models/state/model-state.js';
import { Tagger } from '../../../src/engine/models/tagger.js';
import { Enumeration } from '../../contracts/oracle/enumeration.js';
import { scoresOf } from '../../contracts/oracle/scores-of.js';
import { sentenceOf } from '../features/sentence-of.js';
import { syntheticCorpus } from './examples/synthetic-corpus.js';
import { train } from './examples/train.js';

const codes = { kind: 'random', bits: 6, distance: 2, seed: 1, decoder: 'product' } as const;
const templates = 'U0:%x[0,0]\nB';
const corpus = syntheticCorpus(new Random(81), 80, { labels: 4, longest: 4 });

describe('a model whose labels are words of a code', () => {
  const learner = train(corpus, { spec: { templates, codes }, passes: 6, kernel: kernels.simd64 });
  const bytes = writeModel(learner);

  it.each(['all', 'observed'] as const)(
    'has for each bit the weights of a chain that was trained by itself: %s',
    { tags: 'slow' },
    support => {
      const options = { passes: 4, kernel: kernels.simd64 };
      const { model } = train(corpus, { spec: { templates, codes, support }, ...options });
      const { words } = model.labels.codes!.codes;
      const parameters = model.parameters;
      let compared = 0;
      for (let b = 0; b < codes.bits; b += 1) {
        const bits = corpus.map(sentence => ({
          ...sentence,
          tags: sentence.tags!.map(tag => `${words[model.labels.find(tag)]![b]}`),
        }));
        const own = train(bits, { spec: { templates, support }, ...options }).model;
        for (let row = 0; row < model.stateIndex.size; row += 1) {
          for (const bit of [0, 1]) {
            const column = own.labels.find(`${bit}`);
            const alone = own.parameters.weights.state.view[row * own.parameters.width + column]!;
            const at = row * parameters.width + 2 * b + bit;
            const weight = parameters.scale * parameters.weights.state.view[at]!;
            expect(weight).toBeCloseTo(own.parameters.scale * alone, 10);
            compared += +(weight !== 0);
          }
        }
        const one = own.labels.find('1');
        const alone = own.parameters.weights.edges.view[one * own.parameters.width + one]!;
        const at = (2 * b + 1) * parameters.width + 2 * b + 1;
        expect(parameters.scale * parameters.weights.edges.view[at]!).toBeCloseTo(
          own.parameters.scale * alone,
          10,
        );
      }
      expect(compared).toBeGreaterThan(20);
    },
  );

  it.each(['product', 'marginals', 'hamming'] as const)(
    'finds the labels of most tokens, by %s as the enumeration has it',
    { tags: 'slow' },
    decoder => {
      const own = train(corpus, { spec: { templates, codes: { ...codes, decoder } }, passes: 6 });
      const model = readModel(writeModel(own), 'm', kernels.simd64);
      const tagger = new Tagger(model);
      let right = 0;
      let tokens = 0;
      for (const { tokens: words, tags } of corpus) {
        const found = tagger.tag(words);
        const chain = new Enumeration(
          scoresOf(model.parameters, model.encodeKnown(sentenceOf(words))),
        );
        if (chain.margin > 1e-6) expect(found).toEqual(chain.best.map(y => model.labels.name(y)));
        right += found.filter((tag, t) => tag === tags![t]).length;
        tokens += words.length;
      }
      expect(right / tokens).toBeGreaterThan(0.5);
      if (decoder === 'product') return;
      for (const asked of [{ probability: true }, { nbest: 2 }, { marginals: true }]) {
        expect(() => tagger.analyze(['w0'], {}, asked)).toThrow('decoder product');
      }
    },
  );

  it('is written and read, and older programs refuse its file', () => {
    expect(readModelHeader(bytes).words!.names).toEqual(learner.model.labels.names);
    expect(() => readSections(bytes, 3, 'm')).toThrow('format version 4');
    const tags = new Tagger(readModel(bytes)).tag(corpus[0]!.tokens);
    const small = new Tagger(readTaggingModel(writeModel(learner, { compact: true })));
    expect(small.tag(corpus[0]!.tokens)).toEqual(tags);
    const restored = restoreModelState(saveModelState(learner.model));
    expect(restored.labels.names).toEqual(learner.model.labels.names);
    expect(restored.parameters.layout.codes).toEqual(learner.model.labels.codes!.codes);
    expect(restored.spec).toEqual(learner.model.spec);
  });

  it('is the same, weight by weight, where its words are given as a table', () => {
    const { labels } = learner.model;
    const digits = labels.codes!.codes.words.map(word => word.join(''));
    const entries = labels.names.map((name, y) => [name, digits[y]!] as const);
    const options = { passes: 6, kernel: kernels.simd64 };
    const learn = (words: Record<string, string>) =>
      train(corpus, {
        spec: { templates, codes: { kind: 'words', words, decoder: 'product' } },
        ...options,
      });
    const given = learn(Object.fromEntries(entries));
    const weights = (of: typeof learner) => of.model.parameters.weights.state.view;
    expect(weights(given)).toEqual(weights(learner));
    const read = readModel(writeModel(given), 'm', kernels.simd64);
    expect(read.spec).toEqual(given.model.spec);
    expect(new Tagger(read).tag(corpus[0]!.tokens)).toEqual(
      new Tagger(readModel(bytes, 'm', kernels.simd64)).tag(corpus[0]!.tokens),
    );
    const model = createModel({
      templates,
      codes: {
        kind: 'words',
        words: Object.fromEntries([...entries].reverse()),
        decoder: 'hamming',
      },
    });
    settleCorpus(
      model,
      corpus.map(sentence => model.encode(sentence)),
    );
    const { offered, taken } = takeWeights(model, read);
    expect([taken > 0, taken]).toEqual([true, offered]);
  });

  it('is shown bit by bit', () => {
    const inspected = readInspected(bytes);
    const [label] = inspected.model.labels.names;
    const word = inspected.model.labels.codes!.codes.words[0]!;
    const shown = inspectModel(inspected, { label: label! });
    expect(shown.labels).toHaveLength(2 * codes.bits);
    expect(shown.features.map(each => each.label)).toEqual(word.map((v, b) => `bit${b + 1}=${v}`));
    expect(explainSentence(inspected.model, sentenceOf(['w0']))[0]!.contributions).not.toEqual([]);
  });

  it('begins with the weights of another one of the same code, and refuses what does not fit', () => {
    const start = readModel(bytes, 'm', kernels.simd64);
    const model = createModel({ templates, codes });
    const encoded = corpus.map(sentence => model.encode(sentence));
    settleCorpus(model, encoded);
    const { offered, taken } = takeWeights(model, start);
    expect([taken > 0, taken]).toEqual([true, offered]);
    const reversed = createModel({ templates, codes });
    const back = [...corpus].reverse().map(sentence => reversed.encode(sentence));
    settleCorpus(reversed, back);
    expect(reversed.labels.names).not.toEqual(model.labels.names);
    expect(() => takeWeights(reversed, start)).toThrow('another code');
    const other = createModel({ templates, codes: { ...codes, seed: 2 } });
    expect(() => takeWeights(other, start)).toThrow('codes: {');
    expect(() => createModel({ templates: 'U:%x[0,0]\nB1:%x[0,0]', codes })).toThrow('B1');
    expect(() => createModel({ templates, codes, layers: { separator: '|' } })).toThrow(
      'cannot also be words of a code',
    );
    const partial = {
      ...corpus[0]!,
      tags: undefined,
      partialTags: corpus[0]!.tokens.map(() => null),
    };
    const batch = packMinibatch([learner.model.encode(partial as never)]);
    expect(() => learner.contribute(batch)).toThrow('partially labelled');
  });
});
