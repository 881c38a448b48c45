import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { readModel, writeModel } from '../../../../src/engine/models/files/model-file.js';
import { HeldOutEvaluator } from '../../../../src/engine/models/learning/held-out-evaluator.js';
import {
  createOnlineLearner,
  type Learner,
} from '../../../../src/engine/models/learning/learner.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { sgd } from '../../../../src/engine/optimizers/sgd.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { syntheticCorpus } from '../examples/synthetic-corpus.js';
import { train } from '../examples/train.js';

function learn(learner: Learner, tokens: readonly string[], tags: readonly string[]): void {
  const encoded = learner.model.encode(sentenceOf(tokens, { tags }));
  learner.apply(learner.contribute(packMinibatch([encoded])));
}

describe('HeldOutEvaluator', () => {
  it('scores the weights that would be deployed, as the model file does', () => {
    const random = new Random(61);
    const options = { average: true, averageAfter: 0, l2: 3 };
    const spec = { templates: 'U0:%x[0,0]\nU1:%x[1,0]\nB' };
    const learner = train(syntheticCorpus(random, 40), { spec, options, passes: 2 });
    const held = syntheticCorpus(random, 150);
    const scores = new HeldOutEvaluator(learner, held).evaluate();
    const tagger = new Tagger(readModel(writeModel(learner)));
    let tokens = 0;
    let right = 0;
    for (const sentence of held) {
      const tags = tagger.tag(sentence.tokens);
      tokens += tags.length;
      right += tags.filter((each, t) => each === sentence.tags![t]).length;
    }
    expect(scores).toEqual({
      sentences: 150,
      tokens,
      accuracy: (100 * right) / tokens,
      skipped: 0,
    });
    expect(right).toBeLessThan(tokens);
  });

  it('scores spans where the tags mark some', () => {
    const tokens = ['a', 'b', 'c', 'd'];
    const learner = train([sentenceOf(tokens, { tags: ['B-X', 'I-X', 'O', 'B-Y'] })], {
      spec: { templates: 'U:%x[0,0]' },
      passes: 20,
    });
    const held = [
      sentenceOf(tokens, { tags: ['B-X', 'I-X', 'O', 'O'] }),
      sentenceOf(['c', 'a'], { tags: ['B-Z', 'B-X'] }),
      sentenceOf(['a', 'b']),
    ];
    // Found: X and Y of the first, X of the second; right: X and X; there: X, Z and X.
    expect(new HeldOutEvaluator(learner, held).evaluate()).toEqual({
      sentences: 2,
      tokens: 6,
      accuracy: (100 * 4) / 6,
      precision: (100 * 2) / 3,
      recall: (100 * 2) / 3,
      f1: (100 * 2) / 3,
      // Four tags that are not O, four predicted, three right.
      tagF1: 75,
      skipped: 1,
    });
  });

  it('changes nothing: training continues as if it had not been asked', () => {
    const random = new Random(62);
    const corpus = syntheticCorpus(random, 20);
    const held = syntheticCorpus(random, 20);
    const bytes = [false, true].map(asked => {
      const model = createModel({ templates: 'U0:%x[0,0]\nB' });
      const options = { average: true, averageAfter: 0 };
      const learner = createOnlineLearner(model, {
        loss: logLoss,
        optimizer: sgd,
        options,
        corpusSize: 20,
      });
      const evaluator = new HeldOutEvaluator(learner, held);
      for (const { tokens, tags } of corpus) {
        learn(learner, tokens, tags!);
        if (asked) expect(evaluator.evaluate()).toEqual(evaluator.evaluate());
      }
      return writeModel(learner);
    });
    expect(bytes[1]).toEqual(bytes[0]);
  });

  it('sees features that come while a model grows, and those of a model frozen meanwhile', () => {
    const model = createModel({ templates: 'U:%x[0,0]' });
    const options = { schedule: 'constant', eta0: 1, l2: 0 } as const;
    const learner = createOnlineLearner(model, {
      loss: logLoss,
      optimizer: sgd,
      options,
      corpusSize: 9,
    });
    const held = [sentenceOf(['a', 'b', 'c'], { tags: ['X', 'Y', 'Z'] })];
    const evaluator = new HeldOutEvaluator(learner, held);
    learn(learner, ['a'], ['X']);
    expect(evaluator.evaluate().accuracy).toBeCloseTo(100 / 3, 12);
    learn(learner, ['b', 'b'], ['Y', 'Y']);
    expect(evaluator.evaluate().accuracy).toBeCloseTo(200 / 3, 12);
    learn(learner, ['c', 'c'], ['Z', 'Z']);
    model.frozen = true;
    expect(evaluator.evaluate().accuracy).toBe(100);
    expect(evaluator.evaluate().accuracy).toBe(100);
  });
});
