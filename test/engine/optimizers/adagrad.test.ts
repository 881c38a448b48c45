import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import type { Sentence } from '../../../src/engine/core/sentence/sentence.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import { createOnlineLearner, type Learner } from '../../../src/engine/models/learning/learner.js';
import type { ModelSpec } from '../../../src/engine/models/model-spec.js';
import { type AdagradOptions, adagrad } from '../../../src/engine/optimizers/adagrad.js';
import type { OptimizerComponent } from '../../../src/engine/optimizers/optimizer.js';
import { sgd } from '../../../src/engine/optimizers/sgd.js';
import { difference } from '../../contracts/oracle/differences/difference.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { everyNth } from '../../house/long-forms.js';
import { sentenceOf } from '../features/sentence-of.js';
import { modelWith } from '../models/examples/model-with.js';
import { naiveAdagrad } from './naive-optimizers.js';
import { stateName } from './naive-trainer.js';
import { allKindsOfFeatures, type Contest, SideBySide, weightOf } from './side-by-side.js';
import { smallCorpus } from './small-corpus.js';

const dual = { update: 'dual-averaging' } as const;

function zeroShare({ trainer, naive }: SideBySide<AdagradOptions>): number {
  const weights = [...trainer.weights.values()];
  return weights.filter(weight => naive.deployed(weight) === 0).length / weights.length;
}

describe.each(kernelRows)('adagrad with the $name kernel', ({ kernel, rounding }) => {
  const digits = 100 * rounding;

  function contest(options: Partial<AdagradOptions>, rest: Partial<Contest<AdagradOptions>> = {}) {
    const naive = naiveAdagrad;
    return new SideBySide<AdagradOptions>({
      ...{ kernel, optimizer: adagrad, options, naive, corpusSize: 40, ...rest },
    });
  }

  for (const { rows, tags } of everyNth<[string, Partial<AdagradOptions>, number, number]>(2, [
    ['with its defaults', {}, 0, 0.1],
    ['without a penalty', { l1: 0, l2: 0 }, 0, 0.1],
    ['with L1', { l1: 1, l2: 0, eta0: 1, delta: 1 }, 0.2, 0.8],
    ['with L1 and L2', { l1: 1, l2: 0.4, eta0: 0.5 }, 0.2, 0.8],
    ['with a heavy penalty', { l1: 6, l2: 0, eta0: 0.5, delta: 1 }, 0.5, 0.9],
    ['by dual averaging', { ...dual, l1: 0, l2: 0 }, 0, 0.1],
    ['by dual averaging with L1', { ...dual, l1: 0.5, l2: 0, eta0: 0.5 }, 0.3, 0.95],
    ['by dual averaging with L1 and L2', { ...dual, l1: 0.5, l2: 0.4, eta0: 0.5 }, 0.3, 0.95],
  ])) {
    it.each(rows)(
      'gives every weight the composite step of every sentence, at the cost of those it is in: %s',
      { tags },
      (_, options, least, most) => {
        const pair = contest(options);
        const corpus = smallCorpus(new Random(51), 40).map(each => pair.encode(each));
        for (let pass = 0; pass < 4; pass += 1) {
          for (const sentence of corpus) pair.learn([sentence]);
          expect(pair.deployedDifference()).toBeLessThan(digits);
        }
        expect(zeroShare(pair)).toBeGreaterThanOrEqual(least);
        expect(zeroShare(pair)).toBeLessThan(most);
      },
    );
  }

  it.each<[string, Partial<AdagradOptions>, Partial<ModelSpec>, number]>([
    ['with L2', { l2: 0.5 }, {}, 1],
    ['with L1', { l1: 0.5, l2: 0, eta0: 0.5 }, {}, 1],
    ['with both', { l1: 0.5, l2: 0.5, eta0: 0.5 }, {}, 1],
    ['in minibatches', { l1: 0.3, l2: 0.5 }, {}, 8],
    ['by dual averaging', { ...dual, l1: 0.2, l2: 0.3 }, {}, 1],
    ['by dual averaging, in minibatches', { ...dual, l1: 0.2, l2: 0.3 }, {}, 8],
    ['with observed pairs', { l1: 0.3, l2: 0.5 }, { support: 'observed' }, 1],
  ])(
    'divides values by the largest of their feature so far: %s',
    { tags: 'slow' },
    (_, options, spec, batch) => {
      const pair = contest({ ...options, normalized: true }, { spec });
      const plain = contest({ ...options, normalized: false }, { spec });
      const sentences = smallCorpus(new Random(55), 40);
      for (const each of [pair, plain]) {
        const corpus = sentences.map(sentence => each.encode(sentence));
        for (let i = 0; i < 80; i += batch) {
          each.learn(Array.from({ length: batch }, (_, k) => corpus[(i + k) % 40]!));
          expect(each.deployedDifference()).toBeLessThan(digits);
        }
      }
      // The third feature of the first token has values.
      const [own, other] = [pair, plain].map(({ model }) =>
        weightOf(model.parameters, stateName(2, 0)),
      );
      expect(own).not.toBeCloseTo(other!, 2);
    },
  );

  it('learns the same of a column in another unit where values are divided', () => {
    const unit = 1024;
    const sides = [true, false].map(normalized =>
      [1, unit].map(by => {
        const spec = { templates: 'U0:%v[0,n]\nU1:%x[0,0]\nB' };
        const pair = contest({ normalized, l1: 0.2, l2: 0.3 }, { spec });
        const corpus = smallCorpus(new Random(56), 40).map(({ columns, ...sentence }) => {
          const n = columns.n!.map(value => Number(value) * by);
          return pair.encode({ ...sentence, columns: { ...columns, n } });
        });
        for (const sentence of corpus) pair.learn([sentence]);
        return weightOf(pair.model.parameters, stateName(0, 0)) * by;
      }),
    );
    const [[a, b], [c, d]] = sides as [[number, number], [number, number]];
    expect(Math.abs(a)).toBeGreaterThan(0.01);
    expect(Math.abs(b - a)).toBeLessThan(digits);
    expect(Math.abs(d - c)).toBeGreaterThan(0.01);
  });

  it('knows no value of the feature that takes the row of another', () => {
    const pair = contest({ normalized: true }, { spec: { templates: 'U0:%v[0,n]\nB0:%v[0,n]' } });
    pair.learn([
      pair.encode(sentenceOf(['a', 'b'], { tags: ['X', 'Y'], columns: { n: [3, -5] } })),
    ]);
    const { optimizer } = pair.learner;
    const scales = () => {
      const { arrays } = optimizer.save();
      return [arrays['scales.stateRows'], arrays['scales.edgeRows']].map(each => [...each!]);
    };
    expect(scales()).toEqual([[5], [0, 5]]);
    optimizer.forget!(Uint32Array.of(0), Uint32Array.of(1));
    expect(scales()).toEqual([[0], [0, 0]]);
  });

  it.each([
    [adagrad, 3, 1],
    [adagrad, 2.5, 1],
    [sgd, 3, 1],
    [sgd, 2, 4],
  ] as const)(
    'learns from a record of weight h as from h of its records: $0.name, $1',
    (optimizer, weight, batch) => {
      const learnerOf = (importance: 'repeated' | 'scaled') =>
        createOnlineLearner(
          modelWith(kernel, { templates: allKindsOfFeatures, columns: ['form', 'n'] }),
          {
            ...{ loss: logLoss, corpusSize: 40, options: { importance } as object },
            optimizer: optimizer as OptimizerComponent<object>,
          },
        );
      const corpus = smallCorpus(new Random(57), 24);
      const learn = (learner: Learner, copies: number, share: number) => {
        const encoded = corpus.map(each => ({ ...learner.model.encode(each), weight: share }));
        for (let i = 0; i < encoded.length; i += copies > 1 ? 1 : batch) {
          const own = copies > 1 ? [encoded[i]!] : encoded.slice(i, i + batch);
          for (let k = 0; k < copies; k += 1) learner.apply(learner.contribute(packMinibatch(own)));
        }
        return learner.deployedParameters().weights.state.view;
      };
      const steps = Math.ceil(weight);
      const repeated = learn(learnerOf('repeated'), 1, weight);
      expect(repeated).toEqual(learn(learnerOf('scaled'), steps, weight / steps));
      const scaled = learn(learnerOf('scaled'), 1, weight);
      expect(difference(scaled, repeated)).toBeGreaterThan(0.01);
    },
  );

  for (const { rows, tags } of everyNth(2, [{}, dual])) {
    it.each(rows)('makes steps sentence by sentence in a minibatch: %j', { tags }, options => {
      const pair = contest({ l1: 0.5, l2: 0.5, ...options });
      const corpus = smallCorpus(new Random(52), 40).map(each => pair.encode(each));
      for (let pass = 0; pass < 3; pass += 1) {
        for (let i = 0; i < 40; i += 8) pair.learn(corpus.slice(i, i + 8));
        expect(pair.deployedDifference()).toBeLessThan(digits);
      }
    });
  }

  for (const { rows, tags } of everyNth(2, [{}, dual])) {
    it.each(rows)(
      'has steps and penalties for the weights of observed pairs alone: %j',
      { tags },
      own => {
        const pair = contest({ l1: 0.5, l2: 0.5, ...own }, { spec: { support: 'observed' } });
        const corpus = smallCorpus(new Random(53), 40).map(each => pair.encode(each));
        for (let pass = 0; pass < 4; pass += 1)
          for (const sentence of corpus) pair.learn([sentence]);
        expect(pair.deployedDifference()).toBeLessThan(digits);
        expect(pair.model.parameters.pairs.size).toBeGreaterThan(20);
      },
    );
  }

  it('squares what a sentence says of a feature in all, not token by token', () => {
    const pair = contest(
      { l2: 0, eta0: 1, delta: 1 },
      { spec: { templates: 'U0:%x[0,0]', columns: ['form'] } },
    );
    pair.learn([pair.encode(sentenceOf(['b', 'c'], { tags: ['X', 'Y'] }))]);
    pair.learn([pair.encode(sentenceOf(['a', 'a', 'a'], { tags: ['X', 'X', 'X'] }))]);
    // The gradient is 3 (1/2 - 1) = -1.5 for X: w = 1.5 / (1 + 1.5). Token by token: 1.5 / (1 + 0.75^0.5).
    const weight = weightOf(pair.model.parameters, stateName(2, 0));
    expect(weight).toBeCloseTo(0.6, kernel.precision === 'float64' ? 12 : 6);
    expect(weightOf(pair.model.parameters, stateName(2, 1))).toBeCloseTo(-0.6, 6);
  });

  it('has late features and labels of dual averaging earn what all others have to', () => {
    const random = new Random(58);
    const pair = contest({ ...dual, l1: 0.3, l2: 0.2 });
    for (const [labels, words] of [
      [2, 4],
      [3, 10],
      [5, 16],
    ] as const) {
      for (const each of smallCorpus(random, 30, { labels, words, longest: 3 })) {
        pair.learn([pair.encode(each)]);
      }
      expect(pair.deployedDifference()).toBeLessThan(digits);
    }
  });

  it('makes weights by dual averaging of its own gradients alone', () => {
    const pair = contest(dual);
    const [sentence] = smallCorpus(new Random(59), 1).map(each => pair.encode(each));
    pair.model.reserve();
    pair.model.parameters.weights.state.view[0] = 1;
    expect(() => pair.learn([sentence!])).toThrow('the model has weights already');
    const other = contest(dual);
    other.learn([other.encode(smallCorpus(new Random(59), 1)[0]!)]);
    expect(() => other.learner.beginAgain('steps')).toThrow(
      'adagrad cannot restart its step sizes',
    );
    other.learner.beginAgain('weights');
    other.learn([other.encode(smallCorpus(new Random(60), 1)[0]!)]);
  });

  it('charges late features and labels nothing for what was before', { tags: 'slow' }, () => {
    const random = new Random(54);
    const shape = (labels: number, words: number) => ({ labels, words, longest: 3 });
    const stream: Sentence[] = [
      ...smallCorpus(random, 30, shape(2, 4)),
      ...smallCorpus(random, 30, shape(3, 10)),
      ...smallCorpus(random, 30, shape(5, 16)),
    ];
    for (const batch of [1, 8]) {
      const pair = contest({ l1: 0.5, l2: 0.2 });
      for (let i = 0; i < stream.length; i += batch) {
        pair.learn(stream.slice(i, i + batch).map(each => pair.encode(each)));
        expect(pair.deployedDifference()).toBeLessThan(digits);
      }
      expect(pair.model.labels.size).toBe(5);
    }
  });

  it.each([{ eta0: 0 }, { delta: 0 }, { l1: -0.1 }, { l2: -1 }, { schedule: 'constant' }])(
    'refuses the options %j',
    options => {
      expect(adagrad.options.safeParse(options).success).toBe(false);
    },
  );
});
