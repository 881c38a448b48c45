import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import type { Kernel } from '../../../../src/engine/kernels/kernel.js';
import { ParameterStore } from '../../../../src/engine/kernels/store/parameter-store.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import { readModel, writeModel } from '../../../../src/engine/models/files/model-file.js';
import {
  createOnlineLearner,
  type Learner,
} from '../../../../src/engine/models/learning/learner.js';
import { Model } from '../../../../src/engine/models/model.js';
import type { ModelSpec } from '../../../../src/engine/models/model-spec.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { sgd } from '../../../../src/engine/optimizers/sgd.js';
import { kernelRows } from '../../../contracts/oracle/kernels/kernels.js';
import { sentenceOf } from '../../features/sentence-of.js';

const labels = Array.from({ length: 24 }, (_, y) => `L${y}`);

/** A model laid out for exactly 24 labels, each of which has a word of its own. */
function learnerOf24(support: 'all' | 'observed', kernel: Kernel): Learner {
  const spec: ModelSpec = {
    templates: 'U:%x[0,0]\nB\nB0:%x[0,0]',
    columns: ['form'],
    index: { mode: 'exact', cutoff: 1 },
    support,
  };
  const layout = { transitions: true, support, precision: kernel.precision };
  const parameters = new ParameterStore(layout, 24);
  const learner = createOnlineLearner(new Model(spec, { parameters, kernel }), {
    loss: logLoss,
    optimizer: sgd,
    options: { schedule: 'constant', eta0: 0.5, average: true, averageAfter: 0 },
    corpusSize: 100,
  });
  const tokens = labels.map(label => `word of ${label}`);
  for (let i = 0; i < 8; i += 1) learn(learner, tokens, labels);
  return learner;
}

function learn(learner: Learner, tokens: readonly string[], tags: readonly string[]): void {
  const encoded = learner.model.encode(sentenceOf(tokens, { tags }));
  learner.apply(learner.contribute(packMinibatch([encoded])));
}

/** All weights of the 24 labels and their words, by feature, whatever the layout. */
function weightsOf({ model: { parameters } }: Learner): number[] {
  const { weights, width, matrixSize, pairs } = parameters;
  const numbers: number[] = [];
  for (let row = 0; row < 24; row += 1) {
    numbers.push(...weights.state.view.subarray(row * width, row * width + 24));
  }
  const blocks = parameters.hasEdgeBlocks ? 25 : 1;
  for (let block = 0; block < blocks; block += 1) {
    for (let from = 0; from < 24; from += 1) {
      const at = block * matrixSize + from * width;
      numbers.push(...weights.edges.view.subarray(at, at + 24));
    }
  }
  return [...numbers, ...weights.pairs.view.subarray(0, pairs.size)];
}

const rows = (['all', 'observed'] as const).flatMap(support =>
  kernelRows.map(({ name, kernel }) => ({ support, name, kernel })),
);

describe.each(rows)('the 25th label, with support $support, by $name', ({ support, kernel }) => {
  it('lays rows out anew and keeps all weights', () => {
    const learner = learnerOf24(support, kernel);
    const { parameters } = learner.model;
    expect([parameters.labels, parameters.labelCapacity]).toEqual([24, 24]);
    const before = weightsOf(learner);
    const file = writeModel(learner);
    expect(before.filter(weight => weight !== 0).length).toBeGreaterThan(
      support === 'all' ? 5000 : 60,
    );
    const encoded = learner.model.encode(sentenceOf(['new'], { tags: ['L24'] }));
    learner.model.reserve();
    expect([parameters.labels, parameters.labelCapacity, parameters.width]).toEqual([25, 32, 32]);
    expect(weightsOf(learner)).toEqual(before);
    expect(encoded.gold).toEqual(Int32Array.of(24));
    // The model file differs by the label alone: nothing has been learned of it yet.
    const [old, grown] = [readModel(file), readModel(writeModel(learner))];
    expect(grown.labels.names).toEqual([...labels, 'L24']);
    expect(grown.stateIndex.size).toBe(old.stateIndex.size);
    const tokens = labels.map(label => `word of ${label}`);
    expect(new Tagger(grown).tag(tokens)).toEqual(new Tagger(old).tag(tokens));
  });

  it('is learned, without the others being forgotten', () => {
    const learner = learnerOf24(support, kernel);
    for (let i = 0; i < 12; i += 1) {
      learn(learner, ['new', 'word of L3', 'new'], ['L24', 'L3', 'L24']);
      learn(
        learner,
        labels.map(label => `word of ${label}`),
        labels,
      );
    }
    const tagger = Tagger.fromBytes(writeModel(learner));
    expect(tagger.labels).toHaveLength(25);
    expect(tagger.tag(['new', 'word of L3', 'new'])).toEqual(['L24', 'L3', 'L24']);
    expect(tagger.tag(labels.map(label => `word of ${label}`))).toEqual(labels);
  });

  it('does not disturb an average that runs across the change', () => {
    // The same sentences with a store that had the room from the start: not a bit may differ.
    const small = learnerOf24(support, kernel);
    const spec = small.model.spec;
    const layout = { transitions: true, support, precision: kernel.precision };
    const parameters = new ParameterStore(layout, 32);
    const large = createOnlineLearner(new Model(spec, { parameters, kernel }), {
      loss: logLoss,
      optimizer: sgd,
      options: { schedule: 'constant', eta0: 0.5, average: true, averageAfter: 0 },
      corpusSize: 100,
    });
    for (let i = 0; i < 8; i += 1)
      learn(
        large,
        labels.map(label => `word of ${label}`),
        labels,
      );
    for (const learner of [small, large]) {
      for (let i = 0; i < 4; i += 1) learn(learner, ['new', 'word of L3'], ['L24', 'L3']);
    }
    expect(writeModel(small)).toEqual(writeModel(large));
    expect(small.model.parameters.labelCapacity).toBe(32);
  });
});
