import { from, lastValueFrom, type Observable, toArray } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import type { Minibatch } from '../../../src/engine/core/minibatch/minibatch.js';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import type { Sentence } from '../../../src/engine/core/sentence/sentence.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import { createModel } from '../../../src/engine/models/create-model.js';
import { createOnlineLearner, type Learner } from '../../../src/engine/models/learning/learner.js';
import { ReplayMemory } from '../../../src/engine/models/learning/replay-memory.js';
import { batch } from '../../../src/engine/operators/batch.js';
import { contribute } from '../../../src/engine/operators/contribute.js';
import { featurize } from '../../../src/engine/operators/featurize.js';
import { optimize } from '../../../src/engine/operators/optimize.js';
import { replay } from '../../../src/engine/operators/replay.js';
import { sgd } from '../../../src/engine/optimizers/sgd.js';
import { sentenceOf } from '../features/sentence-of.js';
import { idsOf, numbered, Training } from './training.js';

/** A learner of a model that is at the limit of its features soon. */
function newLearner(features: number): Learner {
  const model = createModel({ templates: 'U0:%x[0,0]\nU1:%x[-1,0]\nB' }, {
    limit: { features, bytes: 2 ** 30 },
  } as never);
  const options = { eta0: 0.2, l2: 0.5, schedule: 'constant' } as const;
  return createOnlineLearner(model, { loss: logLoss, optimizer: sgd, options, corpusSize: 50 });
}

/** Sentences of ever new words, every fifth without labels, every seventh labelled in part. */
function sentences(count: number): Sentence[] {
  const random = new Random(4);
  return Array.from({ length: count }, (_, i) => {
    const tokens = Array.from({ length: 1 + random.below(5) }, () => `w${random.below(20 + i)}`);
    const tags = tokens.map(token => (token.length === 2 ? 'A' : 'B'));
    const sentence = sentenceOf(tokens, { id: `${i}` });
    if (i % 5 === 4) return sentence;
    if (i % 7 === 6) return { ...sentence, partialTags: tags.map((t, j) => (j === 0 ? t : null)) };
    return { ...sentence, tags, weight: 1 + (i % 2) };
  });
}

const weightsOf = ({ model: { parameters } }: Learner) => [
  ...parameters.weights.state.view,
  ...parameters.weights.edges.view,
];

describe('replay', () => {
  it.each([
    [1, 1000],
    [3, 1000],
    [1, 60],
  ])(
    'with minibatches of %i and at most %i features learns as loops over a list do',
    async (size, most) => {
      const all = sentences(200);
      const learner = newLearner(most);
      const memory = new ReplayMemory({ keep: 7, seed: 3 });
      const steps = await lastValueFrom(
        from(all).pipe(
          featurize(learner.model),
          batch({ sentences: size }),
          replay(learner, memory, { each: 2 }),
          contribute(learner, { predict: true }),
          optimize(learner),
          toArray(),
        ),
      );
      // The same by loops: a list of sentences and the random numbers of algorithm R.
      const other = newLearner(most);
      const random = new Random(3);
      const kept: Sentence[] = [];
      let seen = 0;
      for (let first = 0; first < all.length; first += size) {
        const encoded = all.slice(first, first + size).map(each => other.model.encode(each));
        const fresh = encoded.filter(
          ({ gold, allowed }) => gold !== undefined || allowed !== undefined,
        );
        for (let i = 0; i < 2 && kept.length > 0 && fresh.length > 0; i += 1) {
          const drawn = fresh.map(() => kept[random.below(kept.length)]!);
          other.relearn(packMinibatch(drawn.map(each => other.model.encodeKnown(each))));
        }
        for (const { sentence } of fresh) {
          seen += 1;
          if (kept.length < 7) kept.push(sentence);
          else {
            const place = random.below(seen);
            if (place < 7) kept[place] = sentence;
          }
        }
        other.apply(other.contribute(packMinibatch(encoded), true));
      }
      expect(weightsOf(learner)).toEqual(weightsOf(other));
      expect(weightsOf(learner).some(weight => weight !== 0)).toBe(true);
      const labelled = all.filter(({ tags, partialTags }) => tags ?? partialTags);
      expect(learner.sentencesSeen).toBe(labelled.length);
      expect(steps.length).toBe(Math.ceil(200 / size));
      expect(steps.flatMap(({ contribution }) => idsOf(contribution.minibatch))).toEqual(
        all.map(({ document }) => document.id),
      );
    },
  );

  it('passes minibatches on when they come, errors and the end too', () => {
    const scheduler = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
    scheduler.run(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const training = new Training();
      const items = Object.fromEntries(
        ['a', 'b', 'c'].map((name, i) => [name, training.batch(training.encoded(i))]),
      );
      const operator = (source: Observable<Minibatch>) =>
        source.pipe(replay(training.learner, new ReplayMemory({ keep: 2 })));
      const source = cold('-a-b-(c|)', items);
      expectObservable(operator(source)).toBe('-a-b-(c|)', items);
      expectSubscriptions(source.subscriptions).toBe('^----!');
      expectObservable(operator(cold('-a-#', items))).toBe('-a-#', items);
      const left = hot('-a-b-c-', items);
      expectObservable(operator(left), '^---!').toBe('-a-b', items);
      expectSubscriptions(left.subscriptions).toBe('^---!');
    });
  });

  it('refuses options that it cannot follow', () => {
    const { learner } = new Training();
    const memory = new ReplayMemory();
    expect(() => replay(learner, memory, { each: 0 })).toThrow('replay.each: 0 is not allowed');
    expect(() => replay(learner, {} as never)).toThrow('expected a replay memory');
    expect(() => new ReplayMemory({ keep: 0 })).toThrow('cannot keep 0 sentences');
    expect(() => new ReplayMemory({ from: 'all' as never })).toThrow('unknown value "all"');
  });
});

describe('ReplayMemory', () => {
  const kept = (memory: ReplayMemory) => {
    const { texts } = memory.save().arrays;
    const lines = new TextDecoder().decode(texts as Uint8Array).split('\n');
    return lines.map(line => (JSON.parse(line) as Sentence).document.id!);
  };

  it('keeps each sentence of a stream with the same probability, or the last ones', {
    tags: 'slow',
  }, () => {
    const counts = new Array<number>(50).fill(0);
    for (let seed = 0; seed < 2000; seed += 1) {
      const memory = new ReplayMemory({ keep: 5, seed });
      for (let i = 0; i < 50; i += 1) memory.add(numbered(i));
      expect(memory.size).toBe(5);
      for (const id of kept(memory)) counts[Number(id)]! += 1;
    }
    // Binomial: 2000 of 0.1 each, standard deviation 13.4.
    for (const count of counts) expect(Math.abs(count - 200)).toBeLessThan(4.5 * 13.4);
    const recent = new ReplayMemory({ keep: 5, from: 'recent' });
    for (let i = 0; i < 52; i += 1) recent.add(numbered(i));
    expect(kept(recent).sort()).toEqual(['47', '48', '49', '50', '51']);
  });

  it('draws those in doubt by their losses, and those first that have none', () => {
    const memory = new ReplayMemory({ keep: 10, from: 'in-doubt', seed: 2 });
    for (let i = 0; i < 10; i += 1) memory.add(numbered(i));
    for (let place = 0; place < 10; place += 1) memory.noteLoss(place, place);
    const counts = new Array<number>(10).fill(0);
    const draws = 20_000;
    for (let i = 0; i < draws; i += 1) counts[memory.draw().place]! += 1;
    for (const [place, count] of counts.entries()) {
      // The largest of four: ((k + 1)^4 - k^4) / 10^4.
      const p = ((place + 1) ** 4 - place ** 4) / 1e4;
      expect(Math.abs(count - draws * p)).toBeLessThan(4.5 * Math.sqrt(draws * p * (1 - p)) + 1);
    }
    memory.noteLoss(0, Number.POSITIVE_INFINITY);
    const first = Array.from({ length: 1000 }, () => memory.draw().place).filter(p => p === 0);
    // At least one of four.
    expect(first.length / 1000).toBeCloseTo(1 - 0.9 ** 4, 1);
  });

  it.each(['reservoir', 'recent', 'in-doubt'] as const)('goes on from its state: %s', way => {
    const options = { keep: 6, from: way, seed: 9 };
    const memory = new ReplayMemory(options);
    for (let i = 0; i < 20; i += 1) {
      memory.add({ ...numbered(i), columns: { pos: ['\n', 'ü', '\ud800'] }, weight: 0.1 + i });
      if (i % 3 === 0) memory.noteLoss(memory.draw().place, i / 3);
    }
    const { json, arrays } = memory.save();
    const copied = JSON.parse(JSON.stringify(json)) as typeof json;
    const resumed = new ReplayMemory(options);
    resumed.restore({ json: copied, arrays });
    for (let i = 20; i < 60; i += 1) {
      for (const each of [memory, resumed]) each.add(numbered(i));
      const [one, other] = [memory.draw(), resumed.draw()];
      expect(other).toEqual(one);
      for (const each of [memory, resumed]) each.noteLoss(one.place, i % 7);
    }
    expect(resumed.save()).toEqual(memory.save());
    expect(() => new ReplayMemory({ ...options, keep: 5 }).restore({ json, arrays })).toThrow(
      'the state is inconsistent',
    );
    const cut = { ...arrays, losses: (arrays.losses as Float64Array).slice(1) };
    expect(() => new ReplayMemory(options).restore({ json, arrays: cut })).toThrow(
      '6 sentences with 5 losses',
    );
  });

  it('keeps no sentence that is longer than 16384 units of JSON', () => {
    const memory = new ReplayMemory({ keep: 5 });
    memory.add(
      sentenceOf(
        Array.from({ length: 4000 }, () => 'ab'),
        { tags: [] },
      ),
    );
    expect(memory.size).toBe(0);
    memory.add(
      sentenceOf(
        Array.from({ length: 3000 }, () => 'ab'),
        { tags: [] },
      ),
    );
    expect(memory.size).toBe(1);
  });
});
