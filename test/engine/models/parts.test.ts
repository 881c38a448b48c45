import { describe, expect, it } from 'vitest';
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
import { kernels } from '../../../src/engine/models/kernels.js';
import { LabelSet } from '../../../src/engine/models/labels/label-set.js';
import { PartColumns } from '../../../src/engine/models/labels/part-columns.js';
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

const parts = { separator: '|' };
const templates = 'U0:%x[0,0]\nB';
/** Tags with a further part where the tag is that of the word before. */
const corpus = syntheticCorpus(new Random(51), 80, { labels: 3, longest: 5 }).map(sentence => ({
  ...sentence,
  tags: sentence.tags!.map((tag, t) => (tag === sentence.tags![t - 1] ? `${tag}|same` : tag)),
}));

describe('the columns of labels of parts', () => {
  it('are numbered as they are met, a column for each part and each label', () => {
    const labels = new LabelSet(['N|C=1|P=2', 'N', 'V|P=2'], 1, new PartColumns('|'));
    expect([labels.size, labels.find('V|P=2')]).toEqual([3, 2]);
    expect(labels.columnNames).toEqual(['N', 'C=1', 'P=2', 'N|C=1|P=2', 'V', 'V|P=2']);
    expect(labels.parts!.parts).toEqual({
      starts: [0, 4, 5, 8],
      columns: [0, 1, 2, 3, 0, 2, 4, 5],
    });
    const read = readLabels(storedLabels(labels), { parts })!;
    expect([read.names, read.columnNames]).toEqual([labels.names, labels.columnNames]);
    expect(read.parts!.parts).toEqual(labels.parts!.parts);
    labels.truncate(1);
    expect([labels.intern('V|P=2'), labels.parts!.parts.starts]).toEqual([1, [0, 4, 7]]);
  });

  it.each(['|', '||', 'a|', '|a', 'a||b', ''])('are one of "%s", which has an empty part', tag => {
    expect(new LabelSet([tag], 1, new PartColumns('|')).columnNames).toEqual([tag]);
  });

  it('count a part once', () => {
    expect(new LabelSet(['a|a'], 1, new PartColumns('|')).columnNames).toEqual(['a', 'a|a']);
  });

  it('are not read where they do not fit together', () => {
    const labels = ['N', 'C=1', 'N|C=1'];
    const names = ['N|C=1', 'N'];
    expect(readLabels({ labels, names }, { parts })!.names).toEqual(names);
    for (const [wrong, spec] of [
      [{ labels, names: ['N|C=1', 'V'] }, { parts }],
      [{ labels, names: ['N', 'N'] }, { parts }],
      [{ labels: [...labels, 'N'], names }, { parts }],
      [{ labels }, { parts }],
      [{ labels, names }, {}],
    ] as const) {
      expect(readLabels(wrong, spec)).toBeUndefined();
    }
  });
});

describe('a model with tags of parts', () => {
  const learner = train(corpus, { spec: { templates, parts }, passes: 10 });
  const bytes = writeModel(learner);

  it('decodes tags as the enumeration has it', () => {
    const model = readModel(bytes, 'm', kernels.simd64);
    expect(model.parameters.labels).toBe(learner.model.labels.columns);
    expect(model.labels.names).toEqual(learner.model.labels.names);
    const tagger = new Tagger(model);
    let right = 0;
    for (const { tokens, tags } of corpus) {
      const found = tagger.analyze(tokens, {}, { probability: true, nbest: 2 });
      const encoded = model.encodeKnown(sentenceOf(tokens));
      const chain = new Enumeration(scoresOf(model.parameters, encoded));
      expect(found.tags).toEqual(chain.best.map(y => model.labels.name(y)));
      expect(found.probability).toBeCloseTo(Math.exp(chain.bestScore - chain.logZ), 10);
      expect(found.nbest![1]!.score).toBeCloseTo(chain.ranked[1]!.score, 8);
      if (found.tags.join() === tags!.join()) right += 1;
    }
    expect(right).toBeGreaterThan(corpus.length / 2);
  });

  it('is the same model with weights of single pairs as with rows of them', () => {
    const prune = { most: 3, ratio: 0.001 };
    const spec = { templates, parts, prune, support: 'observed' } as const;
    const [rows, single] = [spec, { ...spec, compressed: true as const }].map(each =>
      train(corpus, { spec: each, passes: 5 }),
    );
    const tagged = (own: typeof learner) => {
      const tagger = new Tagger(readTaggingModel(writeModel(own)));
      return corpus.map(({ tokens }) => tagger.tag(tokens));
    };
    expect(single!.model.parameters.statePairs).toBeDefined();
    expect(tagged(single!)).toEqual(tagged(rows!));
  });

  it('is written and read, and older programs refuse its file', () => {
    expect(readModelHeader(bytes).names).toEqual(learner.model.labels.names);
    expect(() => readSections(bytes, 7, 'm')).toThrow('format version 8');
    const small = new Tagger(readTaggingModel(writeModel(learner, { compact: true })));
    expect(small.tag(['w0'])).toHaveLength(1);
    const restored = restoreModelState(saveModelState(learner.model));
    expect(restored.labels.names).toEqual(learner.model.labels.names);
    expect(restored.parameters.layout.parts).toEqual(learner.model.labels.parts!.parts);
    expect(restored.spec).toEqual(learner.model.spec);
  });

  it('is shown part by part', () => {
    const inspected = readInspected(bytes);
    const label = inspected.model.labels.names.find(name => name.includes('|'))!;
    const shown = inspectModel(inspected, { label });
    expect(shown.features.map(each => each.label).sort()).toEqual(
      [...label.split('|'), label].sort(),
    );
    expect(explainSentence(inspected.model, sentenceOf(['w0']))[0]!.contributions).not.toEqual([]);
  });

  it('begins with the weights of another one, and needs plain transitions alone', () => {
    const start = readModel(bytes, 'm', kernels.simd64);
    const model = createModel({ templates, parts });
    settleCorpus(
      model,
      [...corpus].reverse().map(sentence => model.encode(sentence)),
    );
    const { offered, taken } = takeWeights(model, start);
    expect([taken > 0, taken]).toEqual([true, offered]);
    expect(() => takeWeights(createModel({ templates }), start)).toThrow('parts: | -> one');
    expect(() => createModel({ templates: 'U:%x[0,0]\nB\nB1:%x[0,0]', parts })).toThrow('B1');
    const both = { templates, parts, layers: { separator: '|' } };
    expect(() => createModel(both)).toThrow('cannot also be tags of parts');
  });
});
