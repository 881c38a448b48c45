import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import type { ScorerName } from '../../../src/engine/core/scorer.js';
import type { Sentence } from '../../../src/engine/core/sentence/sentence.js';
import { createModel } from '../../../src/engine/models/create-model.js';
import { Decoder } from '../../../src/engine/models/decoding/decoder.js';
import { neededCapabilities } from '../../../src/engine/models/decoding/require-capabilities.js';
import { readModel, writeModel } from '../../../src/engine/models/files/model-file.js';
import { readModelHeader } from '../../../src/engine/models/files/model-header.js';
import { readSections } from '../../../src/engine/models/files/section-file.js';
import { explainSentence } from '../../../src/engine/models/inspection/explain.js';
import type { Model } from '../../../src/engine/models/model.js';
import { requireSameFeatures } from '../../../src/engine/models/start/grow-from.js';
import { restoreModelState, saveModelState } from '../../../src/engine/models/state/model-state.js';
import { difference } from '../../contracts/oracle/differences/difference.js';
import { Enumeration } from '../../contracts/oracle/enumeration.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { scoresOf } from '../../contracts/oracle/scores-of.js';
import { sentenceOf } from '../features/sentence-of.js';
import { syntheticCorpus } from './examples/synthetic-corpus.js';
import { train } from './examples/train.js';

const corpus = syntheticCorpus(new Random(51), 80, { labels: 3, longest: 6 });
const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nB\n*0:%x[0,0]';
const learner = train(corpus, { spec: { templates, scorer: 'memm' } });
const bytes = writeModel(learner);

/** All sequences of a sentence, by the definition of the model. */
function sequencesOf(model: Model, sentence: Sentence): Enumeration {
  return new Enumeration(scoresOf(model.parameters, model.encodeKnown(sentence)));
}

describe.each(kernelRows)('a MEMM with the $name kernel', ({ kernel, tolerance }) => {
  const model = readModel(bytes, 'own.model', kernel);

  it('decodes what the enumeration finds: best, marginals, probability, n-best', () => {
    const sentences = corpus.slice(0, 25).map(({ tokens }) => sentenceOf(tokens));
    const batch = packMinibatch(sentences.map(sentence => model.encodeKnown(sentence)));
    const asked = { marginals: true, probability: true, nbest: 4 };
    const decoded = new Decoder(kernel).decode(model.parameters, batch, asked);
    for (const [s, sentence] of sentences.entries()) {
      const all = sequencesOf(model, sentence);
      const [first, end] = [batch.sentenceStarts[s]!, batch.sentenceStarts[s + 1]!];
      expect([...decoded.labels.subarray(first, end)]).toEqual(all.best);
      const chosen = all.best.map((y, t) => all.nodes[t]![y]!);
      expect(difference(decoded.marginals!.subarray(first, end), chosen)).toBeLessThan(tolerance);
      const best = all.ranked.slice(0, 4).map(({ score }) => Math.exp(score));
      const found = decoded.nbest![s]!.map(({ probability }) => probability);
      expect(difference(found, best)).toBeLessThan(tolerance);
      expect(difference([decoded.probabilities![s]!], [best[0]!])).toBeLessThan(tolerance);
    }
  });

  it('conditions its distribution on constraints', () => {
    for (const { tokens } of corpus.slice(0, 25)) {
      const plain = sentenceOf(tokens);
      const all = sequencesOf(model, plain);
      const other = all.best[0] === 0 ? 1 : 0;
      const mass = all.probabilityOf(path => path[0] === other);
      const best = all.ranked.find(({ path }) => path[0] === other)!;
      const sentence = { ...plain, constraints: { 0: [model.labels.name(other)] } };
      const batch = packMinibatch([model.encodeKnown(sentence)]);
      const { labels, probabilities } = new Decoder(kernel, model).decode(model.parameters, batch, {
        probability: true,
      });
      expect([...labels]).toEqual(best.path);
      expect(difference([probabilities![0]!], [Math.exp(best.score) / mass])).toBeLessThan(
        10 * tolerance,
      );
    }
  });

  it('is explained with the normaliser of the next token, up to the whole difference', () => {
    let normalisers = 0;
    for (const { tokens } of corpus.slice(0, 25)) {
      const sentence = sentenceOf(tokens);
      const all = sequencesOf(model, sentence);
      const explained = explainSentence(model, sentence);
      const labels = explained.map(({ tag }) => model.labels.find(tag));
      expect(labels).toEqual(all.best);
      for (const [t, { runnerUp, difference: found, contributions }] of explained.entries()) {
        const others = labels.with(t, model.labels.find(runnerUp!.tag));
        const expected = all.pathScore(labels) - all.pathScore(others);
        expect(difference([found!], [expected])).toBeLessThan(tolerance);
        const sum = contributions.reduce((before, { amount }) => before + amount, 0);
        expect(found).toBe(sum);
        const own = contributions.filter(({ kind }) => kind === 'normaliser');
        expect(own.length).toBeLessThanOrEqual(t + 1 < tokens.length ? 1 : 0);
        if (own.length === 1) expect(own[0]!.name).toBe(tokens[t + 1]);
        normalisers += own.length;
      }
    }
    expect(normalisers).toBeGreaterThan(40);
  });
});

describe('the scorer of a model', () => {
  it('stands in its file, which programs that know none refuse', () => {
    expect(readModelHeader(bytes).spec.scorer).toBe('memm');
    expect(readModel(bytes).parameters.layout.scorer).toBe('memm');
    expect(() => readSections(bytes, 1, 'm')).toThrow(
      expect.objectContaining({
        code: 'model-version',
        problem: 'the model has format version 2; this program reads version 1',
      }),
    );
  });

  it('is not in the file of a linear model, whose bytes are the same whether it is named or not', () => {
    const named = writeModel(train(corpus, { spec: { templates, scorer: 'linear' } }));
    const unnamed = writeModel(train(corpus, { spec: { templates } }));
    expect(named).toEqual(unnamed);
    expect(readModelHeader(named).spec.scorer).toBeUndefined();
    expect(() => readSections(named, 1, 'm')).not.toThrow();
  });

  it('stands in a checkpoint', () => {
    const restored = restoreModelState(saveModelState(learner.model));
    expect(restored.parameters.layout.scorer).toBe('memm');
    expect(restored.spec).toEqual(learner.model.spec);
  });

  it('has to be that of the model to start from', () => {
    expect(() => requireSameFeatures(learner.model.spec, createModel({ templates }).spec)).toThrow(
      'scorer: linear -> memm',
    );
  });

  it('is asked for what decoding needs of it', () => {
    const { sentences } = packMinibatch([learner.model.encodeKnown(sentenceOf(['w0']))]);
    expect(neededCapabilities({}, { sentences })).toEqual([]);
    expect(neededCapabilities({ nbest: 2 }, { sentences })).toEqual(['n-best']);
    for (const options of [
      { marginals: true },
      { probability: true },
      { spanProbabilities: true },
      { decoding: 'posterior' },
    ] as const) {
      expect(neededCapabilities(options, { sentences })).toEqual(['marginals']);
    }
    const constrained = [{ ...sentences[0]!, sentence: { constraints: [] } }] as never;
    expect(neededCapabilities({}, { sentences: constrained })).toEqual(['constraints']);
    expect(neededCapabilities({ constraints: false }, { sentences: constrained })).toEqual([]);
  });
});

describe('label bias', () => {
  // Lafferty, McCallum and Pereira (2001), figure 1: r-i-b and r-o-b by paths of their own to the same last state.
  const rib = sentenceOf(['r', 'i', 'b'], { tags: ['r1', 'i', 'b'] });
  const rob = sentenceOf(['r', 'o', 'b'], { tags: ['r2', 'o', 'b'] });

  /** Weights for both: each state has one successor, r is more often that of rib, i and o speak for theirs. */
  function tagsOf(scorer: ScorerName, tokens: readonly string[]): string[] {
    const model = createModel({ templates: 'U0:%x[0,0]\nB', scorer });
    for (const sentence of [rib, rob]) model.encode(sentence);
    model.reserve();
    const { parameters, labels } = model;
    const { state, edges } = parameters.weights;
    edges.view.fill(-20, 0, parameters.matrixSize);
    const edge = (from: string, to: string) => {
      edges.view[labels.find(from) * parameters.width + labels.find(to)] = 0;
    };
    edge('r1', 'i');
    edge('r2', 'o');
    edge('i', 'b');
    edge('o', 'b');
    const weigh = (word: string, tag: string, weight: number) => {
      const [row] = model.encodeKnown(sentenceOf([word])).stateRows;
      state.view[row! * parameters.width + labels.find(tag)] = weight;
    };
    for (const tag of ['i', 'o', 'b']) weigh('r', tag, -20);
    weigh('r', 'r1', Math.log(2));
    weigh('i', 'i', 3);
    weigh('o', 'o', 3);
    const batch = packMinibatch([model.encodeKnown(sentenceOf(tokens))]);
    const decoded = new Decoder(model.kernel).decode(parameters, batch);
    return Array.from(decoded.labels, label => labels.name(label));
  }

  it('has a MEMM ignore what it sees once a state has but one successor', () => {
    expect(tagsOf('memm', ['r', 'i', 'b'])).toEqual(['r1', 'i', 'b']);
    expect(tagsOf('memm', ['r', 'o', 'b'])).toEqual(['r1', 'i', 'b']);
  });

  it('is none of a CRF of the same weights', () => {
    expect(tagsOf('linear', ['r', 'i', 'b'])).toEqual(['r1', 'i', 'b']);
    expect(tagsOf('linear', ['r', 'o', 'b'])).toEqual(['r2', 'o', 'b']);
  });
});
