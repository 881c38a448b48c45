import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import { createModel } from '../../../src/engine/models/create-model.js';
import {
  readModel,
  readTaggingModel,
  writeModel,
} from '../../../src/engine/models/files/model-file.js';
import { readModelHeader } from '../../../src/engine/models/files/model-header.js';
import { readSections } from '../../../src/engine/models/files/section-file.js';
import { explainSentence } from '../../../src/engine/models/inspection/explain.js';
import { inspectModel } from '../../../src/engine/models/inspection/inspect-model.js';
import { readInspected } from '../../../src/engine/models/inspection/read-inspected.js';
import { sparsityPattern } from '../../../src/engine/models/inspection/sparsity-pattern.js';
import { kernels } from '../../../src/engine/models/kernels.js';
import { LabelSet } from '../../../src/engine/models/labels/label-set.js';
import { LayerColumns } from '../../../src/engine/models/labels/layer-columns.js';
import { readLabels, storedLabels } from '../../../src/engine/models/labels/stored-labels.js';
import { settleCorpus } from '../../../src/engine/models/learning/settle-corpus.js';
import { takeWeights } from '../../../src/engine/models/start/grow-from.js';
import { restoreModelState, saveModelState } from '../../../src/engine/models/state/model-state.js';
import { Tagger } from '../../../src/engine/models/tagger.js';
import { Enumeration } from '../../contracts/oracle/enumeration.js';
import { scoresOf } from '../../contracts/oracle/scores-of.js';
import { sentenceOf } from '../features/sentence-of.js';
import { syntheticCorpus } from './examples/synthetic-corpus.js';
import { train } from './examples/train.js';

const layers = { separator: '|' };
const templates = 'U0:%x[0,0]\nB';
/** Tags with a second layer: whether the tag is that of the word before. */
const corpus = syntheticCorpus(new Random(51), 80, { labels: 3, longest: 5 }).map(sentence => ({
  ...sentence,
  tags: sentence.tags!.map((tag, t) => `${tag}|${tag === sentence.tags![t - 1] ? 'same' : 'new'}`),
}));

describe('the columns of labels of two layers', () => {
  it('are numbered as they are met, and labels by their pairs', () => {
    const labels = new LabelSet(['DT|B', 'NN|I', 'NN|B'], 1, new LayerColumns('|'));
    expect([labels.size, labels.columns, labels.find('NN|B')]).toEqual([3, 4, 2]);
    expect(labels.columnNames).toEqual(['DT|', '|B', 'NN|', '|I']);
    expect(labels.layers!.layers).toEqual([
      [0, 2, 2],
      [1, 3, 1],
    ]);
    const read = readLabels(storedLabels(labels), { layers })!;
    expect([read.names, read.columnNames]).toEqual([labels.names, labels.columnNames]);
    labels.truncate(1);
    expect([labels.intern('NN|B'), labels.layers!.layers[0]]).toEqual([1, [0, 2]]);
  });

  it('are of as many layers as the first label has', () => {
    const labels = new LabelSet(['DT|B|x', 'NN|B|x'], 1, new LayerColumns('|'));
    expect(labels.columnNames).toEqual(['DT||', '|B|', '||x', 'NN||']);
    const stored = storedLabels(labels);
    expect(stored.pairs).toEqual({ first: [0, 3], second: [1, 1], further: [[2, 2]] });
    const read = readLabels(stored, { layers })!;
    expect([read.names, read.columnNames]).toEqual([labels.names, labels.columnNames]);
    expect(() => labels.intern('NN|B')).toThrow(/does not have 3 layers/);
    const { first, second } = stored.pairs!;
    expect(readLabels({ ...stored, pairs: { first, second } }, { layers })).toBeUndefined();
  });

  it.each(['DT', '|B', 'DT|', 'a||c', ''])('are not those of "%s"', tag => {
    expect(() => new LabelSet([tag], 1, new LayerColumns('|'))).toThrow(
      expect.objectContaining({ code: 'unknown-label' }),
    );
  });

  it('are not read where they do not fit together', () => {
    const names = ['DT|', '|B', 'NN|'];
    const pairs = { first: [0, 2], second: [1, 1] };
    expect(readLabels({ labels: names, pairs }, { layers })!.names).toEqual(['DT|B', 'NN|B']);
    for (const [wrong, spec] of [
      [{ labels: names, pairs: { first: [0, 3], second: [1, 1] } }, { layers }],
      [{ labels: names, pairs: { first: [0], second: [1, 1] } }, { layers }],
      [{ labels: names, pairs: { first: [0, 0], second: [1, 1] } }, { layers }],
      [{ labels: names, pairs: { first: [1], second: [0] } }, { layers }],
      [{ labels: ['DT', '|B'], pairs: { first: [0], second: [1] } }, { layers }],
      [{ labels: ['DT|', 'DT|', '|B'], pairs: { first: [0], second: [2] } }, { layers }],
      [{ labels: names }, { layers }],
      [{ labels: names, pairs }, {}],
    ] as const) {
      expect(readLabels(wrong, spec)).toBeUndefined();
    }
  });
});

describe('a model with tags of two layers', () => {
  const learner = train(corpus, { spec: { templates, layers }, passes: 10 });
  const bytes = writeModel(learner);

  it('has a column for each tag of a layer, and decodes pairs as the enumeration has it', () => {
    const model = readModel(bytes, 'm', kernels.simd64);
    expect(model.parameters.labels).toBe(5);
    expect(model.labels.names).toEqual(learner.model.labels.names);
    const tagger = new Tagger(model);
    let right = 0;
    for (const { tokens, tags } of corpus) {
      const found = tagger.analyze(tokens, {}, { probability: true, marginals: true, nbest: 2 });
      const encoded = model.encodeKnown(sentenceOf(tokens));
      const chain = new Enumeration(scoresOf(model.parameters, encoded));
      expect(found.tags).toEqual(chain.best.map(p => model.labels.name(p)));
      expect(found.probability).toBeCloseTo(Math.exp(chain.bestScore - chain.logZ), 10);
      expect(found.nbest![1]!.score).toBeCloseTo(chain.ranked[1]!.score, 8);
      if (found.tags.join() === tags!.join()) right += 1;
    }
    expect(right).toBeGreaterThan(corpus.length / 2);
  });

  it('is trained on observed pairs alone where these are asked for', () => {
    const own = train(corpus, { spec: { templates, layers, support: 'observed' }, passes: 10 });
    const { model } = own;
    const { support, width } = model.parameters;
    const [first, second] = model.labels.layers!.layers as [number[], number[]];
    for (const [p, a] of first.entries()) {
      expect(support!.transitions[a * width + second[p]!]).toBe(1);
    }
    const batch = packMinibatch(corpus.map(sentence => model.encode(sentence)));
    expect(own.contribute(batch).loss).toBeLessThan(corpus.length * 4);
  });

  it('is written and read, and older programs refuse its file', () => {
    expect(readModelHeader(bytes).pairs!.first).toHaveLength(learner.model.labels.size);
    expect(() => readSections(bytes, 3, 'm')).toThrow('format version 4');
    const small = new Tagger(readTaggingModel(writeModel(learner, { compact: true })));
    expect(small.tag(['w0'])).toHaveLength(1);
    const restored = restoreModelState(saveModelState(learner.model));
    expect(restored.labels.names).toEqual(learner.model.labels.names);
    expect(restored.parameters.layout.layers).toEqual(learner.model.labels.layers!.layers);
    expect(restored.spec).toEqual(learner.model.spec);
  });

  it('is shown layer by layer', () => {
    const inspected = readInspected(bytes);
    const [label] = inspected.model.labels.names;
    const shown = inspectModel(inspected, { label: label! });
    expect(shown.labels).toHaveLength(5);
    expect(shown.features.map(each => each.label)).toEqual(
      label!.split('|').map((name, i) => (i === 0 ? `${name}|` : `|${name}`)),
    );
    expect(sparsityPattern(inspected).labels).toEqual(inspected.model.labels.columnNames);
    expect(explainSentence(inspected.model, sentenceOf(['w0']))[0]!.contributions).not.toEqual([]);
  });

  it('begins with the weights of another one, and needs plain transitions alone', () => {
    const start = readModel(bytes, 'm', kernels.simd64);
    const model = createModel({ templates, layers });
    settleCorpus(
      model,
      [...corpus].reverse().map(sentence => model.encode(sentence)),
    );
    const { offered, taken } = takeWeights(model, start);
    expect([taken > 0, taken]).toEqual([true, offered]);
    expect(() => takeWeights(createModel({ templates }), start)).toThrow('layers: | -> one');
    expect(() => createModel({ templates: 'U:%x[0,0]', layers })).toThrow('need transitions');
    expect(() => createModel({ templates: 'U:%x[0,0]\nB\nB1:%x[0,0]', layers })).toThrow('B1');
  });
});
