import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Kernel } from '../../../../src/engine/kernels/kernel.js';
import type { ParameterStore } from '../../../../src/engine/kernels/store/parameter-store.js';
import { stateWeight } from '../../../../src/engine/kernels/store/weights.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import { perceptronLoss } from '../../../../src/engine/losses/perceptron-loss.js';
import { Decoder } from '../../../../src/engine/models/decoding/decoder.js';
import {
  readModel,
  readTaggingModel,
  writeModel,
} from '../../../../src/engine/models/files/model-file.js';
import { explainSentence } from '../../../../src/engine/models/inspection/explain.js';
import { inspectModel } from '../../../../src/engine/models/inspection/inspect-model.js';
import { readInspected } from '../../../../src/engine/models/inspection/read-inspected.js';
import {
  createOnlineLearner,
  type Learner,
} from '../../../../src/engine/models/learning/learner.js';
import { settleCorpus } from '../../../../src/engine/models/learning/settle-corpus.js';
import type { Model } from '../../../../src/engine/models/model.js';
import type { ModelSpec } from '../../../../src/engine/models/model-spec.js';
import {
  restoreModelState,
  saveModelState,
} from '../../../../src/engine/models/state/model-state.js';
import { adagrad } from '../../../../src/engine/optimizers/adagrad.js';
import { perceptron } from '../../../../src/engine/optimizers/perceptron.js';
import { sgd } from '../../../../src/engine/optimizers/sgd.js';
import { kernelRows } from '../../../contracts/oracle/kernels/kernels.js';
import { everyNth } from '../../../house/long-forms.js';
import { smallCorpus } from '../../optimizers/small-corpus.js';
import { deepCopy } from '../examples/deep-copy.js';
import { modelWith } from '../examples/model-with.js';

const corpus = smallCorpus(new Random(5), 60, { labels: 23, words: 40, longest: 6 });
const common = { columns: ['form', 'n'], support: 'observed' } as const;
const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nU2:%v[0,n]\nU3:%suffix[0,0,1]\nB';
const indexes: ModelSpec['index'][] = [
  { mode: 'exact', cutoff: 1 },
  { mode: 'exact', cutoff: 3 },
  { mode: 'hashed', rows: 50, edgeRows: 9 },
];
const trainers = {
  'sgd, averaged, of a scale that is multiplied in': (model: Model) =>
    createOnlineLearner(model, {
      ...{ loss: logLoss, optimizer: sgd },
      options: { average: true, averageAfter: 0.2, eta0: 0.5, schedule: 'constant', l2: 12 },
    }),
  sgd: (model: Model) => createOnlineLearner(model, { loss: logLoss, optimizer: sgd }),
  perceptron: (model: Model) =>
    createOnlineLearner(model, { loss: perceptronLoss, optimizer: perceptron }),
};

function trained(
  kernel: Kernel,
  spec: Partial<ModelSpec>,
  create: (model: Model) => Learner,
): Learner {
  const model = modelWith(kernel, { templates, ...common, ...spec });
  const settled = settleCorpus(
    model,
    corpus.map(sentence => model.encode(sentence)),
  );
  const learner = create(model);
  for (let pass = 0; pass < 2; pass += 1) {
    for (let i = 0; i < settled.length; i += 3) {
      learner.apply(learner.contribute(packMinibatch(settled.slice(i, i + 3))));
    }
  }
  return learner;
}

/** All state weights, then those of transitions. */
function weightsOf(store: ParameterStore): number[] {
  const { labels, stateRows, width } = store;
  const state = Array.from({ length: stateRows * labels }, (_, i) =>
    stateWeight(store, Math.floor(i / labels), i % labels),
  );
  return [...state, ...store.weights.edges.view.subarray(0, labels * width)];
}

function decoded(model: Model) {
  const batch = packMinibatch(corpus.map(sentence => model.encodeKnown(sentence)));
  return new Decoder(model.kernel).decode(model.parameters, batch, { marginals: true, nbest: 2 });
}

describe.each(kernelRows)('weights stored for single pairs, $name', ({ kernel }) => {
  describe.each(Object.entries(trainers))('%s', (_, create) => {
    for (const part of everyNth(3, indexes)) {
      it.each(part.rows)('are those of rows to the bit, $mode', { tags: part.tags }, index => {
        const rows = trained(kernel, { index }, create);
        const pairs = trained(kernel, { index, compressed: true }, create);
        expect(pairs.model.parameters.weights.state.numbers).toBeLessThan(
          rows.model.parameters.weights.state.numbers / 4,
        );
        expect(weightsOf(pairs.model.parameters)).toEqual(weightsOf(rows.model.parameters));
        expect(weightsOf(pairs.deployedParameters())).toEqual(weightsOf(rows.deployedParameters()));
        expect(decoded(pairs.model)).toEqual(decoded(rows.model));
      });
    }
  });
});

describe('a model whose weights are stored for single pairs', () => {
  const { kernel } = kernelRows[2]!;
  const create = trainers['sgd, averaged, of a scale that is multiplied in'];

  it.each(indexes)(
    'is written and read with the tags and weights of rows, $mode',
    { tags: 'slow' },
    index => {
      const rows = trained(kernel, { index }, create);
      const pairs = trained(kernel, { index, compressed: true }, create);
      for (const isCompact of [false, true]) {
        const [expected, bytes] = [rows, pairs].map(each =>
          writeModel(each, { compact: isCompact }),
        );
        const ofRows = readModel(expected!);
        const ofPairs = readModel(bytes!);
        expect(ofPairs.spec.compressed).toBe(true);
        expect(weightsOf(ofPairs.parameters)).toEqual(weightsOf(ofRows.parameters));
        expect(decoded(ofPairs)).toEqual(decoded(ofRows));
        expect(decoded(readTaggingModel(bytes!))).toEqual(decoded(ofRows));
        expect(explainSentence(ofPairs, corpus[0]!)).toEqual(explainSentence(ofRows, corpus[0]!));
        const [own, others] = [bytes, expected].map(each => inspectModel(readInspected(each!)));
        expect(own!.labels).toEqual(others!.labels);
        expect(own!.features).toEqual(others!.features);
      }
    },
  );

  it('resumes from a checkpoint to the bit', () => {
    const learner = trained(kernel, { compressed: true }, create);
    const state = deepCopy(saveModelState(learner.model));
    const model = restoreModelState(state, kernel);
    const resumed = create(model);
    resumed.restore(deepCopy(learner.save()));
    const batch = (of: Model) => packMinibatch(corpus.slice(0, 9).map(each => of.encode(each)));
    for (const each of [learner, resumed]) each.apply(each.contribute(batch(each.model)));
    expect(weightsOf(resumed.deployedParameters())).toEqual(
      weightsOf(learner.deployedParameters()),
    );
    delete (state.arrays as Record<string, unknown>)['statePairs.starts'];
    expect(() => restoreModelState(state, kernel)).toThrow(/statePairs.starts is missing/);
  });

  it('needs its corpus first, and an optimizer that leaves weights to the kernel', () => {
    const model = modelWith(kernel, { templates, ...common, compressed: true });
    expect(() => createOnlineLearner(model, { loss: logLoss, optimizer: adagrad })).toThrow(
      /the optimizer adagrad needs weights in rows.*use sgd or perceptron/,
    );
    const learner = createOnlineLearner(model, { loss: logLoss, optimizer: sgd, corpusSize: 9 });
    const batch = packMinibatch([model.encode(corpus[0]!)]);
    expect(() => learner.contribute(batch)).toThrow(/train in passes over a corpus/);
  });
});
