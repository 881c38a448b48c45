import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import { createModel } from '../../../src/engine/models/create-model.js';
import { Decoder } from '../../../src/engine/models/decoding/decoder.js';
import { readModel, writeModel } from '../../../src/engine/models/files/model-file.js';
import { readModelHeader } from '../../../src/engine/models/files/model-header.js';
import { readSections } from '../../../src/engine/models/files/section-file.js';
import { explainSentence } from '../../../src/engine/models/inspection/explain.js';
import type { ModelSpec } from '../../../src/engine/models/model-spec.js';
import { restoreModelState, saveModelState } from '../../../src/engine/models/state/model-state.js';
import { Tagger } from '../../../src/engine/models/tagger.js';
import { difference } from '../../contracts/oracle/differences/difference.js';
import { Enumeration } from '../../contracts/oracle/enumeration.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { HmmTables } from '../../contracts/oracle/tables/hmm-tables.js';
import { sentenceOf } from '../features/sentence-of.js';
import {
  chain,
  countStream,
  hmmCorpus,
  hmmLearner,
  hmmTemplates,
  hmmWord,
} from './examples/hmm-corpus.js';

// Densities of numbers are of one weight for each sentence in the oracle.
const corpus = hmmCorpus(new Random(831), 60).map(each => ({ ...each, weight: 1 }));
const learner = hmmLearner({ templates: `${hmmTemplates}\nU3:%v[0,n]`, options: { k: 0.2 } });
countStream(learner, corpus, 6);
const bytes = writeModel(learner);
const { labels } = learner.model;
const smoothing = { k: 0.2, transitionK: 1, minCount: 2 };
const tables = new HmmTables(corpus, { labels: labels.names, chain, numbers: 'n', ...smoothing });

const random = new Random(832);
const sentences = Array.from({ length: 30 }, () => {
  const tokens = Array.from({ length: 1 + random.below(5) }, () => hmmWord(random, 'abcde'));
  return sentenceOf(tokens, { columns: { n: tokens.map(() => 2 * random.normal()) } });
});

describe.each(kernelRows)('a hidden Markov model with the $name kernel', ({ kernel }) => {
  const model = readModel(bytes, 'own.model', kernel);
  /** The file rounds to float32, what is scored is a sum of some ten weights. */
  const tolerance = 3e-5;

  it('decodes what the tables say of all sequences: best, marginals, probability, n-best', () => {
    const batch = packMinibatch(sentences.map(sentence => model.encodeKnown(sentence)));
    const asked = { marginals: true, probability: true, nbest: 4 };
    const decoded = new Decoder(kernel).decode(model.parameters, batch, asked);
    let clear = 0;
    for (const [s, sentence] of sentences.entries()) {
      const all = new Enumeration(tables.scores(sentence));
      const [first, end] = [batch.sentenceStarts[s]!, batch.sentenceStarts[s + 1]!];
      if (all.margin < 1e-3) continue;
      clear += 1;
      expect([...decoded.labels.subarray(first, end)]).toEqual(all.best);
      const chosen = all.best.map((y, t) => all.nodes[t]![y]!);
      expect(difference(decoded.marginals!.subarray(first, end), chosen)).toBeLessThan(tolerance);
      const best = all.ranked.slice(0, 4).map(({ score }) => Math.exp(score - all.logZ));
      const found = decoded.nbest![s]!.map(({ probability }) => probability);
      expect(difference(found, best)).toBeLessThan(tolerance);
      expect(difference([decoded.probabilities![s]!], [best[0]!])).toBeLessThan(tolerance);
    }
    expect(clear).toBeGreaterThan(25);
  });

  it('conditions its distribution on constraints', () => {
    for (const sentence of sentences) {
      const all = new Enumeration(tables.scores(sentence));
      const other = all.best[0] === 0 ? 1 : 0;
      const mass = all.probabilityOf(path => path[0] === other);
      const best = all.ranked.find(({ path }) => path[0] === other)!;
      const constrained = { ...sentence, constraints: { 0: [model.labels.name(other)] } };
      const batch = packMinibatch([model.encodeKnown(constrained)]);
      const asked = { probability: true };
      const { labels: found, probabilities } = new Decoder(kernel, model).decode(
        model.parameters,
        batch,
        asked,
      );
      expect([...found]).toEqual(best.path);
      const expected = Math.exp(best.score - all.logZ) / mass;
      expect(difference([probabilities![0]!], [expected])).toBeLessThan(10 * tolerance);
    }
  });

  it('is explained by its tables, up to the whole difference', () => {
    for (const sentence of sentences) {
      const explained = explainSentence(model, sentence);
      const all = new Enumeration(tables.scores(sentence));
      const path = explained.map(({ tag }) => model.labels.find(tag));
      for (const [t, { runnerUp, difference: found, contributions }] of explained.entries()) {
        const others = path.with(t, model.labels.find(runnerUp!.tag));
        const expected = all.pathScore(path) - all.pathScore(others);
        expect(Math.abs(found! - expected)).toBeLessThan(1e-3);
        expect(contributions.map(({ kind }) => kind)).not.toContain('normaliser');
      }
    }
  });
});

describe('the model of a hidden Markov model', () => {
  it('names its scorer in a file of format version 2, without what it was counted from', () => {
    const { spec } = readModelHeader(bytes);
    expect(spec.scorer).toBe('hmm');
    expect(() => readSections(bytes, 1, 'm')).toThrow(
      expect.objectContaining({ code: 'model-version' }),
    );
    const read = readModel(bytes);
    expect(read.parameters.layout).toMatchObject({ scorer: 'hmm' });
    expect(read.parameters.planes).toHaveLength(1);
    const tagger = Tagger.fromBytes(bytes, { source: 'own.model' });
    const columns = { n: [0, 0] };
    expect(tagger.tag(['ab', 'never'], columns)).toHaveLength(2);
  });

  it('has its tables in a checkpoint, and encodes there as before', () => {
    const restored = restoreModelState(saveModelState(learner.model));
    const { layout } = learner.model.parameters;
    expect(restored.parameters.layout.tables).toEqual(layout.tables);
    expect(layout.tables!.map(({ kind }) => kind)).toEqual([
      ...['class', 'class', 'class', 'value', 'constant', 'first', 'square'],
    ]);
    const [one] = corpus;
    expect(restored.encodeKnown(one!)).toEqual(learner.model.encodeKnown(one!));
  });

  it('has the template of each feature of a labelled sentence, and of no other', () => {
    const { tokens, columns } = corpus[0]!;
    const labelled = learner.model.encodeKnown(
      sentenceOf(tokens, { columns, tags: corpus[0]!.tags! }),
    );
    expect(labelled.stateTemplates).toHaveLength(labelled.stateRows.length);
    for (const [t, token] of tokens.entries()) {
      const [first, end] = [labelled.stateStarts[t]!, labelled.stateStarts[t + 1]!];
      const expected = [0, ...(token.length > 1 ? [1] : []), 2, 3, 4, ...(t === 0 ? [5] : []), 6];
      expect([...labelled.stateTemplates!.subarray(first, end)]).toEqual(expected);
    }
    const plain = learner.model.encodeKnown(sentenceOf(tokens, { columns }));
    expect(plain.stateTemplates).toBeUndefined();
    const linear = createModel({ templates: hmmTemplates });
    expect(linear.encode(corpus[0]!).stateTemplates).toBeUndefined();
  });

  it.each<[Partial<ModelSpec>, string]>([
    [{ index: { mode: 'hashed', rows: 9, edgeRows: 9 } }, 'hashed: '],
    [{ index: { mode: 'exact', cutoff: 1, information: { keep: 3 } } }, 'mutualInformation: '],
    [{ index: { mode: 'exact', cutoff: 1, pruneEvery: 3 } }, 'prune: '],
    [{ support: 'observed' }, 'support: '],
  ])('is refused with %j', (spec, message) => {
    const made = () => createModel({ templates: hmmTemplates, scorer: 'hmm', ...spec });
    expect(made).toThrow(
      expect.objectContaining({ code: 'config', message: expect.stringContaining(message) }),
    );
    expect(() => createModel({ templates: hmmTemplates, ...spec })).not.toThrow();
  });
});
