import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import {
  exponentialLoss,
  logLoss,
  softmaxMargin,
} from '../../../../src/engine/losses/factories.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { perceptron, sgd } from '../../../../src/engine/optimizers/factories.js';
import { lbfgs, owlQn } from '../../../../src/engine/trainers/factories.js';
import { createLearner } from '../../../../src/runtime/pipeline/learners/create-learner.js';
import {
  featureInduction,
  optimizerSwitch,
  regularisationPath,
} from '../../../../src/runtime/pipeline/training/composite-optimizers.js';
import { train } from '../../../../src/runtime/pipeline/training/train.js';
import type { TrainRequest } from '../../../../src/runtime/pipeline/training/train-request.js';
import { everyNth } from '../../../house/long-forms.js';

const corpus = [
  { tokens: ['Anna', 'flew', 'to', 'Oslo'], tags: ['PER', 'O', 'O', 'LOC'] },
  { tokens: ['Oslo', 'is', 'cold'], tags: ['LOC', 'O', 'O'] },
  { tokens: ['Anna', 'left'], tags: ['PER', 'O'] },
];
const features = { templates: 'U:%x[0,0]\nB', support: 'observed' } as const;

const bytesOf = async (more: Partial<TrainRequest>) =>
  Buffer.from((await train({ corpus, features, epochs: 3, ...more })).bytes).toString('base64');

const rows: readonly (readonly [string, Partial<TrainRequest>, Partial<TrainRequest>])[] = [
  ['sgd', { optimizer: sgd({ eta0: 0.3 }) }, { optimizer: { sgd: { eta0: 0.3 } } }],
  ['an earlier name', { optimizer: sgd({ eta0: 0.3 }) }, { trainer: { sgd: { eta0: 0.3 } } }],
  [
    'options that depend on the run',
    { optimizer: sgd({ average: true }) },
    { optimizer: { sgd: { average: true } } },
  ],
  ['lbfgs', { optimizer: lbfgs({ l2: 0.2 }) }, { optimizer: { lbfgs: { l2: 0.2 } } }],
  [
    'a path',
    { optimizer: regularisationPath({ l1: [1, 0.1], with: owlQn({ l2: 0.1 }) }) },
    { optimizer: { path: { l1: [1, 0.1], with: { 'owl-qn': { l2: 0.1 } } } } },
  ],
  [
    'a switch',
    { optimizer: optimizerSwitch({ first: sgd(), next: lbfgs({ l2: 0.2 }) }) },
    { optimizer: { switch: { first: { sgd: {} }, next: { lbfgs: { l2: 0.2 } } } } },
  ],
  [
    'induction',
    { optimizer: featureInduction({ rounds: 2, with: lbfgs({ l2: 0.2 }) }) },
    { optimizer: { induction: { rounds: 2, with: { lbfgs: { l2: 0.2 } } } } },
  ],
  ['a loss', { optimizer: perceptron(), loss: 'perceptron' }, { optimizer: perceptron() }],
  [
    'costs of a loss',
    { loss: softmaxMargin({ cost: 1, missCost: 3 }) },
    { loss: { 'softmax-margin': { cost: 1, missCost: 3 } } },
  ],
  ['a bound', { loss: exponentialLoss({ bound: 2 }) }, { loss: { exponential: { bound: 2 } } }],
];

describe('what factories make is what data says', () => {
  for (const part of everyNth(5, rows)) {
    it.each(part.rows)('%s', { tags: part.tags }, async (_, made, data) => {
      expect(await bytesOf(made)).toBe(await bytesOf(data));
    });
  }

  it('of other options comes another model', async () => {
    const missed = { loss: softmaxMargin({ cost: 1, missCost: 3 }) };
    expect(await bytesOf(missed)).not.toBe(await bytesOf({ loss: softmaxMargin({ cost: 1 }) }));
  });
});

it('a learner asks its model for the label O of a loss', () => {
  const weights = (loss: Parameters<typeof createLearner>[1]['loss']) => {
    const model = createModel({ templates: 'U:%x[0,0]\nB' });
    const learner = createLearner(model, { loss, optimizer: sgd(), corpusSize: 3 });
    const place = { columns: {}, document: {}, part: { index: 0, count: 1, start: 0 } };
    for (const { tokens, tags } of corpus) {
      learner.apply(learner.contribute(packMinibatch([model.encode({ tokens, tags, ...place })])));
    }
    return {
      learner,
      sum: learner.contribute(packMinibatch([model.encode({ ...corpus[0]!, ...place })])).loss,
    };
  };
  const costly = weights(softmaxMargin({ missCost: 3 }));
  expect(costly.learner.loss).toMatchObject({ name: 'softmax-margin', seesLabels: true });
  expect(costly.sum).not.toBe(weights(softmaxMargin({ missCost: 1 })).sum);
});

for (const { rows, tags } of everyNth(5, [
  [{ optimizer: { sgd: { eta: 1 } } }, 'optimizer.sgd.eta: unknown key "eta" (did you mean eta0?'],
  [{ optimizer: { lbgfs: {} } }, 'optimizer.lbgfs: unknown key "lbgfs" (did you mean lbfgs?'],
  [{ optimizer: { sgd: {}, lbfgs: {} } }, 'optimizer: expected exactly one of sgd, '],
  [{ optimizer: {} }, 'optimizer: expected exactly one of sgd, '],
  [
    { optimizer: { ...sgd(), component: { ...sgd().component } } },
    'optimizer: train has no optimizer sgd (createLearner takes optimizers of your own',
  ],
  [
    { scorer: 'hmm', loss: logLoss(), features: { templates: 'U:%x[0,0]' } },
    'the loss log cannot be combined with the scorer hmm',
  ],
] as const)) {
  it.each(rows)('refuses %j', { tags }, async (more, problem) => {
    const request = { corpus, features, ...more } as unknown as TrainRequest;
    await expect(train(request)).rejects.toThrow(problem);
  });
}
