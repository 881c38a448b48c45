import { describe, expect, it } from 'vitest';
import type { EncodedSentence } from '../../../../src/engine/core/minibatch/encoded-sentence.js';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { createOnlineLearner } from '../../../../src/engine/models/learning/learner.js';
import { sgd } from '../../../../src/engine/optimizers/sgd.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { deepCopy } from '../examples/deep-copy.js';

function started(corpusSize?: number) {
  const model = createModel({ templates: 'U:%x[0,0]\nB' });
  const options = { schedule: 'constant', l2: 0 } as const;
  const size = corpusSize === undefined ? {} : { corpusSize };
  const learner = createOnlineLearner(model, { loss: logLoss, optimizer: sgd, options, ...size });
  return { model, learner };
}

const labelled = sentenceOf(['a', 'b', 'c'], { tags: ['X', 'Y', 'X'] });

describe('Learner', () => {
  it('needs the size of the corpus, given or found by passes', () => {
    const { model, learner } = started();
    const batch = packMinibatch([model.encode(labelled)]);
    expect(() => learner.contribute(batch)).toThrow(
      expect.objectContaining({ code: 'config', problem: 'the size of the corpus is unknown' }),
    );
    model.corpusSize = 5;
    expect(learner.contribute(batch).sentenceCount).toBe(1);
  });

  it('refuses options that the optimizer does not have', () => {
    const model = createModel({ templates: 'U:%x[0,0]' });
    const options = { eta0: -1 };
    expect(() => createOnlineLearner(model, { loss: logLoss, optimizer: sgd, options })).toThrow(
      expect.objectContaining({ code: 'config', message: expect.stringContaining('sgd.eta0') }),
    );
  });

  it('counts steps and sentences, and the mean loss a token of the pass so far', () => {
    const { model, learner } = started(2);
    const ended: EncodedSentence = { ...model.encode(labelled), passEnd: 1 };
    const first = learner.apply(learner.contribute(packMinibatch([model.encode(labelled)])));
    // Two labels, three tokens, all weights zero: log 8 over 3 tokens.
    expect(first).toMatchObject({ step: 1, sentencesSeen: 1 });
    expect(first.meanLoss).toBeCloseTo(Math.log(2), 14);
    expect(first.passEnd).toBeUndefined();
    const contribution = learner.contribute(packMinibatch([ended]));
    const second = learner.apply(contribution);
    expect(second).toMatchObject({ step: 2, sentencesSeen: 2, passEnd: 1 });
    expect(second.contribution).toBe(contribution);
    expect(second.meanLoss).toBeCloseTo((Math.log(8) + contribution.loss) / 6, 14);
    const third = learner.contribute(packMinibatch([model.encode(labelled)]));
    expect(learner.apply(third).meanLoss).toBeCloseTo(third.loss / 3, 14);
  });

  it('counts sentences without labels as steps only', () => {
    const { model, learner } = started(2);
    model.encode(labelled);
    const batch = packMinibatch([model.encode(sentenceOf(['a']))]);
    const step = learner.apply(learner.contribute(batch));
    expect(step).toMatchObject({ step: 1, sentencesSeen: 0, meanLoss: 0 });
    expect(model.parameters.version).toBe(0);
  });

  it('changes no weight by a contribution alone', () => {
    const { model, learner } = started(2);
    const batch = packMinibatch([model.encode(labelled)]);
    learner.apply(learner.contribute(batch));
    const before = model.parameters.weights.state.view.slice();
    learner.contribute(batch, true);
    learner.contribute(batch);
    expect(model.parameters.weights.state.view).toEqual(before);
  });

  it('refuses a contribution that the next one has overwritten, unless it was detached', () => {
    const { model, learner } = started(2);
    const batch = packMinibatch([model.encode(labelled)]);
    const first = learner.contribute(batch);
    const kept = learner.contribute(batch).detach();
    learner.contribute(batch);
    expect(() => learner.apply(first)).toThrow(expect.objectContaining({ code: 'stage' }));
    expect(learner.apply(kept).step).toBe(1);
  });

  it('predicts, where asked, before it learns', () => {
    const { model, learner } = started(2);
    const batch = packMinibatch([model.encode(labelled)]);
    expect(learner.contribute(batch)).not.toHaveProperty('predicted');
    const contribution = learner.contribute(batch, true);
    expect(Array.from(contribution.predicted!)).toEqual([0, 0, 0]);
    learner.apply(contribution);
    expect(Array.from(learner.contribute(batch, true).predicted!)).toEqual([0, 1, 0]);
  });

  it('deploys float32 weights in a store of their own', () => {
    const { model, learner } = started(2);
    learner.apply(learner.contribute(packMinibatch([model.encode(labelled)])));
    const deployed = learner.deployedParameters();
    const { weights, width } = model.parameters;
    expect(deployed.width).toBe(width);
    expect(Array.from(deployed.weights.state.view)).toEqual(
      Array.from(weights.state.view.subarray(0, deployed.weights.state.view.length), Math.fround),
    );
    expect(deployed.weights.state.view[0]).not.toBe(0);
    deployed.weights.state.view.fill(9);
    expect(weights.state.view[0]).not.toBe(9);
  });

  it('continues with the same mean loss after it was restored in the middle of a pass', () => {
    const whole = started(3);
    const batch = () => packMinibatch([whole.model.encode(labelled)]);
    whole.learner.apply(whole.learner.contribute(batch()));
    const state = deepCopy(whole.learner.save());
    const restored = createOnlineLearner(whole.model, {
      loss: logLoss,
      optimizer: sgd,
      corpusSize: 3,
    });
    restored.restore(state);
    const next = whole.learner.contribute(batch()).detach();
    const step = whole.learner.apply(next);
    expect(restored.apply(next)).toEqual(step);
    expect(restored.sentencesSeen).toBe(2);
  });
});
