import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import type { Sentence } from '../../../src/engine/core/sentence/sentence.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import { createModel } from '../../../src/engine/models/create-model.js';
import {
  contentsOf,
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
import { settleCorpus, startStates } from '../../../src/engine/models/learning/settle-corpus.js';
import { hiddenStatesOf, type ModelSpec } from '../../../src/engine/models/model-spec.js';
import { takeWeights } from '../../../src/engine/models/start/grow-from.js';
import { restoreModelState, saveModelState } from '../../../src/engine/models/state/model-state.js';
import { Tagger } from '../../../src/engine/models/tagger.js';
import { sentenceOf } from '../features/sentence-of.js';
import { syntheticCorpus } from './examples/synthetic-corpus.js';
import { train } from './examples/train.js';

const corpus = syntheticCorpus(new Random(51), 80, { labels: 3, longest: 6 });
const templates = 'U0:%x[0,0]\nB';
const hidden = { states: 2, spread: 0.5, seed: 3 };

function settled(spec: Partial<ModelSpec> = {}, sentences: readonly Sentence[] = corpus) {
  const model = createModel({ templates, hidden, ...spec });
  const encoded = settleCorpus(
    model,
    sentences.map(sentence => model.encode(sentence)),
  );
  return { model, encoded };
}

describe('a model with hidden states', () => {
  it('encodes labels as all of their states, and notes transitions and words by label', () => {
    const model = createModel({ templates, hidden, dictionary: { minCount: 1 } });
    const encoded = model.encode(sentenceOf(['a', 'b', 'a'], { tags: ['X', 'Y', 'X'] }));
    expect(encoded.gold).toBeUndefined();
    expect(encoded.allowed).toEqual({
      starts: Uint32Array.of(0, 2, 4, 6),
      labels: Uint32Array.of(0, 1, 2, 3, 0, 1),
    });
    expect([...model.seen.pairs()]).toEqual([
      [-1, 0],
      [0, 2],
      [2, 0],
      [0, -1],
    ]);
    expect(Array.from(model.dictionary!.allowed('b')!)).toEqual([0, 0, 1, 1]);
    model.frozen = true;
    expect(model.encode(sentenceOf(['a'], { tags: ['Z'] })).allowed).toBeUndefined();
    const partly = { ...sentenceOf(['a', 'b']), partialTags: [['Y', 'X'], null] };
    expect(model.encode(partly).allowed).toEqual({
      starts: Uint32Array.of(0, 4, 4),
      labels: Uint32Array.of(2, 3, 0, 1),
    });
  });

  it('starts at random within the spread, the same for the same seed, where weights are', () => {
    const { model } = settled({ support: 'observed' });
    const { parameters } = model;
    const { weights, support, labels, width, stateRows } = parameters;
    let [weighed, free] = [0, 0];
    for (let row = 0; row < stateRows; row += 1) {
      for (let y = 0; y < labels; y += 1) {
        const weight = weights.state.view[row * width + y]!;
        expect(Math.abs(weight)).toBeLessThanOrEqual(0.5);
        expect(weight !== 0).toBe(support!.state[row * width + y] === 1);
        if (weight === 0) free += 1;
        else weighed += 1;
      }
    }
    expect(weighed).toBeGreaterThan(10);
    expect(free).toBeGreaterThan(10);
    const again = settled({ support: 'observed' }).model.parameters.weights;
    expect(again.state.view).toEqual(weights.state.view);
    expect(again.edges.view).toEqual(weights.edges.view);
    const other = settled({ support: 'observed', hidden: { ...hidden, seed: 4 } });
    expect(other.model.parameters.weights.state.view).not.toEqual(weights.state.view);
  });

  it('starts transitions that are conditioned on an observation too, in both supports', () => {
    const conditioned = { templates: `${templates}\nB:%x[0,0]` };
    const { weights, matrixSize } = settled(conditioned).model.parameters;
    expect(weights.edges.view.subarray(matrixSize).some(weight => weight !== 0)).toBe(true);
    const pairs = settled({ ...conditioned, support: 'observed' }).model.parameters.weights.pairs;
    expect(pairs.view.some(weight => weight !== 0)).toBe(true);
  });

  it('leaves the weights of a resumed model and of one without hidden states alone', () => {
    const { model } = settled();
    const restored = restoreModelState(saveModelState(model));
    expect(restored.labels.tags).toEqual(model.labels.tags);
    expect([restored.labels.states, restored.spec]).toEqual([2, model.spec]);
    restored.parameters.weights.state.view.fill(7);
    settleCorpus(
      restored,
      corpus.map(sentence => restored.encode(sentence)),
    );
    expect(restored.parameters.weights.state.view.every(weight => weight === 7)).toBe(true);
    const plain = createModel({ templates });
    plain.encode(corpus[0]!);
    startStates(plain);
    expect(plain.parameters.isInUse).toBe(false);
  });

  it('learns what labels alone cannot: a tag that depends on the one before the last', () => {
    // After x the tag is A, A, B, B, A, A, ...: two states of each remember where it stands.
    const tags = ['A', 'A', 'B', 'B', 'A', 'A', 'B', 'B', 'A', 'A', 'B', 'B'];
    const cycle = [0, 1, 2, 3].map(shift =>
      sentenceOf(['x', 'x', 'x', 'x', 'x', 'x', 'x', 'x'], { tags: tags.slice(shift, shift + 8) }),
    );
    const lossOf = (states: number) => {
      const spec = {
        templates,
        ...(states === 1 ? {} : { hidden: { states, spread: 1, seed: 1 } }),
      };
      const learner = train(cycle, { spec, passes: 400, options: { l2: 0, eta0: 0.5 } });
      const batch = packMinibatch(cycle.map(sentence => learner.model.encode(sentence)));
      return learner.contribute(batch).loss / 4;
    };
    // Which of the four it is, takes log 4; a chain of labels does not know when to change.
    expect(lossOf(1)).toBeGreaterThan(3.5);
    expect(lossOf(2)).toBeLessThan(2);
    expect(lossOf(2)).toBeGreaterThan(Math.log(4) - 0.01);
  });

  it('is written and read, and older programs refuse its file', () => {
    const learner = train(corpus, { spec: { templates, hidden } });
    const bytes = writeModel(learner);
    expect(readModelHeader(bytes).spec.hidden).toEqual(hidden);
    expect(readModelHeader(bytes).labels.slice(0, 2)).toEqual(['L0#1', 'L0#2']);
    expect(() => readSections(bytes, 3, 'm')).toThrow('format version 4');
    const compact = writeModel(learner, { compact: true });
    expect(() => readSections(compact, 3, 'm')).toThrow('format version 9');
    const asked = { marginals: true, probability: true, nbest: 3 };
    const expected = new Tagger(readModel(bytes));
    expect(expected.labels).toEqual(learner.model.labels.tags);
    const small = new Tagger(readTaggingModel(compact));
    for (const { tokens } of corpus.slice(0, 20)) {
      const found = expected.analyze(tokens, {}, asked);
      expect(found.tags.every(tag => expected.labels.includes(tag))).toBe(true);
      const mass = found.nbest!.reduce((sum, { probability }) => sum + probability, 0);
      expect(mass).toBeLessThan(1 + 1e-6);
      expect(found.probability).toBeGreaterThan(0);
      expect(small.tag(tokens)).toHaveLength(tokens.length);
    }
    const { header } = contentsOf(bytes);
    expect(header.labels).toHaveLength(6);
  });

  it('is shown state by state', () => {
    const bytes = writeModel(train(corpus, { spec: { templates, hidden } }));
    const inspected = readInspected(bytes);
    const shown = inspectModel(inspected, { label: 'L1' });
    expect(shown.labels.map(({ label }) => label).slice(2, 4)).toEqual(['L1#1', 'L1#2']);
    expect(shown.features.map(({ label }) => label)).toEqual(['L1#1', 'L1#2']);
    expect(shown.transitions).toHaveLength(36);
    expect(sparsityPattern(inspected).labels).toHaveLength(6);
    const [explained] = explainSentence(inspected.model, sentenceOf(['w0']));
    expect(explained!.state).toMatch(/#[12]$/);
  });

  it('begins with the weights of another one state by state', () => {
    const learner = train(corpus, { spec: { templates, hidden } });
    const start = readModel(writeModel(learner), 'm', kernels.simd64);
    // Labels come in another order here.
    const { model } = settled({}, [...corpus].reverse());
    const { offered, taken } = takeWeights(model, start);
    expect(taken).toBe(offered);
    const weightsOf = (of: typeof model, name: string) => {
      const [row] = of.encodeKnown(sentenceOf(['w0'])).stateRows;
      const { width, weights } = of.parameters;
      const first = row! * width + of.labels.find(name);
      return Array.from(weights.state.view.subarray(first, first + 2), Math.fround);
    };
    for (const tag of model.labels.tags)
      expect(weightsOf(model, tag)).toEqual(weightsOf(start, tag));
    expect(() => takeWeights(createModel({ templates }), start)).toThrow('hidden states: 2 -> 1');
  });

  it('selects features by what they say of the label', () => {
    const index = { mode: 'exact', cutoff: 1, information: { keep: 5 } } as const;
    const { model, encoded } = settled({ index });
    expect(model.stateIndex.size).toBe(5);
    const plain = createModel({ templates, index });
    const kept = settleCorpus(
      plain,
      corpus.map(sentence => plain.encode(sentence)),
    );
    expect(encoded.map(({ stateRows }) => [...stateRows])).toEqual(
      kept.map(({ stateRows }) => [...stateRows]),
    );
  });

  it('has the log loss of the sums over its states', () => {
    expect(logLoss.smooth).toBe(true);
    expect(hiddenStatesOf(1)).toBeUndefined();
    expect(hiddenStatesOf({ states: 3, seed: 9 })).toEqual({ states: 3, spread: 0.1, seed: 9 });
  });
});
