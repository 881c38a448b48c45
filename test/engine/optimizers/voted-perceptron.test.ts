import { describe, expect, it } from 'vitest';
import type { EncodedSentence } from '../../../src/engine/core/minibatch/encoded-sentence.js';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import type { VotingWeights } from '../../../src/engine/kernels/store/parameter-store.js';
import { Decoder } from '../../../src/engine/models/decoding/decoder.js';
import type { ModelSpec } from '../../../src/engine/models/model-spec.js';
import {
  type VotedPerceptronOptions,
  votedPerceptron,
} from '../../../src/engine/optimizers/voted-perceptron.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { everyNth } from '../../house/long-forms.js';
import { NaiveVoters } from './naive-voters.js';
import { SideBySide, weightOf } from './side-by-side.js';
import { smallCorpus } from './small-corpus.js';

// Without numbers: all weights are then whole, and both break the same ties.
const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nB\nB0:%x[0,0]';
const kinds: [string, Partial<ModelSpec>][] = [
  ['all labels of each feature', { templates }],
  ['observed pairs', { templates, support: 'observed' }],
  ['features hashed to few rows', { templates, index: { mode: 'hashed', rows: 16, edgeRows: 5 } }],
  ['no transitions', { templates: 'U0:%x[0,0]' }],
];

describe.each(kernelRows)('voted perceptron with the $name kernel', ({ kernel, tolerance }) => {
  function contest(voters = 10_000, spec: Partial<ModelSpec> = { templates }) {
    const naive = new NaiveVoters(voters);
    const pair = new SideBySide<VotedPerceptronOptions>({
      ...{ kernel, optimizer: votedPerceptron, options: { voters }, corpusSize: 30, spec },
      naive: () => naive,
    });
    return { pair, naive };
  }

  type Contest = ReturnType<typeof contest>;

  /** The voters have the votes and all weights of the naive ones, gone over forwards and backwards. */
  function expectSameVoters({ pair, naive }: Contest): VotingWeights {
    const { voters } = pair.learner.deployedParameters();
    expect(voters!.votes).toEqual(naive.voters.map(({ votes }) => votes));
    const names = [...pair.trainer.weights.keys()];
    const numbers = [...naive.voters.keys()];
    for (const i of [...numbers, ...numbers.toReversed()]) {
      const store = voters!.at(i);
      const own = names.map(name => weightOf(store, name));
      expect(own).toEqual(names.map(name => naive.voters[i]!.weights.get(name) ?? 0));
    }
    return voters!;
  }

  /** Labels, votes and all that was voted for are what asking each copy gives; whichever end comes first. */
  function expectSameTags({ pair, naive }: Contest, sentences: readonly EncodedSentence[]): void {
    const { model, learner, trainer } = pair;
    const deployed = learner.deployedParameters();
    const all = naive.voters.reduce((sum, { votes }) => sum + votes, 0);
    const decoder = new Decoder(kernel);
    const batch = packMinibatch([...sentences]);
    for (let time = 0; time < 2; time += 1) {
      const asked = { nbest: 1000, probability: true, marginals: true };
      const { scores, labels, ...found } = decoder.decode(deployed, batch, asked);
      expect(labels.length).toBeGreaterThan(sentences.length);
      for (const [s, sentence] of sentences.entries()) {
        const expected = naive.ballots(trainer, sentence);
        const [start, end] = batch.sentenceStarts.subarray(s, s + 2);
        expect(Array.from(labels.subarray(start, end))).toEqual(expected[0]!.labels);
        expect(scores[s]).toBe(expected[0]!.votes);
        expect(found.probabilities![s]).toBe(expected[0]!.votes / all);
        expect(found.nbest![s]).toEqual(
          expected.map(({ labels: own, votes }) => ({
            ...{ labels: Int32Array.from(own), score: votes },
            ...{ probability: votes / all, logProbability: Math.log(votes / all) },
          })),
        );
        const shares = expected[0]!.labels.map(
          (label, t) =>
            expected.reduce((sum, b) => sum + (b.labels[t] === label ? b.votes : 0), 0) / all,
        );
        expect(Array.from(found.marginals!.subarray(start, end))).toEqual(shares);
      }
      expect(deployed.voters!.position).toBe(time === 0 ? 0 : naive.voters.length - 1);
    }
    expect(model.parameters.voters).toBeUndefined();
  }

  function learn({ pair }: Contest, corpus: readonly EncodedSentence[], passes: number, batch = 1) {
    for (let pass = 0; pass < passes; pass += 1) {
      for (let i = 0; i < corpus.length; i += batch) pair.learn(corpus.slice(i, i + batch));
    }
  }

  it.each(kinds)('is that of a copy after each mistake, %s', { tags: 'slow' }, (_, spec) => {
    for (const seed of [1, 2]) {
      const both = contest(10_000, spec);
      const corpus = smallCorpus(new Random(seed), 14).map(each => both.pair.encode(each));
      learn(both, corpus, 2);
      expect(both.naive.voters.length).toBeGreaterThan(10);
      expectSameVoters(both);
      const strangers = smallCorpus(new Random(100 + seed), 8, {
        labels: 3,
        words: 14,
        longest: 4,
      });
      const unknown = strangers.map(each => both.pair.model.encodeKnown(each));
      expectSameTags(both, [...corpus, ...unknown]);
    }
  });

  for (const { rows, tags } of everyNth(3, [2, 3, 5, 17])) {
    it.each(rows)('unites neighbours where there are more than %i', { tags }, voters => {
      const both = contest(voters);
      const corpus = smallCorpus(new Random(3), 30).map(each => both.pair.encode(each));
      for (let pass = 1; pass <= 3; pass += 1) {
        learn(both, corpus, 1);
        const { votes } = expectSameVoters(both);
        expect(votes.length).toBe(voters);
        expect(votes.reduce((sum, own) => sum + own, 0)).toBe(pass * 30);
      }
      expectSameTags(both, corpus);
    });
  }

  it('deploys the average of the voters by their votes beside them', () => {
    const both = contest();
    const { pair, naive } = both;
    learn(
      both,
      smallCorpus(new Random(4), 30).map(each => pair.encode(each)),
      2,
    );
    expect(pair.deployedDifference()).toBeLessThan(tolerance);
    const deployed = pair.learner.deployedParameters();
    for (const name of pair.trainer.weights.keys()) {
      const sum = naive.voters.reduce((all, v) => all + v.votes * (v.weights.get(name) ?? 0), 0);
      expect(weightOf(deployed, name)).toBeCloseTo(sum / 60, 5);
    }
  });

  it('counts sentence by sentence in minibatches, at the weights before them', () => {
    const both = contest(6);
    learn(
      both,
      smallCorpus(new Random(5), 32).map(each => both.pair.encode(each)),
      3,
      8,
    );
    expectSameVoters(both);
  });

  it('follows labels and features that come on a stream, rows laid out anew included', {
    tags: 'slow',
  }, () => {
    const random = new Random(6);
    const both = contest(12);
    const widths = new Set<number>();
    for (const [labels, words] of [
      [2, 4],
      [3, 8],
      [6, 14],
    ] as const) {
      for (const each of smallCorpus(random, 30, { labels, words, longest: 3 })) {
        both.pair.learn([both.pair.encode(each)]);
      }
      expectSameVoters(both);
      widths.add(both.pair.model.parameters.width);
    }
    expect(widths.size).toBe(2);
  });

  it('goes back to numbers that are not whole, to the bit', () => {
    const both = contest(10_000, {});
    const { model, learner } = both.pair;
    const corpus = smallCorpus(new Random(7), 30).map(each => both.pair.encode(each));
    const copies: number[][] = [];
    const { parameters } = model;
    for (const sentence of corpus) {
      const { loss } = learner.apply(learner.contribute(packMinibatch([sentence]))).contribution;
      const copy = numbersOf(parameters.weights);
      if (loss > 0 || copies.length === 0) copies.push(copy);
    }
    const { voters } = learner.deployedParameters();
    expect(voters!.votes.length).toBe(copies.length);
    for (const [i, copy] of copies.entries()) {
      const own = numbersOf(voters!.at(i).weights);
      expect(own.slice(0, copy.length)).toEqual(copy.map(Math.fround));
    }
    expect(copies.flat().some(weight => !Number.isInteger(weight))).toBe(true);
  });

  it('has no voters before the first sentence, and one after it', () => {
    const { pair } = contest();
    const [first] = smallCorpus(new Random(8), 1).map(each => pair.encode(each));
    expect(pair.learner.deployedParameters().voters).toBeUndefined();
    pair.learn([first!]);
    expect(pair.learner.deployedParameters().voters!.votes).toEqual([1]);
  });

  it('refuses a state that does not fit together', () => {
    const both = contest(5);
    learn(
      both,
      smallCorpus(new Random(9), 30).map(each => both.pair.encode(each)),
      1,
    );
    const { learner } = both.pair;
    const { json, arrays } = learner.save();
    const optimizer = json.optimizer as Record<string, unknown>;
    const refused = (jsonOther: object, arraysOther: object) => () =>
      learner.restore({
        json: { ...json, optimizer: { ...optimizer, ...jsonOther } },
        arrays: { ...arrays, ...arraysOther },
      });
    const places = arrays['voters.places']!.slice();
    const votes = optimizer.votes as number[];
    expect(refused({}, {})).not.toThrow();
    expect(refused({ votes: undefined }, {})).toThrow('there are no votes');
    expect(refused({ votes: [...votes, 1] }, {})).toThrow('there are no votes');
    expect(refused({ votes: votes.with(1, -1) }, {})).toThrow('there are no votes');
    expect(refused({ votes: votes.slice(1) }, {})).toThrow(
      'the weights of the voters are incomplete',
    );
    expect(refused({}, { 'voters.places': places.subarray(1) })).toThrow(
      'the weights of the voters are incomplete',
    );
    for (const [i, place] of [
      [0, 2 ** 30 - 1],
      [0, 2 ** 32 - 1],
      [1, places[0]!],
    ] as const) {
      const other = places.slice();
      other[i] = place;
      expect(refused({}, { 'voters.places': other })).toThrow('a weight out of range');
    }
    expect(refused({ voterWidth: 1000 }, {})).toThrow('more labels than the model');
  });
});

function numbersOf(
  plane: Record<'state' | 'edges' | 'pairs', { view: ArrayLike<number> }>,
): number[] {
  return [plane.state, plane.edges, plane.pairs].flatMap(({ view }) => Array.from(view));
}

it('keeps from 2 to 10,000 voters, 100 by default', () => {
  expect(votedPerceptron.options.parse({})).toEqual({ voters: 100 });
  for (const voters of [1, 10_001, 2.5]) {
    expect(votedPerceptron.options.safeParse({ voters }).success).toBe(false);
  }
});
