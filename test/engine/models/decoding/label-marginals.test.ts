import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import { Decoder } from '../../../../src/engine/models/decoding/decoder.js';
import { readModel, writeModel } from '../../../../src/engine/models/files/model-file.js';
import type { Tagger } from '../../../../src/engine/models/tagger.js';
import { Tagger as TaggerOf } from '../../../../src/engine/models/tagger.js';
import { train } from '../../../../src/runtime/pipeline/training/train.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { smallCorpus } from '../../optimizers/small-corpus.js';
import { trainVoted } from '../examples/train-voted.js';

const templates = ['U:%x[0,0]', 'U1:%x[-1,0]', 'B'];
const corpus = [
  { tokens: ['Banco', 'de', 'España', 'abre'], tags: ['B-ORG', 'I-ORG', 'I-ORG', 'O'] },
  { tokens: ['en', 'España', 'hay', 'sol'], tags: ['O', 'B-LOC', 'O', 'O'] },
  { tokens: ['el', 'Banco', 'de', 'Madrid'], tags: ['O', 'B-ORG', 'I-ORG', 'I-ORG'] },
  { tokens: ['Madrid', 'y', 'España'], tags: ['B-LOC', 'O', 'B-LOC'] },
];
const request = { corpus, epochs: 2, trainer: { sgd: { eta0: 0.2, l2: 0.1 } } };
const tokens = ['el', 'Banco', 'de', 'España'];

/** That the marginals of a sentence are those of the list of all its sequences, and have the chosen ones among them. */
function expectAgreement(tagger: Tagger, digits: number, more: object = {}): void {
  const asked = { ...more, marginals: 'all', nbest: 1000 } as const;
  const { tags, marginals, labelMarginals, nbest } = tagger.analyze(tokens, {}, asked);
  const { labels, values } = labelMarginals!;
  expect(labels).toEqual(tagger.labels);
  expect(values).toHaveLength(tokens.length * labels.length);
  const single = tagger.analyze(tokens, {}, { ...asked, marginals: true });
  expect(single.labelMarginals).toBeUndefined();
  expect(single.marginals).toEqual(marginals);
  for (const [t, tag] of tags.entries()) {
    const own = values.subarray(t * labels.length, (t + 1) * labels.length);
    expect(own[labels.indexOf(tag)]).toBe(marginals![t]);
    expect(own.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, digits);
    for (const [y, label] of labels.entries()) {
      const sum = nbest!.reduce((p, one) => p + (one.tags[t] === label ? one.probability : 0), 0);
      expect(own[y]).toBeCloseTo(sum, digits);
    }
  }
}

describe('probabilities of all labels', () => {
  it.each([
    ['of a chain', {}, {}],
    ['of labels in BIOES, as they are reported', { encode: 'bioes' }, {}],
    ['of labels with hidden states', {}, { hidden: { states: 2, spread: 0.5, seed: 3 } }],
    ['of segments', {}, { structure: 'segments', maxLength: 2 }],
  ] as const)('are those of all sequences %s', async (_, features, shape) => {
    const { tagger } = await train({ ...request, ...shape, features: { templates, ...features } });
    expectAgreement(tagger, 4);
    expectAgreement(tagger, 4, { constraints: { 1: ['B-LOC'], 3: { not: ['O'] } } });
  });

  it.each(['posterior', 'minimum-risk'] as const)(
    'are the same for %s decoding',
    async decoding => {
      const { tagger } = await train({ ...request, features: { templates } });
      expectAgreement(tagger, 4, { decoding });
    },
  );

  it('are shares of votes where weights vote', () => {
    const words = smallCorpus(new Random(3), 40, { labels: 3, words: 12, longest: 5 });
    const tagger = new TaggerOf(
      readModel(writeModel(trainVoted(words, { templates: 'U0:%x[0,0]\nU1:%x[-1,0]' }))),
    );
    let shared = 0;
    for (const sentence of words) {
      const found = tagger.analyze(sentence.tokens, {}, { marginals: 'all', nbest: 1000 });
      const { labels, values } = found.labelMarginals!;
      for (let i = 0; i < values.length; i += 1) {
        const t = Math.floor(i / labels.length);
        const label = labels[i % labels.length];
        const votes = found.nbest!.filter(({ tags }) => tags[t] === label);
        const sum = votes.reduce((p, { probability }) => p + probability, 0);
        expect(values[i]).toBeCloseTo(sum, 10);
        if (label === found.tags[t]) expect(values[i]).toBe(found.marginals![t]);
        else if (sum > 0) shared += 1;
      }
    }
    expect(shared).toBeGreaterThan(3);
  });

  it('have the place of their sentence where one is decoded by itself', async () => {
    const { tagger } = await train({ ...request, features: { templates } });
    const { model } = tagger;
    // I-ORG does not come after O: this one gives way to its dictionary alone, after the others.
    const dictionary: [string, string[]][] = [
      ['el', ['O']],
      ['Banco', ['I-ORG']],
    ];
    const sentences = [['Madrid', 'abre'], tokens, ['en', 'España', 'y']];
    const batch = packMinibatch(sentences.map(each => model.encodeKnown(sentenceOf(each))));
    const options = { marginals: 'all', dictionary } as const;
    const { labelMarginals } = new Decoder(model.kernel, model).decode(
      ...([model.parameters, batch, options] as const),
    );
    const alone = sentences.flatMap(each =>
      Array.from(tagger.analyze(each, {}, options).labelMarginals!.values),
    );
    expect(labelMarginals!.values).toHaveLength(alone.length);
    for (const [i, p] of alone.entries()) expect(labelMarginals!.values[i]).toBeCloseTo(p, 6);
  });

  it('have to have names', async () => {
    const { tagger } = await train({ ...request, features: { templates } });
    const { model } = tagger;
    const batch = packMinibatch([model.encodeKnown(sentenceOf(tokens))]);
    const nameless = new Decoder(model.kernel);
    expect(() => nameless.decode(model.parameters, batch, { marginals: 'all' })).toThrow(
      'no names',
    );
  });
});
