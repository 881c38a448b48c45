import { beforeAll, describe, expect, it } from 'vitest';
import { TagstreamError } from '../../src/engine/core/errors.js';
import { packMinibatch } from '../../src/engine/core/minibatch/pack-minibatch.js';
import type { Document } from '../../src/engine/core/sentence/document.js';
import type { DecodeOptions } from '../../src/engine/models/decoding/decode-options.js';
import { type Decoded, draftOf, rejectUnfilled } from '../../src/engine/models/decoding/decoded.js';
import { Decoder } from '../../src/engine/models/decoding/decoder.js';
import type { Model } from '../../src/engine/models/model.js';
import { train } from '../../src/runtime/pipeline/training/train.js';
import type { TrainRequest } from '../../src/runtime/pipeline/training/train-request.js';
import { sentenceOf } from '../engine/features/sentence-of.js';
import { everyNth } from '../house/long-forms.js';

const words = ['Ann', 'Lee', 'saw', 'Oslo', 'and', 'Rome'];
const tags = ['B-PER', 'I-PER', 'O', 'B-LOC', 'O', 'B-LOC'];
const corpus: readonly Document[] = Array.from({ length: 24 }, (_, i) => {
  const picks = Array.from({ length: 2 + (i % 4) }, (_, t) => (i * 5 + t * (1 + (i % 3))) % 6);
  const own = picks.map((pick, t) => (pick === 1 && picks[t - 1] !== 0 ? 'B-PER' : tags[pick]!));
  return { tokens: picks.map(pick => words[pick]!), tags: own };
});
const layered = corpus.map(({ tags: own, ...rest }) => ({
  ...rest,
  tags: own!.map(each => `${each === 'O' ? 'x' : 'n'}|${each}`),
}));

const chain = { features: { templates: 'U0:%x[0,0]\nU1:%x[-1,0]\nB' }, epochs: 4 };
/** A model of every structure, scorer and way to vote. */
const requests: Readonly<Record<string, object>> = {
  chain,
  'other scheme': { ...chain, features: { ...chain.features, encode: 'bioes' } },
  pruned: { ...chain, prune: { most: 2 } },
  memm: { ...chain, scorer: 'memm' },
  hmm: { features: { templates: 'U0:%x[0,0]\nB' }, scorer: 'hmm' },
  trees: { ...chain, scorer: 'trees' },
  hidden: { ...chain, hidden: 2 },
  layers: { ...chain, layers: '|' },
  parts: { ...chain, parts: '|' },
  'words of codes': { ...chain, codes: { kind: 'one-against-rest' } },
  segments: { ...chain, structure: 'segments' },
  graph: { ...chain, structure: 'graph', links: { sameWord: 'all' } },
  perceptron: { ...chain, trainer: { perceptron: {} } },
  votes: { ...chain, trainer: { 'voted-perceptron': { voters: 4 } } },
};

const product = (options: readonly DecodeOptions[], more: readonly DecodeOptions[]) =>
  options.flatMap(each => more.map(other => ({ ...each, ...other })));
/** Every combination of results with every way to decode. */
const askedWith = (label: string) =>
  [
    [{}, { decoding: 'posterior' }, { decoding: 'minimum-risk' }, { decoding: 'loopy' }],
    [{}, { sequence: [{ of: [label], atMost: 1 }] }],
    [{}, { dictionary: [['Oslo', [label]]] }],
    [{}, { marginals: true }, { marginals: 'all' }, { marginals: 'pairs' }],
    [{}, { probability: true }],
    [{}, { nbest: 1 }, { nbest: 3 }],
    [{}, { spanProbabilities: true }],
  ].reduce<readonly DecodeOptions[]>(
    (all, more) => product(all, more as readonly DecodeOptions[]),
    [{}],
  );

const sum = (values: Iterable<number>) => [...values].reduce((all, value) => all + value, 0);
const isProbability = (value: number) => value >= 0 && value < 1 + 1e-4;

/** Checks all results of a sentence, whose tokens begin with `first`. */
function expectFilled(
  found: Decoded,
  options: DecodeOptions,
  s: number,
  first: number,
  end: number,
) {
  expect(Number.isFinite(found.scores[s])).toBe(true);
  const { marginals = false, probability, nbest, spanProbabilities } = options;
  expect(found.marginals !== undefined).toBe(marginals !== false);
  for (let t = first; t < end && found.marginals !== undefined; t += 1) {
    expect(found.marginals[t]).toSatisfy(isProbability);
    expect(found.marginals[t]).toBeGreaterThan(0);
  }
  expect(found.labelMarginals !== undefined).toBe(marginals === 'all');
  if (found.labelMarginals !== undefined) {
    const { labels, values } = found.labelMarginals;
    for (let t = first; t < end; t += 1) {
      const own = values.subarray(t * labels.length, (t + 1) * labels.length);
      expect(sum(own)).toBeCloseTo(1, 3);
    }
  }
  expect(found.pairMarginals !== undefined).toBe(marginals === 'pairs');
  if (found.pairMarginals !== undefined) {
    const { starts, values } = found.pairMarginals[s]!;
    expect(starts).toHaveLength(end - first + 1);
    if (end - first > 1) expect(sum(values)).toBeGreaterThan(0);
  }
  expect(found.probabilities !== undefined).toBe(probability === true);
  if (found.probabilities !== undefined) {
    const p = found.probabilities[s]!;
    const log = found.logProbabilities![s]!;
    expect(p > 0 && p <= 1).toBe(true);
    expect(Math.exp(log)).toBeCloseTo(p, 9);
  }
  expect(found.nbest !== undefined).toBe(nbest !== undefined);
  for (const { labels, score, probability: p, logProbability: log } of found.nbest?.[s] ?? []) {
    expect(labels).toHaveLength(end - first);
    expect(Number.isFinite(score) && p > 0 && p <= 1).toBe(true);
    expect(Math.exp(log)).toBeCloseTo(p, 9);
  }
  if (nbest !== undefined)
    expect([1, nbest].includes(found.nbest![s]!.length) || nbest > found.nbest![s]!.length).toBe(
      true,
    );
  if (nbest !== undefined) expect(found.nbest![s]!.length).toBeGreaterThan(0);
  for (const { probability: p } of found.spans?.[s] ?? []) expect(p).toSatisfy(isProbability);
  if (spanProbabilities !== true) expect(found.spans).toBeUndefined();
}

for (const { rows, tags } of everyNth(15, Object.entries(requests))) {
  describe.each(rows)('every result of a model: %s', { tags }, (name, request) => {
    const isLayered = name === 'layers' || name === 'parts';
    let model: Model;
    beforeAll(async () => {
      const own = isLayered ? layered : corpus;
      ({
        tagger: { model },
      } = await train({ ...request, corpus: own } as TrainRequest));
    });

    it('is computed or refused, in every combination', () => {
      const sentences = [['Ann', 'Lee', 'saw', 'Oslo'], ['Rome'], ['and', 'Oslo', 'new']];
      const encoded = sentences.map(tokens => model.encodeKnown(sentenceOf(tokens)));
      const batch = packMinibatch(encoded);
      const decoder = new Decoder(model.kernel, model);
      model.reserve();
      let computed = 0;
      for (const options of askedWith(isLayered ? 'n|B-LOC' : 'B-LOC')) {
        let found: Decoded;
        try {
          found = decoder.decode(model.parameters, batch, options);
        } catch (thrown) {
          if (thrown instanceof TagstreamError && thrown.code === 'config') continue;
          throw thrown;
        }
        computed += 1;
        expect([JSON.stringify(options), [...(found.rejected ?? [])]]).toEqual([
          JSON.stringify(options),
          [],
        ]);
        for (const s of sentences.keys()) {
          const [first, end] = batch.sentenceStarts.subarray(s, s + 2);
          expectFilled(found, options, s, first!, end!);
        }
      }
      expect(computed).toBeGreaterThan(2);
    });
  });
}

it('a result that no decoder fills rejects its sentence, and no other', { tags: 'slow' }, () => {
  const sentences = [['a'], [], ['b', 'c']];
  const batch = packMinibatch(
    sentences.map(tokens => ({
      ...{ sentence: sentenceOf(tokens), length: tokens.length },
      ...{ stateStarts: new Uint32Array(tokens.length + 1), stateRows: new Uint32Array(0) },
    })),
  );
  const reported = { tags: ['X', 'Y'], columns: Int32Array.of(0, 1) };
  const all = { probability: true, nbest: 2, spanProbabilities: true } as const;
  for (const marginals of ['all', 'pairs'] as const) {
    const filled = () => {
      const draft = draftOf(batch, { ...all, marginals }, true, reported);
      for (const name of ['scores', 'marginals', 'probabilities', 'logProbabilities'] as const) {
        draft[name]!.fill(0);
      }
      draft.labelMarginals?.values.fill(0);
      for (const name of ['pairMarginals', 'nbest', 'spans'] as const) {
        if (draft[name] !== undefined) draft[name] = sentences.map(() => []) as never;
      }
      return draft;
    };
    expect(rejectUnfilled(filled(), batch).rejected).toBeUndefined();
    const fresh = draftOf(batch, { ...all, marginals }, true, reported);
    for (const name of Object.keys(fresh).filter(each => each !== 'labels')) {
      const { rejected } = rejectUnfilled({ ...filled(), [name]: fresh[name as 'scores'] }, batch);
      // Without tokens there is nothing to fill for tokens.
      const isOfTokens = name === 'marginals' || name === 'labelMarginals';
      expect([...rejected!.keys()]).toEqual(isOfTokens ? [0, 2] : [0, 1, 2]);
      expect(rejected!.get(0)).toMatchObject({
        code: 'numeric',
        problem: expect.stringContaining(name),
      });
    }
  }
});

it('probabilities of long sentences have logarithms that do not underflow', {
  tags: 'slow',
}, async () => {
  const { tagger } = await train({ ...chain, epochs: 1, corpus });
  const tokens = Array.from({ length: 9_000 }, (_, i) => words[(i * i) % 6]!);
  const found = tagger.analyze(tokens, {}, { probability: true, nbest: 2 });
  expect(found.probability).toBe(0);
  expect(found.logProbability).toBeLessThan(-750);
  expect(found.logProbability).toBeGreaterThan(-1e5);
  expect(found.nbest![0]!.logProbability).toBeCloseTo(found.logProbability!, 3);
  // Without transitions, a sentence is as probable as its tokens together.
  const alone = await train({ features: { templates: 'U0:%x[0,0]' }, epochs: 1, corpus });
  const own = alone.tagger.analyze(
    tokens,
    {},
    { probability: true, marginals: true, transitions: 'any' },
  );
  const logs = sum(own.marginals!.map(Math.log));
  expect(Math.abs(own.logProbability! / logs - 1)).toBeLessThan(1e-4);
});
