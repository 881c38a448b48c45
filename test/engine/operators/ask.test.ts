import { from, lastValueFrom, type Observable, Subject, toArray } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import type { Document } from '../../../src/engine/core/sentence/document.js';
import type { TrainingStep } from '../../../src/engine/core/training/training-step.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import { createModel } from '../../../src/engine/models/create-model.js';
import { createOnlineLearner } from '../../../src/engine/models/learning/learner.js';
import { askedUnits, QuestionBudget } from '../../../src/engine/models/learning/question-budget.js';
import { ask, type Question } from '../../../src/engine/operators/ask.js';
import { batch } from '../../../src/engine/operators/batch.js';
import { contribute } from '../../../src/engine/operators/contribute.js';
import { featurize } from '../../../src/engine/operators/featurize.js';
import { optimize } from '../../../src/engine/operators/optimize.js';
import { tokenize } from '../../../src/engine/operators/tokenize.js';
import { sgd } from '../../../src/engine/optimizers/sgd.js';
import { everyNth } from '../../house/long-forms.js';
import { Training } from './training.js';

/** Doubts of a stream: of a token d with probability density 1 / (2 sqrt(d)) in [0, 1]. */
function stream(random: Random, length: number): { tags: string[]; confidences: number[] } {
  const confidences = Array.from({ length }, () => 1 - random.uniform() ** 2);
  return { tags: Array.from({ length }, (_, t) => (t % 3 === 0 ? 'B-X' : 'I-X')), confidences };
}

describe('QuestionBudget', () => {
  for (const part of everyNth(2, [
    ['tokens', 0.05],
    ['tokens', 0.3],
    ['spans', 0.1],
    ['records', 0.1],
  ] as const)) {
    it.each(part.rows)(
      'asks for %s, and keeps to the share %d',
      { tags: part.tags },
      (of, share) => {
        const random = new Random(5);
        const budget = new QuestionBudget({ share, of, random: 0 });
        let [seen, asked] = [0, 0];
        let least = 1;
        for (let i = 0; i < 4000; i += 1) {
          const { tags, confidences } = stream(random, 3 + random.below(20));
          const { tokens, drawn } = budget.choose(tags, confidences);
          expect(drawn).toBe(false);
          seen += tags.length;
          asked += tokens.length;
          expect(asked).toBeLessThanOrEqual(share * seen + 1e-9);
          if (of === 'records') expect([0, tags.length]).toContain(tokens.length);
          if (of === 'spans') {
            // Spans are of three tokens.
            const starts = new Set(tokens.map(t => t - (t % 3)));
            const whole = [...starts].flatMap(t => [t, t + 1, t + 2].filter(u => u < tags.length));
            // The last span is cut where the share ends.
            if (asked + whole.length - tokens.length < share * seen) expect(tokens).toEqual(whole);
          }
          if (of === 'tokens' && i > 2000) {
            for (const t of tokens) least = Math.min(least, 1 - confidences[t]!);
          }
        }
        expect(budget.counts).toMatchObject({ tokens: seen, asked, drawn: 0, sampled: 0 });
        expect(asked / seen).toBeGreaterThan(0.9 * share);
        // The quantile that the share leaves: P(d > u) = 1 - sqrt(u).
        if (of === 'tokens')
          expect(Math.abs(least - (1 - share) ** 2)).toBeLessThan(0.35 * share + 0.1);
      },
    );
  }

  it('draws whole records at random, whatever the doubts', () => {
    const random = new Random(6);
    const budget = new QuestionBudget({ share: 0.2, random: 0.5, seed: 3 });
    let doubts = 0;
    let tokens = 0;
    let waiting = 0;
    for (let i = 0; i < 5000; i += 1) {
      const { tags, confidences } = stream(random, 10);
      const chosen = budget.choose(tags, confidences);
      if (chosen.drawn) {
        expect(chosen.tokens).toHaveLength(10);
        tokens += 10;
        for (const confidence of confidences) doubts += 1 - confidence;
        if (chosen.waits) budget.hold(i, 10);
      }
      const due = budget.due();
      if (due === undefined) waiting = chosen.waits ? 10 : waiting;
      else waiting = 0;
    }
    // At most 500 of 5000 records, less those not drawn while one waits; the mean of the doubts is 1 / 3.
    expect(Math.abs(tokens / 10 - 450)).toBeLessThan(60);
    expect(doubts / tokens).toBeCloseTo(1 / 3, 1);
    expect(budget.counts.drawn).toBe(tokens - waiting);
    expect(budget.counts.asked / budget.counts.tokens).toBeLessThan(0.2);
  });

  const strategies = askedUnits.flatMap(of => [0, 0.1, 0.5, 1].map(part => [of, part] as const));
  it.each(strategies)(
    'keeps to the share after each record, of %s, with %d of it at random',
    { tags: 'slow' },
    (of, part) => {
      const lengths = [0, 0];
      const counted = [0, 0];
      for (let seed = 1; seed <= 30; seed += 1) {
        const random = new Random(seed);
        const share = [0.01, 0.05, 0.3, 1][seed % 4]!;
        const options = { share, of, random: part, seed };
        let budget = new QuestionBudget(options);
        let [seen, asked] = [0, 0];
        for (let i = 0; i < 400; i += 1) {
          const { tags, confidences } = stream(random, random.below(40));
          const { tokens, drawn, waits } = budget.choose(tags, confidences);
          if (waits) budget.hold([i, tokens.length], tokens.length);
          else asked += tokens.length;
          seen += tags.length;
          lengths[Number(drawn)]! += tags.length;
          counted[Number(drawn)]! += 1;
          if (random.below(50) === 0) {
            const { json, arrays } = structuredClone(budget.save());
            budget = new QuestionBudget(options);
            budget.restore({ json: JSON.parse(JSON.stringify(json)), arrays });
          }
          const due = budget.due() as [number, number] | undefined;
          asked += due?.[1] ?? 0;
          expect(asked).toBeLessThanOrEqual(share * seen + 1e-9);
          expect(budget.counts).toMatchObject({ tokens: seen, asked });
        }
      }
      // Long records are drawn as often as short ones.
      if (part === 1) expect(Math.abs(lengths[1]! / counted[1]! - 19.5)).toBeLessThan(1.5);
    },
  );

  it('goes on from its state', () => {
    const options = { share: 0.1, random: 0.3, seed: 8 };
    const budget = new QuestionBudget(options);
    const random = new Random(1);
    const step = (
      to: QuestionBudget,
      i: number,
      { tags, confidences }: ReturnType<typeof stream>,
    ) => {
      const chosen = to.choose(tags, confidences, `${i}`);
      // Answers come five records later, in two parts, of two sentences.
      const id = `${i - 5}`;
      to.answer(id, 0, [null, 'I-X', 'O'], tags.slice(0, 3));
      to.answer(id, 3, tags.slice(3), tags.slice(3));
      if (i % 3 !== 0) to.answer(id, 0, ['B-X', null, null], tags.slice(0, 3));
      return chosen;
    };
    for (let i = 0; i < 400; i += 1) step(budget, i, stream(random, 7));
    const resumed = new QuestionBudget(options);
    const { json, arrays } = structuredClone(budget.save());
    resumed.restore({ json: JSON.parse(JSON.stringify(json)), arrays });
    for (let i = 400; i < 800; i += 1) {
      const next = stream(random, 7);
      expect(step(resumed, i, next)).toEqual(step(budget, i, next));
    }
    expect(resumed.counts).toEqual(budget.counts);
    expect(resumed.estimates(true)).toEqual(budget.estimates(true));
    expect(budget.counts.answered).toBeGreaterThan(8);
    expect(budget.estimates()!.all.accuracy.score).toBeCloseTo((100 * 6) / 7);
    expect(() => new QuestionBudget().restore({ json: {}, arrays: {} })).toThrow('is not a number');
  });

  it('waits for so many tokens of drawn records and no more, and for each record once', () => {
    const budget = new QuestionBudget({ share: 1, random: 1 });
    const tags = new Array<string>(1000).fill('X');
    const confidences = new Array<number>(1000).fill(0.5);
    for (let i = 0; i < 2000; i += 1) budget.choose(tags, confidences, `${i}`);
    const answer = (id: number) => {
      budget.answer(`${id}`, 0, tags, tags);
      return budget.counts.answered;
    };
    const kept = Math.floor(2 ** 20 / 1016);
    expect(answer(1999 - kept)).toBe(0);
    expect(answer(2000 - kept)).toBe(1);
    expect(answer(2000 - kept)).toBe(1);
    expect(answer(1999)).toBe(2);
    expect(budget.counts).toMatchObject({ sampled: 2000, drawn: 2_000_000 });
    // Nothing is wrong in two records: not even then is anything certain.
    const { score, low, high } = budget.estimates()!.all.accuracy;
    expect([score, high, low! > 30, low! < 40]).toEqual([100, 100, true, true]);
  });

  it.each([
    [{ share: 0 }, 'QuestionBudget.share: 0 is not allowed'],
    [{ random: 2 }, 'QuestionBudget.random: 2'],
    [{ of: 'words' }, 'QuestionBudget.of: "words"'],
    [{ shares: 1 }, 'unknown key "shares"'],
  ])('refuses %j', (options, problem) => {
    expect(() => new QuestionBudget(options as never)).toThrow(problem);
  });
});

describe('ask', () => {
  it('asks for the doubtful tokens of unlabelled records of several sentences by their numbers in the record', async () => {
    // A word that was never seen has any of the three tags.
    const model = createModel({ templates: 'U0:%x[0,0]' });
    const learner = createOnlineLearner(model, { loss: logLoss, optimizer: sgd, corpusSize: 50 });
    const questions: Question[] = [];
    const budget = new QuestionBudget({ share: 0.5, random: 0 });
    const known = Array.from({ length: 30 }, () => ({
      tokens: ['a', 'b', 'c'],
      tags: ['X', 'Y', 'Z'],
    }));
    const sentences = [
      [0, 2],
      [2, 4],
    ] as const;
    const documents: Document[] = [
      ...known,
      { id: '1', tokens: ['a', 'new', 'b', 'other'], sentences },
      { id: '2', tokens: ['a'], partialTags: ['X'] },
      { id: '3', tokens: ['new'], late: { tags: ['X'] } },
    ];
    const steps = await lastValueFrom(
      from(documents).pipe(
        tokenize(),
        featurize(model),
        batch({ sentences: 3 }),
        contribute(learner, { predict: true, marginals: true }),
        optimize(learner),
        ask(model, budget, question => questions.push(question)),
        toArray(),
      ),
    );
    expect(steps).toHaveLength(12);
    const { id, tokens, asked, predicted } = questions[0]!;
    expect([questions.length, id, tokens, asked]).toEqual([
      1,
      '1',
      ['a', 'new', 'b', 'other'],
      [1, 3],
    ]);
    expect([predicted[0], predicted[2]]).toEqual(['X', 'Y']);
  });

  it('wants probabilities, and passes steps on when they come', () => {
    const training = new Training();
    const { model, learner } = training;
    training.step(training.batch(training.encoded(0)));
    const unlabelled = { ...training.encoded(1).sentence };
    const { tags: _, ...bare } = unlabelled;
    const step = learner.apply(learner.contribute(training.batch(model.encode(bare)), true));
    const errors: unknown[] = [];
    const source = new Subject<TrainingStep>();
    source
      .pipe(ask(model, new QuestionBudget(), () => {}))
      .subscribe({ error: error => errors.push(error) });
    source.next(step);
    expect(String(errors[0])).toContain('the predictions have no probabilities');
    const scheduler = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
    scheduler.run(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const items = { a: training.step(training.batch(training.encoded(2)), true) };
      const operator = (steps: Observable<TrainingStep>) =>
        steps.pipe(ask(model, new QuestionBudget(), () => {}));
      expectObservable(operator(cold('-a-a|', items))).toBe('-a-a|', items);
      expectObservable(operator(cold('-a#', items))).toBe('-a#', items);
      const left = hot('-a-a-a', items);
      expectObservable(operator(left), '^--!').toBe('-a', items);
      expectSubscriptions(left.subscriptions).toBe('^--!');
    });
  });

  it('asks within the share before anything is predicted, and estimates nothing from it', async () => {
    const model = createModel({ templates: 'U0:%x[0,0]' });
    const learner = createOnlineLearner(model, { loss: logLoss, optimizer: sgd, corpusSize: 10 });
    const budget = new QuestionBudget({ share: 0.1, random: 1 });
    const asked: Question[] = [];
    const records = Array.from({ length: 400 }, (_, i) => ({ id: `${i}`, tokens: ['a', 'b'] }));
    const late = { id: '0', tokens: ['a', 'b'], tags: ['X', 'Y'], late: { tags: [] } };
    await lastValueFrom(
      from<Document[]>([...records, late]).pipe(
        ...([tokenize(), featurize(model), batch()] as const),
        contribute(learner, { predict: true, marginals: true }),
        ...([optimize(learner), ask(model, budget, question => asked.push(question))] as const),
      ),
    );
    expect(asked.length).toBeGreaterThan(10);
    expect(asked[0]).toMatchObject({ predicted: [null, null] });
    expect(asked.every(({ drawn }) => drawn === undefined)).toBe(true);
    expect(budget.counts).toMatchObject({ tokens: 800, sampled: 0, answered: 0 });
  });
});
