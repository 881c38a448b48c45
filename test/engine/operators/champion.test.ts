import { from, lastValueFrom, map, throwError, toArray } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import type { Minibatch } from '../../../src/engine/core/minibatch/minibatch.js';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import { ProgressiveScores } from '../../../src/engine/metrics/scores/progressive-scores.js';
import { createModel } from '../../../src/engine/models/create-model.js';
import { Contest, type ContestOptions } from '../../../src/engine/models/learning/contest.js';
import { createOnlineLearner } from '../../../src/engine/models/learning/learner.js';
import { batch } from '../../../src/engine/operators/batch.js';
import { champion } from '../../../src/engine/operators/champion.js';
import { evaluateProgressive } from '../../../src/engine/operators/evaluate-progressive.js';
import { featurize } from '../../../src/engine/operators/featurize.js';
import { tag } from '../../../src/engine/operators/tag.js';
import { adagrad } from '../../../src/engine/optimizers/adagrad.js';
import { sgd } from '../../../src/engine/optimizers/sgd.js';
import { syntheticCorpus } from '../models/examples/synthetic-corpus.js';
import { numbered } from './training.js';

function contestOf(options: ContestOptions = {}) {
  const model = createModel({ templates: 'U0:%x[0,0]\nB' });
  const slow = { loss: logLoss, optimizer: sgd, options: { eta0: 0.001 }, corpusSize: 100 };
  const quick = { loss: logLoss, optimizer: adagrad, corpusSize: 100 };
  const contest = new Contest(
    {
      slow: createOnlineLearner(model, slow),
      quick: createOnlineLearner(model.twin(), quick),
    },
    options,
  );
  return { model, contest };
}

describe('champion', () => {
  it('gives a step for each minibatch, at once, and passes on the end and errors', () => {
    new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(
      ({ cold, expectObservable, expectSubscriptions }) => {
        for (const marbles of ['a-(bc)--|', 'a--#']) {
          const { model, contest } = contestOf();
          const minibatch = (i: number) => packMinibatch([model.encode(numbered(i))]);
          const minibatches = { a: minibatch(0), b: minibatch(1), c: minibatch(2) };
          const source = cold<Minibatch>(marbles, minibatches);
          const seen = source.pipe(
            champion(contest),
            map(({ sentencesSeen, contribution }) => [
              sentencesSeen,
              contribution.minibatch.sentences[0]!.sentence.document.id,
            ]),
          );
          const values = { a: [1, '0'], b: [2, '1'], c: [3, '2'] };
          expectObservable(seen).toBe(marbles, values);
          expectSubscriptions(source.subscriptions).toBe(marbles === 'a--#' ? '^--!' : '^-------!');
        }
      },
    );
  });

  it('has each sentence tagged once and in order, through switches', async () => {
    const switched: number[] = [];
    const { model, contest } = contestOf({
      onSwitch: ({ sentences }) => switched.push(sentences),
    });
    const corpus = syntheticCorpus(new Random(1), 900).map((sentence, i) => {
      const { tags: _, ...untagged } = sentence;
      return i % 3 === 0 ? untagged : sentence;
    });
    const progress = new ProgressiveScores({ spanScheme: false });
    const labelled = corpus[1]!;
    const tagged = await lastValueFrom(
      from([labelled, ...corpus]).pipe(
        featurize(model),
        batch({ sentences: 2 }),
        champion(contest),
        evaluateProgressive(model, progress),
        tag(model),
        toArray(),
      ),
    );
    expect(switched.length).toBe(1);
    // The first minibatch has no labels to be tagged by before it is learned from, yet the model has met them.
    expect(tagged.map(({ document }) => document.id)).toEqual(
      [labelled, ...corpus].map(({ document }) => document.id),
    );
    expect(progress.sentences).toBe(601);
  });

  it('gives the probabilities of what the champion predicts', async () => {
    const { model, contest } = contestOf();
    const corpus = syntheticCorpus(new Random(1), 200);
    const options = { marginals: true, probability: true };
    const tagged = await lastValueFrom(
      from(corpus).pipe(
        featurize(model),
        batch(),
        champion(contest, options),
        tag(model, options),
        toArray(),
      ),
    );
    expect(contest.champion).toBe('quick');
    const last = tagged.at(-1)!;
    expect(last.marginals!.length).toBe(last.tokens.length);
    // The slow one would have hardly left the uniform distribution.
    const mean = last.marginals!.reduce((sum, p) => sum + p, 0) / last.tokens.length;
    expect(mean).toBeGreaterThan(0.5);
    expect(last.probability).toBeGreaterThan(0);
  });

  it('refuses what is no contest, no minibatch and no option', async () => {
    const { contest } = contestOf();
    expect(() => champion({} as never)).toThrow('expected a contest of learners');
    expect(() => champion(contest, { predict: true } as never)).toThrow('unknown key "predict"');
    await expect(lastValueFrom(from([1 as never]).pipe(champion(contest)))).rejects.toThrow(
      'champion takes a minibatch',
    );
    await expect(
      lastValueFrom(throwError(() => new Error('lost')).pipe(champion(contest) as never)),
    ).rejects.toThrow('lost');
  });
});
