import { expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import { Lattice } from '../../../../src/engine/kernels/lattice.js';
import { contributionOf } from '../../../../src/engine/losses/contribution-of.js';
import { jointLoss } from '../../../../src/engine/losses/joint-loss.js';
import { addLabels } from '../../../../src/engine/optimizers/counts.js';
import { hmmCorpus, hmmLearner, hmmTemplates } from '../../models/examples/hmm-corpus.js';

it('counts what the residuals of the loss joint say, to the bit', () => {
  const { model } = hmmLearner({ templates: `${hmmTemplates}\nU3:%v[0,n]\nU4:%vv[0,n]` });
  const encoded = hmmCorpus(new Random(3), 40).map(sentence => model.encode(sentence));
  model.reserve();
  const { parameters, kernel } = model;
  const [fromResiduals, fromLabels] = [parameters.addPlane(), parameters.addPlane()];
  const minibatch = packMinibatch(encoded);
  const lattice = new Lattice(parameters.memory, parameters.precision);
  const contribution = contributionOf(kernel, parameters, lattice, minibatch, jointLoss);
  for (const [s, sentence] of encoded.entries()) {
    kernel.accumulate(parameters, fromResiduals, contribution, s, -1);
    addLabels(parameters, fromLabels, sentence, sentence.gold!, minibatch.weights![s]!);
  }
  expect(fromLabels.state.view).toEqual(fromResiduals.state.view);
  expect(fromLabels.edges.view).toEqual(fromResiduals.edges.view);
  expect(Math.max(...fromLabels.state.view)).toBeGreaterThan(10);
});
