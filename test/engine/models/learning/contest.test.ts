import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import type { State } from '../../../../src/engine/core/training/state.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import { perceptronLoss } from '../../../../src/engine/losses/perceptron-loss.js';
import { writeModel } from '../../../../src/engine/models/files/model-file.js';
import type { GrowthLimit } from '../../../../src/engine/models/growth-limit.js';
import {
  type ChampionChange,
  Contest,
  type ContestOptions,
} from '../../../../src/engine/models/learning/contest.js';
import {
  createOnlineLearner,
  type Learner,
} from '../../../../src/engine/models/learning/learner.js';
import { Model } from '../../../../src/engine/models/model.js';
import type { ModelSpec } from '../../../../src/engine/models/model-spec.js';
import {
  restoreModelState,
  saveModelState,
} from '../../../../src/engine/models/state/model-state.js';
import { adagrad } from '../../../../src/engine/optimizers/adagrad.js';
import { passiveAggressive } from '../../../../src/engine/optimizers/passive-aggressive.js';
import { perceptron } from '../../../../src/engine/optimizers/perceptron.js';
import { sgd } from '../../../../src/engine/optimizers/sgd.js';
import { kernelRows } from '../../../contracts/oracle/kernels/kernels.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { deepCopy } from '../examples/deep-copy.js';
import { digest } from '../examples/digest.js';
import { syntheticCorpus } from '../examples/synthetic-corpus.js';

const { kernel } = kernelRows[0]!;
const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nB\nB0:%x[0,0]';
const spec: ModelSpec = {
  ...{ templates, columns: ['form'], index: { mode: 'exact', cutoff: 1 }, support: 'all' },
};

const optimizers = {
  sgd: [sgd, { eta0: 0.1, l2: 0.5 }],
  slow: [sgd, { eta0: 0.01, l2: 0.5 }],
  adagrad: [adagrad, { eta0: 0.1, l1: 0.1 }],
  quick: [passiveAggressive, { aggressiveness: 1 }],
  averaged: [perceptron, {}],
} as const;

type Name = keyof typeof optimizers;

function learnerOf(model: Model, name: Name): Learner {
  const [optimizer, options] = optimizers[name] as never as [typeof sgd, object];
  const loss = optimizer.losses?.includes('perceptron') === true ? perceptronLoss : logLoss;
  return createOnlineLearner(model, { loss, optimizer, options, corpusSize: 200 });
}

/** A contest of learners of one model and its twins. */
function contestOf(
  names: readonly Name[],
  { limit, ...options }: ContestOptions & { limit?: GrowthLimit; support?: 'observed' } = {},
  given: ModelSpec = spec,
): Contest {
  const model = new Model(given, { kernel, limit });
  const learners = names.map((name, i) => [name, learnerOf(i === 0 ? model : model.twin(), name)]);
  return new Contest(Object.fromEntries(learners), options);
}

const first = (contest: Contest) => [...contest.learners.values()][0]!;

/** Learns from sentences in minibatches; returns the tags that were served. */
function learn(contest: Contest, sentences: readonly Sentence[], size = 1): string[][] {
  const { model } = first(contest);
  const served: string[][] = [];
  for (let at = 0; at < sentences.length; at += size) {
    const encoded = sentences.slice(at, at + size).map(sentence => model.encode(sentence));
    const { predicted, minibatch } = contest.learn(packMinibatch(encoded)).contribution;
    for (const [s] of minibatch.sentences.entries()) {
      const from = minibatch.sentenceStarts[s]!;
      const labels = predicted!.subarray(from, minibatch.sentenceStarts[s + 1]);
      served.push(Array.from(labels, label => model.labels.reported[label]!));
    }
  }
  return served;
}

function learnAlone(learner: Learner, sentences: readonly Sentence[], size = 1): string[][] {
  const tags: string[][] = [];
  for (let at = 0; at < sentences.length; at += size) {
    const encoded = sentences.slice(at, at + size).map(each => learner.model.encode(each));
    const contribution = learner.contribute(packMinibatch(encoded), true);
    const { predicted, minibatch } = contribution;
    for (const [s] of minibatch.sentences.entries()) {
      const from = minibatch.sentenceStarts[s]!;
      const labels = predicted!.subarray(from, minibatch.sentenceStarts[s + 1]);
      tags.push(Array.from(labels, label => learner.model.labels.reported[label]!));
    }
    learner.apply(contribution);
  }
  return tags;
}

const bytesOf = (learner: Learner) => digest(writeModel(learner));

const wrongIn = (tags: readonly string[], { tags: gold = [] }: Sentence) =>
  gold.filter((tag, t) => tag !== tags[t]).length;

/** Sentences in which the labels are permuted. */
const permuted = (sentences: readonly Sentence[], by: number) =>
  sentences.map(sentence => ({
    ...sentence,
    tags: sentence.tags!.map(tag => `L${(Number(tag.slice(1)) + by) % 4}`),
  }));

/** One way of labelling, then another, and the first again. */
function drifting(seed: number, length: number): Sentence[] {
  const corpus = syntheticCorpus(new Random(seed), 3 * length, { wordsPerLabel: 60 });
  return [
    ...corpus.slice(0, length),
    ...permuted(corpus.slice(length, 2 * length), 1),
    ...corpus.slice(2 * length),
  ];
}

/** Sentences in each of which a word is new. */
function endless(seed: number, count: number): Sentence[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, i) => {
    const numbers = Array.from({ length: 1 + random.below(4) }, () => random.below(8));
    const tokens = [...numbers.map(word => `w${word}`), `new${i}`];
    return sentenceOf(tokens, { tags: [...numbers.map(word => `L${word % 3}`), 'L0'] });
  });
}

describe('Contest', () => {
  it.each([
    ['single sentences', spec, 1],
    ['minibatches', spec, 5],
    ['weights of observed pairs', { ...spec, support: 'observed' as const }, 2],
    ['a dictionary', { ...spec, dictionary: { minCount: 2 } }, 1],
  ])(
    'teaches each learner what it learns alone, with one encoding: %s',
    { tags: 'slow' },
    (_, given, size) => {
      const names = ['sgd', 'adagrad', 'averaged', 'quick'] as const;
      const sentences = syntheticCorpus(new Random(2), 120);
      const contest = contestOf(names, {}, given as ModelSpec);
      learn(contest, sentences, size);
      for (const [name, learner] of contest.learners) {
        const alone = learnerOf(new Model(given as ModelSpec, { kernel }), name as Name);
        learnAlone(alone, sentences, size);
        expect([name, bytesOf(learner)]).toEqual([name, bytesOf(alone)]);
      }
    },
  );

  it('serves what the champion would serve alone, from one switch to the next', {
    tags: 'slow',
  }, () => {
    const names = ['slow', 'adagrad', 'quick'] as const;
    const sentences = drifting(4, 300);
    const changes: ChampionChange[] = [];
    const contest = contestOf(names, { onSwitch: change => changes.push(change) });
    const served = learn(contest, sentences);
    expect(served.length).toBe(sentences.length);
    expect(changes.length).toBeGreaterThan(0);
    let [at, champion]: [number, string] = [0, 'slow'];
    for (const change of [...changes, undefined]) {
      const alone = learnAlone(learnerOf(new Model(spec, { kernel }), champion as Name), sentences);
      const end = change?.sentences ?? sentences.length;
      expect(served.slice(at, end)).toEqual(alone.slice(at, end));
      if (change === undefined) break;
      expect(change.from).toBe(champion);
      expect(change.standings.find(({ isChampion }) => isChampion)!.name).toBe(change.to);
      [at, champion] = [end, change.to];
    }
    expect(contest.champion).toBe(champion);
  });

  it('goes over to the best learner, and back when scores have changed', () => {
    const sentences = drifting(7, 500);
    const changes: ChampionChange[] = [];
    const contest = contestOf(['slow', 'quick'], { onSwitch: change => changes.push(change) });
    // The slow one has seen the first way of labelling for long.
    learnAlone(first(contest), syntheticCorpus(new Random(70), 3000, { wordsPerLabel: 60 }));
    learn(contest, sentences);
    expect(changes.map(({ from, to }) => `${from} -> ${to}`)).toEqual([
      'slow -> quick',
      'quick -> slow',
    ]);
    expect(changes[0]!.sentences).toBeGreaterThan(500);
    expect(changes[0]!.sentences).toBeLessThan(600);
    expect(changes[1]!.sentences).toBeGreaterThan(1000);
    expect(changes[1]!.sentences).toBeLessThan(1200);
    expect(contest.switches).toBe(2);
  });

  it('is never behind a challenger by more than the bound of the test', { tags: 'slow' }, () => {
    const stakes = [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128];
    const unbet = (t: number) => 1 / (1 + Math.log(t));
    const sentences = drifting(9, 300);
    const names = ['slow', 'sgd', 'quick'] as const;
    const alone = names.map(name =>
      learnAlone(learnerOf(new Model(spec, { kernel }), name), sentences),
    );
    const ends: number[] = [];
    const contest = contestOf(names, { onSwitch: ({ sentences: at }) => ends.push(at) });
    const served = learn(contest, sentences);
    const total = (tags: readonly string[][]) =>
      tags.reduce((sum, each, i) => sum + wrongIn(each, sentences[i]!), 0);
    expect(total(served)).toBeLessThan(Math.max(...alone.map(total)));
    let begin = 0;
    for (const [m, end] of [...ends, sentences.length].entries()) {
      const alpha = 0.05 / ((m + 1) * (m + 2) * 2);
      for (const tags of alone) {
        let [sum, squares] = [0, 0];
        // Undecided before its last sentence.
        for (let s = end - 2; s >= begin; s -= 1) {
          const d = (wrongIn(served[s]!, sentences[s]!) - wrongIn(tags[s]!, sentences[s]!)) / 4;
          sum += Math.max(-1, Math.min(1, d));
          squares += Math.min(1, d * d);
          const t = s - begin + 1;
          const begun = unbet(t) - unbet(t + 1);
          const bound = Math.min(
            ...stakes.map(k => Math.log(7 / (alpha * begun)) / k + k * squares),
          );
          expect(sum).toBeLessThanOrEqual(bound);
        }
      }
      begin = end;
    }
  });

  it('keeps the champion where the learners are alike', () => {
    const contest = contestOf(['sgd', 'adagrad']);
    learn(contest, syntheticCorpus(new Random(1), 600));
    const twins = new Contest(
      Object.fromEntries(
        ['one', 'other'].map(name => [name, learnerOf(new Model(spec, { kernel }), 'sgd')]),
      ),
    );
    learn(twins, syntheticCorpus(new Random(1), 600));
    expect([twins.champion, twins.switches]).toEqual(['one', 0]);
    const [one, other] = twins.standings;
    expect(other).toEqual({ ...one, name: 'other', isChampion: false });
  });

  it('evicts the features of all twins together', () => {
    const limit: GrowthLimit = { features: 120, bytes: 2 ** 20 };
    const sentences = endless(3, 250);
    const model = new Model(spec, { kernel, limit });
    const twins = [model.twin(), model.twin()];
    const [one, other, third] = [model, ...twins].map(each => learnerOf(each, 'sgd'));
    let evicted = 0;
    one!.onEvicted = count => {
      evicted += count;
    };
    const contest = new Contest({ one: one!, other: other!, third: third! });
    learn(contest, sentences);
    expect(evicted).toBeGreaterThan(100);
    const alone = learnerOf(new Model(spec, { kernel, limit }), 'sgd');
    learnAlone(alone, sentences);
    // Those that learn alike keep alike features: as one alone.
    for (const each of [one!, other!, third!]) expect(bytesOf(each)).toBe(bytesOf(alone));
    // And those that do not leave nothing of a feature that went.
    const mixed = contestOf(['sgd', 'adagrad', 'averaged', 'quick'], { limit });
    learn(mixed, sentences);
    const rows = model.stateIndex.size;
    for (const { model: own } of mixed.learners.values()) {
      expect(own.parameters.stateRows).toBeLessThan(2 * rows);
    }
  });

  it.each([
    ['without a limit', undefined],
    ['with evictions', { features: 120, bytes: 2 ** 20 }],
  ])('resumes at any sentence to the same bytes and tags: %s', { tags: 'slow' }, (_, limit) => {
    const names = ['slow', 'adagrad', 'quick'] as const;
    const sentences = limit === undefined ? drifting(5, 120) : endless(4, 360);
    const given = limit === undefined ? {} : { limit };
    const whole = contestOf(names, given);
    const saved: { at: number; states: State[] }[] = [];
    const served: string[][] = [];
    for (const [i, sentence] of sentences.entries()) {
      if (i % 60 === 30) {
        const learners = [...whole.learners.values()];
        const states = [
          ...learners.map(({ model }) => saveModelState(model)),
          ...learners.map(learner => learner.save()),
          whole.save(),
        ];
        saved.push({ at: i, states: states.map(deepCopy) });
      }
      served.push(...learn(whole, [sentence]));
    }
    if (limit === undefined) expect(whole.switches).toBeGreaterThan(0);
    for (const { at, states } of saved) {
      const model = restoreModelState(states[0]!, kernel, limit);
      const models = names.map((_name, i) =>
        i === 0 ? model : model.twin(restoreModelState(states[i]!, kernel, limit).parameters),
      );
      const learners = names.map((name, i) => [name, learnerOf(models[i]!, name)] as const);
      for (const [i, [, learner]] of learners.entries()) learner.restore(states[3 + i]!);
      const contest = new Contest(Object.fromEntries(learners));
      contest.restore(states[6]!);
      expect(learn(contest, sentences.slice(at))).toEqual(served.slice(at));
      expect(contest.save()).toEqual(whole.save());
      for (const [name, learner] of contest.learners) {
        expect([name, bytesOf(learner)]).toEqual([name, bytesOf(whole.learners.get(name)!)]);
      }
    }
  });

  it('has learners of other features and labels too, whose tags come out as those of the first', {
    tags: 'slow',
  }, () => {
    const inBio = (sentence: Sentence) => ({
      ...sentence,
      tags: sentence.tags!.map((tag, t, all) =>
        tag === 'L0' ? 'O' : `${t > 0 && all[t - 1] === tag ? 'I' : 'B'}-${tag}`,
      ),
    });
    const sentences = syntheticCorpus(new Random(6), 300).map(inBio);
    const poor = learnerOf(new Model({ ...spec, templates: 'U:\nB' }, { kernel }), 'sgd');
    const bioes = { ...spec, encode: 'bioes' as const };
    const contest = new Contest({
      poor,
      rich: learnerOf(new Model(bioes, { kernel }), 'adagrad'),
    });
    const served = learn(contest, sentences);
    expect(contest.champion).toBe('rich');
    const alone = learnAlone(learnerOf(new Model(bioes, { kernel }), 'adagrad'), sentences);
    expect(served.slice(-50)).toEqual(alone.slice(-50));
  });

  it('counts what a challenger cannot read as wrong, and has the first learner answer for it', () => {
    const narrow = { ...spec, templates: 'U0:%x[0,form]\nU1:%x[0,pos]', columns: ['form', 'pos'] };
    const sentences = syntheticCorpus(new Random(6), 260);
    const contest = new Contest({
      first: learnerOf(new Model({ ...spec, templates: 'U:\nB' }, { kernel }), 'sgd'),
      narrow: learnerOf(new Model(narrow, { kernel }), 'adagrad'),
    });
    const readable = sentences.map((sentence, i) =>
      i < 100 ? { ...sentence, columns: { pos: sentence.tags! } } : sentence,
    );
    learn(contest, readable.slice(0, 100));
    expect(contest.champion).toBe('narrow');
    const served = learn(contest, readable.slice(100), 4);
    const alone = learnAlone(
      learnerOf(new Model({ ...spec, templates: 'U:\nB' }, { kernel }), 'sgd'),
      sentences,
    );
    expect(served.length).toBe(160);
    // It answers until the test has found out, which is soon.
    expect(served.slice(0, 4)).toEqual(alone.slice(100, 104));
    expect(contest.champion).toBe('first');
  });

  it('compares where gold tags are known, and nowhere else', () => {
    const contest = contestOf(['slow', 'adagrad']);
    const sentences = syntheticCorpus(new Random(3), 60);
    learn(contest, sentences);
    const before = deepCopy(contest.save());
    learn(
      contest,
      sentences.map(({ tags: _, ...sentence }) => sentence),
    );
    expect(contest.save()).toEqual(before);
    const [{ tokens, tags = [] }] = sentences as [Sentence];
    const partialTags = tags.map((tag, t) => (t === 0 ? tag : t === 1 ? ['L0', 'L1'] : null));
    const { tags: _, ...untagged } = sentences[0]!;
    learn(contest, [{ ...untagged, partialTags }]);
    const sum = (state: State) => state.arrays['sums.0']![0]!;
    expect(tokens.length).toBeGreaterThan(1);
    expect(sum(contest.save()) - sum(before)).toBe(1);
  });

  it('refuses fewer than two learners, and a state of others', () => {
    const learner = learnerOf(new Model(spec, { kernel }), 'sgd');
    expect(() => new Contest({ learner })).toThrow('a contest needs at least two learners, got 1');
    expect(() => new Contest({ learner, other: 1 as never })).toThrow('the learner other');
    const state = contestOf(['sgd', 'adagrad']).save();
    expect(() => contestOf(['sgd', 'quick']).restore(state)).toThrow('are not sgd, quick');
    expect(() => contestOf(['sgd', 'adagrad'], { alpha: 0.1 }).restore(state)).toThrow(
      'saved with alpha 0.025, but this run has 0.05',
    );
    const prunes = { ...spec, index: { mode: 'exact' as const, cutoff: 1, pruneEvery: 10 } };
    expect(() => new Model(prunes, { kernel }).twin()).toThrow('prunes features');
  });
});
