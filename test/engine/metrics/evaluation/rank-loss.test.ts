import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import { Lattice } from '../../../../src/engine/kernels/lattice.js';
import { contributionOf } from '../../../../src/engine/losses/contribution-of.js';
import { ExponentialLoss } from '../../../../src/engine/losses/exponential-loss.js';
import { Evaluation } from '../../../../src/engine/metrics/evaluation/evaluation.js';
import { RankLoss } from '../../../../src/engine/metrics/evaluation/rank-loss.js';
import { alternatives } from '../../../../src/engine/models/decoding/decoded.js';
import { Decoder } from '../../../../src/engine/models/decoding/decoder.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import { Enumeration } from '../../../contracts/oracle/enumeration.js';
import { scoresOf } from '../../../contracts/oracle/scores-of.js';
import { objectiveOf, smallProblems } from '../../trainers/small-problem.js';

const names = ['X', 'Y', 'Z'];

/** Sentences of a small problem under random weights: their gold tags and the scores of all other sequences. */
function ranked(problem: (typeof smallProblems)[number], seed: number) {
  const objective = objectiveOf(problem);
  const random = new Random(seed);
  objective.place(Float64Array.from({ length: objective.free.size }, () => 4 * random.next() - 2));
  const { parameters, corpus } = objective;
  const sentences = corpus.flatMap(minibatch => minibatch.sentences);
  const batch = packMinibatch(sentences);
  return {
    ...{ parameters, batch },
    sentences: sentences.map((sentence, s) => {
      const all = new Enumeration(scoresOf(parameters, sentence));
      const gold = Array.from(sentence.gold!);
      const own = all.pathScore(gold);
      // Beyond what rounding moves.
      const higher = all.ranked.filter(({ score }) => score > own + 1e-9).length;
      return { s, higher, tags: gold.map(y => names[y]!) };
    }),
  };
}

describe.each(smallProblems)('RankLoss: $name', problem => {
  it.each([1, 2, 3])(
    'counts the sequences that score higher, as the enumeration does: weights %i',
    seed => {
      const { parameters, batch, sentences } = ranked(problem, seed);
      for (const limit of [1000, 7, 1]) {
        const decoder = new Decoder(kernels.simd64);
        const { nbest } = decoder.decode(parameters, batch, { nbest: limit });
        const ranks = new RankLoss(limit);
        for (const { s, tags } of sentences) ranks.add(tags, alternatives(nbest![s]!, names));
        const { loss, mean, beyond, within } = ranks.summary();
        const capped = sentences.map(({ higher }) => Math.min(higher, limit));
        const sum = capped.reduce((a, b) => a + b, 0);
        expect([loss, mean]).toEqual([sum, sum / sentences.length]);
        expect(beyond).toBe(sentences.filter(({ higher }) => higher >= limit).length);
        for (const { best, sentences: count, share } of within) {
          expect(count).toBe(sentences.filter(({ higher }) => higher < best).length);
          expect(share).toBeCloseTo((100 * count) / sentences.length, 10);
        }
      }
      expect(sentences.some(({ higher }) => higher > 7)).toBe(true);
    },
  );

  it('is at most the exponential loss, sentence by sentence', () => {
    const { parameters, batch, sentences } = ranked(problem, 4);
    const lattice = new Lattice(parameters.memory, parameters.precision);
    const loss = new ExponentialLoss({ bound: 300 });
    const { losses } = contributionOf(kernels.simd64, parameters, lattice, batch, loss);
    for (const { s, higher } of sentences) expect(losses[s]).toBeGreaterThan(higher - 1e-6);
  });
});

describe('RankLoss', () => {
  const nbest = (...all: (readonly [string, number])[]) =>
    all.map(([tags, score]) => ({
      tags: tags.split(' '),
      score,
      probability: 1,
      logProbability: 0,
    }));

  it('does not count sequences that score the same, nor the same tags twice', () => {
    const ranks = new RankLoss(5);
    ranks.add(['B'], nbest(['A', 1], ['B', 1]));
    ranks.add(['B'], nbest(['A', 3], ['A', 2], ['B', 1]));
    const { loss, within } = ranks.summary();
    expect(loss).toBe(1);
    expect(within.map(({ best, sentences }) => [best, sentences])).toEqual([
      [1, 1],
      [2, 2],
      [5, 2],
    ]);
  });

  it('puts tags that the decoder forbids after all others', () => {
    const ranks = new RankLoss(5);
    ranks.add(['C'], nbest(['A', 2], ['B', 1]));
    expect(ranks.summary()).toMatchObject({ loss: 2, beyond: 1, sentences: 1, limit: 5 });
  });

  it('has round numbers of best sequences up to the limit', () => {
    const among = (limit: number) => new RankLoss(limit).summary().within.map(({ best }) => best);
    expect(among(1)).toEqual([1]);
    expect(among(10)).toEqual([1, 2, 5, 10]);
    expect(among(150)).toEqual([1, 2, 5, 10, 20, 50, 100, 150]);
    expect(new RankLoss(1).summary()).toMatchObject({ sentences: 0, mean: null });
  });

  it('refuses what is no number of sequences, and sentences without them', () => {
    expect(() => new RankLoss(0)).toThrow('cannot count ranks among the 0 best sequences');
    expect(() => new RankLoss(2).add(['A'], undefined)).toThrow('has no best sequences');
    expect(() => new RankLoss(1).add(['A'], nbest(['A', 2], ['B', 1]))).toThrow('has 2 best');
  });

  it('compares tags of different schemes in BIO, in an evaluation', () => {
    const evaluation = new Evaluation({ spanScheme: true, scheme: 'BIO', rank: 3 });
    const found = nbest(['B-X I-X O', 3], ['O B-X O', 2], ['O O B-X', 1]);
    const add = (gold: string) =>
      evaluation.add({
        ...{ tokens: ['a', 'b', 'c'], gold: gold.split(' ') },
        ...{ tags: found[0]!.tags, nbest: found },
      });
    add('B-X E-X O');
    add('O S-X O');
    add('S-X S-X S-X');
    const { rank, schemes } = evaluation.report();
    expect(schemes).toEqual({ gold: 'BIOES', model: 'BIO' });
    expect(rank).toMatchObject({ loss: 4, beyond: 1, sentences: 3 });
    expect(rank!.within.map(({ sentences }) => sentences)).toEqual([1, 2, 2]);
  });

  it('counts nothing of a sentence without its best sequences', () => {
    const evaluation = new Evaluation({ spanScheme: false, rank: 3 });
    const sentence = { tokens: ['a'], gold: ['A'], tags: ['A'] };
    expect(() => evaluation.add(sentence)).toThrow('has no best sequences for its rank');
    expect(evaluation.scores()).toMatchObject({ sentences: 0, rank: { sentences: 0 } });
    expect(new Evaluation({ spanScheme: false }).scores()).not.toHaveProperty('rank');
  });
});
