import { from, lastValueFrom, of, toArray } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../../src/engine/core/errors.js';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import type { TaggedDocument } from '../../../../src/engine/core/sentence/tagged-document.js';
import { Lattice } from '../../../../src/engine/kernels/lattice.js';
import { contributionOf } from '../../../../src/engine/losses/contribution-of.js';
import { hingeLoss } from '../../../../src/engine/losses/hinge-loss.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import type { DecodeOptions } from '../../../../src/engine/models/decoding/decode-options.js';
import type { Tagger } from '../../../../src/engine/models/tagger.js';
import { assemble } from '../../../../src/engine/operators/assemble.js';
import { batch } from '../../../../src/engine/operators/batch.js';
import { featurize } from '../../../../src/engine/operators/featurize.js';
import { tag } from '../../../../src/engine/operators/tag.js';
import { tokenize } from '../../../../src/engine/operators/tokenize.js';
import { train } from '../../../../src/runtime/pipeline/training/train.js';
import type { TrainRequest } from '../../../../src/runtime/pipeline/training/train-request.js';
import { sentenceOf } from '../../../engine/features/sentence-of.js';
import { everyNth } from '../../../house/long-forms.js';

const words = ['Ann', 'Lee', 'saw', 'Oslo', 'and', 'Rome'];
const tags = ['B-PER', 'I-PER', 'O', 'B-LOC', 'O', 'B-LOC'];
const corpus: readonly Document[] = Array.from({ length: 24 }, (_, i) => {
  const picks = Array.from({ length: 2 + (i % 4) }, (_, t) => (i * 5 + t * (1 + (i % 3))) % 6);
  const tokens = picks.map(pick => words[pick]!);
  const own = picks.map((pick, t) => {
    const isAlone = pick === 1 && picks[t - 1] !== 0;
    return isAlone ? 'B-PER' : tags[pick]!;
  });
  return { text: tokens.join(' '), tokens, tags: own };
});
const layered = corpus.map(({ tags: own, ...rest }) => ({
  ...rest,
  tags: own!.map(each => `${each === 'O' ? 'x' : 'n'}|${each}`),
}));

const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nB';
const edges = `${templates}\nB1:%x[0,0]`;
const features = { templates };
const chain = { features, epochs: 4 };

/** What becomes of sentences without tokens in each kind of model. */
const requests: Readonly<Record<string, Omit<TrainRequest, 'corpus'>>> = {
  chain,
  'edge features': { ...chain, features: { templates: edges } },
  documents: { ...chain, features: { templates: `${templates}\nU2:%document[0,0,case]` } },
  memm: { ...chain, scorer: 'memm' },
  hmm: { features: { templates: 'U0:%x[0,0]\nB' }, scorer: 'hmm' },
  trees: { ...chain, scorer: 'trees' },
  hidden: { ...chain, hidden: 2 },
  layers: { ...chain, layers: '|' },
  parts: { ...chain, parts: '|' },
  codes: { ...chain, codes: { kind: 'one-against-rest' } },
  segments: { ...chain, structure: 'segments' },
  graph: { ...chain, structure: 'graph', links: { sameWord: 'all' } },
  perceptron: { ...chain, trainer: { perceptron: {} } },
  votes: { ...chain, trainer: { 'voted-perceptron': { voters: 4 } } },
  lbfgs: { ...chain, trainer: { lbfgs: {} } },
};

const asked: Readonly<Record<string, DecodeOptions>> = {
  'the best sequence': {},
  posterior: { decoding: 'posterior' },
  'minimum risk': { decoding: 'minimum-risk', transitions: 'any' },
  'best sequences': { nbest: 3 },
  probabilities: { marginals: true, probability: true, spanProbabilities: true },
  'all probabilities': { marginals: 'all' },
  'pairs of tags': { marginals: 'pairs' },
  dictionary: { dictionary: [['Oslo', ['B-LOC', 'n|B-LOC']]] },
  'any transitions': { transitions: 'any' },
};

const filled: readonly Document[] = corpus.slice(0, 6).map(({ text }) => ({ text: text! }));
const empty: readonly Document[] = [{ text: '' }, { text: ' \t\u00a0\n' }, { tokens: [] }];
/** Empty ones before, between and after the others, and several in a row. */
const mixed = [
  empty[0]!,
  filled[0]!,
  ...empty,
  ...filled.slice(1, 5),
  empty[2]!,
  filled[5]!,
  empty[1]!,
];

function tagged(
  { model }: Tagger,
  documents: readonly Document[],
  options: DecodeOptions,
  sentences = 4,
): Promise<TaggedDocument[]> {
  return lastValueFrom(
    from(documents).pipe(
      tokenize(),
      featurize(model),
      batch({ sentences }),
      tag(model, options),
      assemble({ spans: true, scores: true }),
      toArray(),
    ),
    { defaultValue: [] },
  );
}

const isEmpty = ({ tokens }: TaggedDocument) => tokens.length === 0;
const results = ({ document: _, ...rest }: TaggedDocument) => rest;

/** What comes of it, or why it is refused. */
async function orRefused<Value>(work: () => Promise<Value>): Promise<Value | string> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof TagstreamError && thrown.code === 'config') return thrown.message;
    throw thrown;
  }
}

describe.each(Object.entries(requests))(
  'records without tokens, by a model of %s',
  (name, request) => {
    let tagger: Tagger;
    let bytes: Uint8Array;
    const own = name === 'layers' || name === 'parts' ? layered : corpus;
    beforeAll(async () => {
      ({ tagger, bytes } = await train({ ...request, corpus: own }));
    });

    for (const part of everyNth(3, Object.entries(asked))) {
      it.each(part.rows)(
        'come out in their place, and change nothing of others: %s',
        { tags: part.tags },
        async (_, options) => {
          const without = await orRefused(() => tagged(tagger, filled, options));
          for (const sentences of [1, 4, 100]) {
            const found = await orRefused(() => tagged(tagger, mixed, options, sentences));
            if (typeof without === 'string' || typeof found === 'string') {
              expect(found).toBe(without);
              continue;
            }
            expect(found.map(({ document }) => document)).toEqual(mixed);
            const others = found.filter(each => !isEmpty(each)).map(results);
            for (const [i, other] of others.entries()) expect(other.tags).toEqual(without[i]!.tags);
            for (const { document, tokens: _tokens, labelMarginals, ...lists } of found.filter(
              isEmpty,
            )) {
              // Without tokens there are no sentences, and every result is an empty list.
              for (const list of Object.values(lists)) expect(list).toEqual([]);
              expect(lists.sentences).toEqual(document.tokens === undefined ? [] : undefined);
              expect(labelMarginals?.values ?? []).toHaveLength(0);
            }
          }
          const alone = await orRefused(() => tagged(tagger, empty, options));
          if (typeof alone !== 'string')
            expect(alone.map(({ tags }) => tags)).toEqual([[], [], []]);
        },
      );
    }

    it('come out of a tagger', () => {
      expect(tagger.tag([])).toEqual([]);
      expect(tagger.tagMany([[], ['Ann'], [], []]).map(each => each.length)).toEqual([0, 1, 0, 0]);
      expect(tagger.tagText('')).toMatchObject({ text: '', tokens: [], offsets: [], tags: [] });
      expect(tagger.tagText(' \n\u00a0')).toMatchObject({ tokens: [], tags: [] });
      expect(tagger.analyze([])).toMatchObject({ tags: [] });
      if (name === 'chain') {
        expect(
          tagger.analyze(
            [],
            {},
            { nbest: 2, probability: true, marginals: true, spanProbabilities: true },
          ),
        ).toEqual({
          ...{ tags: [], score: 0, marginals: [], probability: 1, logProbability: 0, spans: [] },
          nbest: [{ tags: [], score: 0, probability: 1, logProbability: 0 }],
        });
      }
      expect(tagger.explain([])).toEqual([]);
    });

    it('teach nothing: the model is the same to the byte', async () => {
      const nothing: readonly Document[] = [
        { tokens: [], tags: [] },
        { text: '', tokens: [], tags: [] },
      ];
      const among = own.flatMap((document, i) =>
        i % 3 === 0 ? [...nothing, document] : [document],
      );
      const again = await train({ ...request, corpus: [...among, nothing[0]!] });
      expect(Buffer.from(again.bytes).equals(Buffer.from(bytes))).toBe(true);
    });

    it('say nothing in a minibatch that is learned from', async () => {
      const { model } = tagger;
      const { kernel, parameters } = model;
      const lattice = new Lattice(parameters.memory, parameters.precision);
      const encoded = own
        .slice(0, 3)
        .map(({ tokens, tags: gold }) => model.encodeKnown(sentenceOf(tokens!, { tags: gold! })));
      const none = model.encodeKnown(sentenceOf([], { tags: [] }));
      for (const loss of [logLoss, hingeLoss]) {
        const losses = async (sentences: typeof encoded) =>
          orRefused(async () => {
            const made = contributionOf(
              kernel,
              parameters,
              lattice,
              packMinibatch(sentences),
              loss,
              true,
            );
            const { sentenceCount, tokenCount, predicted, predictedScores } = made;
            return {
              ...{ sentenceCount, tokenCount, loss: made.loss, predicted: [...predicted!] },
              each: [made.losses, predictedScores!].map(values =>
                [...values].filter((_, s) => sentences[s]!.length > 0),
              ),
            };
          });
        const without = await losses(encoded);
        expect(await losses([none, encoded[0]!, none, none, ...encoded.slice(1), none])).toEqual(
          without,
        );
        const alone = await losses([none]);
        if (typeof without !== 'string') {
          expect(alone).toEqual({
            sentenceCount: 0,
            tokenCount: 0,
            loss: 0,
            predicted: [],
            each: [[], []],
          });
        }
      }
    });
  },
);

it('asks no label sequence of them, where constraints are on tokens that they do not have', async () => {
  const { tagger } = await train({ ...chain, corpus });
  const document = { text: '', constraints: { 0: ['O'] } } as unknown as Document;
  await expect(
    lastValueFrom(of(document).pipe(tokenize(), featurize(tagger.model))),
  ).rejects.toMatchObject({
    code: 'constraint',
  });
});
