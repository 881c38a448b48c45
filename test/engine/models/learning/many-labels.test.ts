// @module-tag slow
import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { Decoder } from '../../../../src/engine/models/decoding/decoder.js';
import { scoreSentences } from '../../../../src/engine/models/decoding/score-sentences.js';
import { readTaggingModel, writeModel } from '../../../../src/engine/models/files/model-file.js';
import { createOnlineLearner } from '../../../../src/engine/models/learning/learner.js';
import { settleCorpus } from '../../../../src/engine/models/learning/settle-corpus.js';
import { sgd } from '../../../../src/engine/optimizers/sgd.js';
import { morphologicalCorpus } from '../examples/morphological-corpus.js';

const templates = [1, 2, 4, 6].map(length => `U${length}:%suffix[0,0,${length}]`).join('\n');

describe('a chain of 1,500 labels', () => {
  it('is learned in memory for observed pairs, and tags from its compact file', () => {
    const corpus = morphologicalCorpus(new Random(17), 1800, { classes: 12, values: 5 });
    const model = createModel({
      templates: `${templates}\nU8:%x[0,0]\nB`,
      support: 'observed',
      compressed: true,
      prune: { most: 24, ratio: 0.0001 },
    });
    const settled = settleCorpus(
      model,
      corpus.slice(0, 1600).map(sentence => model.encode(sentence)),
    );
    expect(model.labels.size).toBeGreaterThan(1480);
    const learner = createOnlineLearner(model, { loss: logLoss, optimizer: sgd });
    for (let pass = 0; pass < 2; pass += 1) {
      for (const each of settled) learner.apply(learner.contribute(packMinibatch([each])));
    }
    const { weights, statePairs, stateRows, labels, memory } = model.parameters;
    expect(weights.state.numbers).toBeLessThan(4 + statePairs!.size);
    expect(weights.state.numbers).toBeLessThan((stateRows * labels) / 50);
    expect(memory.buffer.byteLength).toBeLessThan(2 ** 28);
    const read = readTaggingModel(writeModel(learner, { compact: true }));
    const held = corpus.slice(1600).map(sentence => read.encodeKnown(sentence));
    const { accuracy } = scoreSentences(
      read,
      read.parameters,
      new Decoder(read.kernel, read),
      held,
    );
    expect(accuracy).toBeGreaterThan(50);
  });
});
