import { describe, expect, it } from 'vitest';
import { joined } from '../../../../src/engine/core/arrays.js';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import { FeatureNames } from '../../../../src/engine/features/extraction/feature-names.js';
import { logLoss } from '../../../../src/engine/losses/factories.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import {
  contentsOf,
  modelContents,
  modelPieces,
  writeModel,
} from '../../../../src/engine/models/files/model-file.js';
import { edgeWeight } from '../../../../src/engine/models/inspection/edge-weight.js';
import { inspectModel } from '../../../../src/engine/models/inspection/inspect-model.js';
import { ModelNoter, type NamesKept } from '../../../../src/engine/models/inspection/note-model.js';
import { readInspected } from '../../../../src/engine/models/inspection/read-inspected.js';
import type { Learner } from '../../../../src/engine/models/learning/learner.js';
import type { ModelSpec } from '../../../../src/engine/models/model-spec.js';
import { sgd } from '../../../../src/engine/optimizers/factories.js';
import { createLearner } from '../../../../src/runtime/pipeline/learners/create-learner.js';
import { smallCorpus } from '../../optimizers/small-corpus.js';
import { syntheticCorpus } from '../examples/synthetic-corpus.js';
import { train } from '../examples/train.js';
import { wordVectors } from '../examples/word-lists.js';

const words = syntheticCorpus(new Random(3), 60);
const numbers = smallCorpus(new Random(2), 40);
const lines = 'U0:%x[0,0]\nU1:%suffix[0,0,3]/%x[1,0]\nU2:%prefix[-1,0,3]\nB\n*1:%x[0,0]';
const hashed = { mode: 'hashed', rows: 40, edgeRows: 12 } as const;

const rows: [string, Partial<ModelSpec> & Pick<ModelSpec, 'templates'>, typeof words][] = [
  ['of words, some too short', { templates: lines }, words],
  ['of observed pairs', { templates: lines, support: 'observed' }, words],
  ['with a cutoff', { templates: lines, index: { mode: 'exact', cutoff: 4 } }, words],
  ['of hashed rows', { templates: lines, index: hashed }, words],
  ['of numbers', { templates: 'U:%x[0,0]\nU:%v[0,n]\nB', columns: ['form', 'n'] }, numbers],
];

/** The file of a learner with its notes, from the sentences that it was trained on. */
function noted(learner: Learner, corpus: typeof words, kept: NamesKept, again = false): Uint8Array {
  const { model } = learner;
  const contents = again ? contentsOf(writeModel(learner)) : modelContents(learner);
  const noter = new ModelNoter(model, contents, kept);
  for (const sentence of corpus) {
    if (again) noter.addSentence(sentence);
    else noter.addCorpus([model.encodeKnown(sentence)]);
  }
  const notes = noter.notes([{ pass: 1, loss: 0.5 }], { optimizer: 'sgd', epochs: 1 });
  return joined(modelPieces(contents, notes));
}

describe.each(rows)('the notes of a model %s', (_, spec, corpus) => {
  const learner = train(corpus, { spec });
  const { model, notes } = readInspected(noted(learner, corpus, 'all'));
  const names = new FeatureNames(model.extractor.plan);
  const kinds = ['state', 'edge'] as const;

  it('name every feature as it is found in the sentences', () => {
    const possible = {
      state: new Map<number, Set<string>>(),
      edge: new Map<number, Set<string>>(),
    };
    for (const sentence of corpus) {
      model.extractor.open(sentence);
      for (const kind of kinds) {
        if (names.templates(kind).length === 0) continue;
        const index = kind === 'state' ? model.stateIndex : model.edgeIndex;
        const { length } = sentence.tokens;
        const found = model.extractor.locate(kind, length, index);
        for (let t = 0; t < length; t += 1) {
          for (let k = found.starts[t]!; k < found.starts[t + 1]!; k += 1) {
            const row = found.rows[k]! - (kind === 'edge' ? 1 : 0);
            const name = names.name(kind, found.templates[k]!, sentence, t)!;
            const known = possible[kind].get(row);
            if (known === undefined) possible[kind].set(row, new Set([name]));
            else known.add(name);
          }
        }
      }
    }
    const features = notes.names.state.size + notes.names.edge.size;
    expect(features).toBeGreaterThan(9);
    if (spec.index?.mode !== 'hashed') {
      expect(features).toBe(model.stateIndex.size + model.edgeIndex.size);
    }
    for (const kind of kinds) {
      for (const [row, name] of notes.names[kind]) {
        const own = [...possible[kind].get(row)!];
        // Rows of a hashed index are shared; any other feature has one name.
        if (spec.index?.mode === 'hashed') expect(own).toContain(name);
        else expect(own).toEqual([name]);
      }
    }
  });

  it('count features and weights by template', () => {
    const { parameters } = model;
    const weights = Array.from(parameters.weights.state.view).filter(w => w !== 0).length;
    const summary = inspectModel({ model, notes, bytes: 1 });
    const total = (key: 'met' | 'kept' | 'weights', kind: 'state' | 'edge') =>
      notes.templates![kind].reduce((sum, size) => sum + size[key], 0);
    expect(total('weights', 'state')).toBe(weights);
    expect(summary.sizes.stateWeights).toBe(weights);
    expect(total('weights', 'edge')).toBe(summary.sizes.edgeWeights);
    expect(total('kept', 'state')).toBe(summary.sizes.stateFeatures);
    expect(total('kept', 'edge')).toBe(summary.sizes.edgeFeatures);
    for (const kind of kinds) {
      expect(total('met', kind)).toBeGreaterThanOrEqual(total('kept', kind));
      expect(notes.templates![kind]).toHaveLength(names.templates(kind).length);
      // The templates of these features begin with different texts.
      if (spec.index?.mode === 'hashed' || corpus === numbers) continue;
      for (const [number, template] of names.templates(kind).entries()) {
        const own = [...notes.names[kind].values()].filter(name =>
          name.startsWith(template.slice(0, 3)),
        );
        expect(notes.templates![kind][number]!.kept).toBe(own.length);
      }
    }
  });

  it('are the same from sentences that are read again, and a file that was written before', () => {
    expect(noted(learner, corpus, 'all', true)).toEqual(noted(learner, corpus, 'all'));
    expect(noted(learner, corpus, 2, true)).toEqual(noted(learner, corpus, 2));
  });

  it('name the strongest features of each label, and no others', () => {
    const few = readInspected(noted(learner, corpus, 2)).notes.names;
    const { labels, width } = model.parameters;
    const table = model.parameters.weights.state.view;
    const expected = new Set<number>();
    for (let y = 0; y < labels; y += 1) {
      const all = Array.from({ length: model.parameters.stateRows }, (_, row) => row)
        .filter(row => table[row * width + y] !== 0)
        .sort((a, b) => Math.abs(table[b * width + y]!) - Math.abs(table[a * width + y]!));
      for (const row of all.slice(0, 2)) expected.add(row);
    }
    expect([...few.state.keys()]).toEqual([...expected].sort((a, b) => a - b));
    for (const [row, name] of few.state) expect(name).toBe(notes.names.state.get(row));
    const none = readInspected(noted(learner, corpus, 0)).notes;
    expect([none.names.state.size, none.names.edge.size]).toEqual([0, 0]);
    expect(none.templates).toEqual(notes.templates);
  });

  it('change nothing of the weights', () => {
    const plain = readInspected(writeModel(learner));
    expect(plain.model.parameters.weights.state.view).toEqual(model.parameters.weights.state.view);
    expect(plain.notes).toEqual({ history: [], names: { state: new Map(), edge: new Map() } });
  });
});

describe('inspectModel', () => {
  const bytes = noted(train(words, { spec: { templates: lines } }), words, 'all');
  const inspected = readInspected(bytes);
  const { model } = inspected;

  it('ranks features and transitions by their weights', () => {
    const summary = inspectModel(inspected, { top: 3 });
    const table = model.parameters.weights.state.view;
    expect(summary.features.map(({ label }) => label)).toEqual([...model.labels.names]);
    for (const [y, { features }] of summary.features.entries()) {
      const column = Array.from({ length: model.stateIndex.size }, (_, row) => ({
        row,
        weight: table[row * model.parameters.width + y]!,
      }));
      column.sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
      expect(features.map(({ weight }) => weight)).toEqual(
        column.slice(0, 3).map(({ weight }) => weight),
      );
      for (const { name, row } of features) expect(name).toBe(inspected.notes.names.state.get(row));
    }
    const find = (name: string) => model.labels.find(name);
    expect(summary.transitions).toHaveLength(16);
    for (const { from, to, weight } of summary.transitions) {
      expect(weight).toBe(edgeWeight(model.parameters, 0, find(from), find(to)));
    }
    const sizes = summary.transitions.map(({ weight }) => Math.abs(weight));
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    expect(summary).toMatchObject({
      scheme: 'none',
      history: [{ pass: 1, loss: 0.5 }],
      hasTransitions: true,
      zeros: { transitions: 0 },
      sizes: { bytes: bytes.length, trainingSentences: 60, transitionWeights: 16 },
    });
  });

  it('ranks the weights of observed transitions', () => {
    for (const support of ['all', 'observed'] as const) {
      const learner = train(words, { spec: { templates: lines, support } });
      const read = readInspected(noted(learner, words, 'all'));
      const { parameters, labels, edgeIndex } = read.model;
      const all = Array.from({ length: edgeIndex.size }, (_, row) =>
        labels.names.flatMap((from, y) =>
          labels.names.map((to, z) => {
            const name = read.notes.names.edge.get(row);
            return { name, row, from, to, weight: edgeWeight(parameters, row + 1, y, z) };
          }),
        ),
      )
        .flat()
        .filter(({ weight }) => weight !== 0)
        .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
      expect(all.length).toBeGreaterThan(5);
      const shown = (options: object) => inspectModel(read, options).observedTransitions;
      expect(shown({ top: 5 })).toEqual(all.slice(0, 5));
      const own = all.filter(({ from, to }) => from === 'L1' || to === 'L1');
      expect(shown({ top: 4, label: 'L1' })).toEqual(own.slice(0, 4));
      expect(inspectModel(read, { top: all.length + 1 }).sizes.edgeWeights).toBe(all.length);
    }
    const plain = train(words, { spec: { templates: 'U0:%x[0,0]\nB' } });
    expect(inspectModel(readInspected(writeModel(plain)))).not.toHaveProperty(
      'observedTransitions',
    );
  });

  it('shows the weights of observed transitions after a step computed by hand', () => {
    const model = createModel({ templates: 'U:%x[0,0]\n*E:%x[0,0]' });
    const learner = createLearner(model, {
      loss: logLoss(),
      optimizer: sgd({ l2: 0 }),
      corpusSize: 1,
    });
    const sentence = {
      tokens: ['a', 'b'],
      tags: ['X', 'Y'],
      columns: {},
      document: {},
      part: { index: 0, count: 1, start: 0 },
    };
    learner.apply(learner.contribute(packMinibatch([model.encode(sentence)])));
    // All weights are 0, so each of the four pairs has probability 1/4: a step of 1 - 1/4 for X -> Y, of -1/4 for the others.
    const { observedTransitions: all = [] } = inspectModel(readInspected(writeModel(learner)));
    const steps = all.map(({ from, to, weight }) => [from + to, (0.75 * weight) / all[0]!.weight]);
    expect(Object.fromEntries(steps)).toEqual({
      ...{ XY: 0.75, XX: expect.closeTo(-0.25, 6) },
      ...{ YX: expect.closeTo(-0.25, 6), YY: expect.closeTo(-0.25, 6) },
    });
    expect(all[0]!.weight).toBeGreaterThan(0);
    expect(all[0]).toMatchObject({ from: 'X', to: 'Y' });
  });

  it('looks at one label, and finds features by name', () => {
    const summary = inspectModel(inspected, { top: 5, label: 'L1', match: /^(U0|\*1):w1$/ });
    expect(summary.features.map(({ label }) => label)).toEqual(['L1']);
    expect(summary.found!.map(({ name, kind }) => `${kind} ${name}`).sort()).toEqual([
      'edge *1:w1',
      'state *1:w1',
      'state U0:w1',
    ]);
    const word = summary.found!.find(({ name }) => name === 'U0:w1')!;
    const row = [...inspected.notes.names.state].find(([, name]) => name === 'U0:w1')![0];
    for (const { label, weight } of word.weights) {
      const y = model.labels.find(label);
      expect(weight).toBe(model.parameters.weights.state.view[row * model.parameters.width + y]);
    }
    expect(() => inspectModel(inspected, { label: 'L9' })).toThrow('the model has no label "L9"');
  });

  it('finds the same by an expression that would continue where it matched last', () => {
    const found = (match: RegExp) => inspectModel(inspected, { match }).found;
    expect(found(/w1/g)).toEqual(found(/w1/));
    expect(found(/w1/)!.length).toBeGreaterThan(2);
  });

  it('reports a template of word vectors as one, with its weights', () => {
    const spec = {
      templates: 'U0:%x[0,0]\nU1:%vector[0,0,v]\nU2:%vector[1,0,v]\nB',
      resources: wordVectors,
    };
    const learner = train(words, { spec });
    const summary = inspectModel(readInspected(noted(learner, words, 'all')));
    expect(summary.lists).toEqual([{ name: 'v', kind: 'vectors', size: 7 }]);
    expect(summary.templates.map(({ template, met }) => [template, met])).toEqual([
      ['U0:%x[0,0]', expect.any(Number)],
      ['U1:%vector[0,0,v]', 3],
      ['U2:%vector[1,0,v]', 3],
    ]);
    const names = summary.features.flatMap(({ features }) => features.map(({ name }) => name));
    expect(names).toContain('U1:%vector[0,0,v].1');
  });

  it('reports lists and the dictionary, without the lists themselves', () => {
    const cities = { text: 'New York\nRome', fold: false };
    const paths = { text: '0\tw1\tw2\n1\tw3', fold: false };
    const spec = {
      templates: 'U0:%x[0,0]\nU1:%gazetteer[0,0,cities]\nU2:%cluster[0,0,paths,1]',
      resources: { gazetteers: { cities }, clusters: { paths } },
      dictionary: { minCount: 2 },
    };
    const learner = train(words, { spec });
    const summary = inspectModel(readInspected(noted(learner, words, 'all')));
    expect(summary.lists).toEqual([
      { name: 'cities', kind: 'gazetteer', size: 2 },
      { name: 'paths', kind: 'clusters', size: 2 },
    ]);
    const counts = new Map<string, number>();
    for (const { tokens } of words) {
      for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
    }
    const frequent = [...counts.values()].filter(count => count >= 2).length;
    expect(summary.dictionary).toEqual({ words: frequent, minCount: 2 });
    expect(summary.spec).not.toHaveProperty('resources');
    expect(inspectModel(inspected)).toMatchObject({ lists: [] });
    expect(inspectModel(inspected)).not.toHaveProperty('dictionary');
  });

  it('refuses names and notes that do not fit together', () => {
    const contents = contentsOf(bytes);
    const broken = (header: object, text: string) => {
      const sections = {
        ...contents.sections,
        'names.rows': Uint32Array.of(1, 2),
        'names.text': new TextEncoder().encode(text),
      };
      const file = { header: { ...contents.header, ...header }, sections };
      return () => readInspected(joined(modelPieces(file)), 'some.model');
    };
    expect(broken({}, '["a","b"]')().notes.names.state.get(2)).toBe('b');
    for (const text of ['["a"]', '[1,2]', '{', '']) {
      expect(broken({}, text)).toThrow('its names do not match its features');
    }
    expect(broken({ notes: { history: [{ pass: 0 }] } }, '["a","b"]')).toThrow(
      expect.objectContaining({ code: 'model-damaged', place: { source: 'some.model' } }),
    );
  });
});
