import { describe, expect, it } from 'vitest';
import { joined } from '../../../src/engine/core/arrays.js';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import {
  previousLabelOf,
  splitOnPrevious,
} from '../../../src/engine/kernels/store/regression-tree.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import { Decoder } from '../../../src/engine/models/decoding/decoder.js';
import {
  contentsOf,
  modelPieces,
  readModel,
  writeModel,
} from '../../../src/engine/models/files/model-file.js';
import { readModelHeader } from '../../../src/engine/models/files/model-header.js';
import { readSections, writeSections } from '../../../src/engine/models/files/section-file.js';
import { explainSentence } from '../../../src/engine/models/inspection/explain.js';
import { inspectModel } from '../../../src/engine/models/inspection/inspect-model.js';
import { readInspected } from '../../../src/engine/models/inspection/read-inspected.js';
import { kernels } from '../../../src/engine/models/kernels.js';
import { settleCorpus } from '../../../src/engine/models/learning/settle-corpus.js';
import type { ModelSpec } from '../../../src/engine/models/model-spec.js';
import { Tagger } from '../../../src/engine/models/tagger.js';
import { lbfgs, treeBoosting } from '../../../src/engine/trainers/factories.js';
import { createLearner } from '../../../src/runtime/pipeline/learners/create-learner.js';
import { train } from '../../../src/runtime/pipeline/training/train.js';
import { difference } from '../../contracts/oracle/differences/difference.js';
import { Enumeration } from '../../contracts/oracle/enumeration.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { scoresOf } from '../../contracts/oracle/scores-of.js';
import { sentenceOf } from '../features/sentence-of.js';
import { modelWith } from './examples/model-with.js';

const random = new Random(41);
const word = () => ['ab', 'ba', 'ca', 'cb', 'aa', 'bc'][random.below(6)]!;
const records = Array.from({ length: 80 }, () => {
  const tokens = Array.from({ length: 1 + random.below(5) }, word);
  const tags = tokens.map((token, t) =>
    random.below(9) === 0 ? 'Z' : token[0] === 'a' && tokens[t - 1]?.[1] !== 'a' ? 'X' : 'Y',
  );
  return { tokens, tags };
});
const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nU2:%prefix[0,0,1]\nU3:%suffix[-1,0,1]\nB';

/** A learner that has grown some trees. */
function grown(spec: Partial<ModelSpec> = {}, previous = false) {
  const model = modelWith(kernels.simd64, { templates, scorer: 'trees', ...spec });
  const optimizer = treeBoosting({ leafTokens: 2, leaves: 8, previous });
  const learner = createLearner(model, { loss: logLoss, optimizer });
  const encoded = records.map(({ tokens, tags }) => model.encode(sentenceOf(tokens, { tags })));
  learner.begin(settleCorpus(model, encoded));
  for (let i = 0; i < 15; i += 1) learner.iterate();
  return learner;
}

const learner = grown();
const bytes = writeModel(learner);
const seeing = grown({}, true);
/** Kernels, with trees that see features alone, and those that see the label before. */
const rows = kernelRows.flatMap(row => [
  { ...row, bytes, trees: 'features' },
  { ...row, bytes: writeModel(seeing), trees: 'previous labels' },
]);
const sentences = Array.from({ length: 40 }, () =>
  sentenceOf(
    Array.from({ length: 1 + random.below(5) }, () => (random.below(9) === 0 ? 'new' : word())),
  ),
);

describe.each(rows)('a model of trees on $trees with the $name kernel', given => {
  const { kernel, tolerance } = given;
  const model = readModel(given.bytes, 'trees.model', kernel);

  it('decodes what its trees say of all sequences: best, marginals, probability, n-best', () => {
    const batch = packMinibatch(sentences.map(sentence => model.encodeKnown(sentence)));
    const asked = { marginals: true, probability: true, nbest: 3 };
    const decoded = new Decoder(kernel).decode(model.parameters, batch, asked);
    for (const [s, sentence] of batch.sentences.entries()) {
      const all = new Enumeration(scoresOf(model.parameters, sentence));
      const [first, end] = [batch.sentenceStarts[s]!, batch.sentenceStarts[s + 1]!];
      if (all.margin > 1e-4) {
        expect([...decoded.labels.subarray(first, end)]).toEqual(all.best);
      }
      const chosen = [...decoded.labels.subarray(first, end)].map((y, t) => all.nodes[t]![y]!);
      expect(difference(decoded.marginals!.subarray(first, end), chosen)).toBeLessThan(1e-4);
      const best = all.ranked.slice(0, 3).map(({ score }) => Math.exp(score - all.logZ));
      const found = decoded.nbest![s]!.map(({ probability }) => probability);
      expect(difference(found, best)).toBeLessThan(Math.max(1e-4, tolerance));
    }
  });

  it('conditions its distribution on constraints', () => {
    for (const sentence of sentences.slice(0, 15)) {
      const encoded = model.encodeKnown(sentence);
      const all = new Enumeration(scoresOf(model.parameters, encoded));
      const other = all.best[0] === 0 ? 1 : 0;
      const best = all.ranked.find(({ path }) => path[0] === other)!;
      const constrained = { ...sentence, constraints: { 0: [model.labels.name(other)] } };
      const batch = packMinibatch([model.encodeKnown(constrained)]);
      const { labels } = new Decoder(kernel, model).decode(model.parameters, batch, {});
      expect(all.pathScore(labels)).toBeCloseTo(best.score, 4);
    }
  });

  it('is explained by its trees and transitions, up to the whole difference', () => {
    let named = 0;
    for (const sentence of sentences) {
      const explained = explainSentence(model, sentence);
      const all = new Enumeration(scoresOf(model.parameters, model.encodeKnown(sentence)));
      const path = explained.map(({ tag }) => model.labels.find(tag));
      for (const [t, { runnerUp, difference: found, contributions }] of explained.entries()) {
        const others = path.with(t, model.labels.find(runnerUp!.tag));
        expect(found).toBeCloseTo(all.pathScore(path) - all.pathScore(others), 4);
        if (contributions.some(({ kind, name }) => kind === 'trees' && / & /.test(name)))
          named += 1;
      }
    }
    expect(named).toBeGreaterThan(10);
  });
});

describe('the file of a model of trees', () => {
  it.each([
    ['features', learner],
    ['the label before too', seeing],
  ])('gives the tags of the model in memory, from the splits of trees on %s', (_, learner) => {
    const bytes = writeModel(learner);
    const read = readModel(bytes, 'trees.model', kernels.simd64);
    const { model } = learner;
    const deployed = learner.deployedParameters();
    for (const sentence of sentences) {
      const ours = packMinibatch([model.encodeKnown(sentence)]);
      const own = new Decoder(kernels.simd64).decode(deployed, ours, { probability: true });
      const theirs = packMinibatch([read.encodeKnown(sentence)]);
      const other = new Decoder(kernels.simd64).decode(read.parameters, theirs, {
        probability: true,
      });
      expect(other.labels).toEqual(own.labels);
      expect(difference(other.probabilities!, own.probabilities!)).toBeLessThan(1e-12);
    }
    const splitting = new Set(read.parameters.forest!.trees.flatMap(({ nodes }) => [...nodes]));
    const labels = [...splitting].filter(node => previousLabelOf(node) >= 0).length;
    expect(labels > 0).toBe(learner === seeing);
    expect(readModelHeader(bytes).stateFeatures).toBe(splitting.size - 1 - labels);
    expect(read.stateIndex.size).toBeLessThan(model.stateIndex.size);
  });

  it('has format version 4, and the same bytes when its contents are written again', () => {
    expect(() => readSections(bytes, 3, 'm')).toThrow(
      expect.objectContaining({ code: 'model-version' }),
    );
    expect(joined(modelPieces(contentsOf(bytes)))).toEqual(bytes);
    expect(writeModel(grown())).toEqual(bytes);
  });

  it('holds trees over hashed rows, and over features of observed pairs', () => {
    const hashed = { mode: 'hashed', rows: 64, edgeRows: 1 } as const;
    for (const spec of [{ index: hashed }, { support: 'observed' as const }]) {
      const other = grown(spec);
      const tagger = Tagger.fromBytes(writeModel(other), { source: 'other.model' });
      const deployed = other.deployedParameters();
      for (const { tokens } of sentences) {
        const batch = packMinibatch([other.model.encodeKnown(sentenceOf(tokens))]);
        const { labels } = new Decoder(kernels.simd64).decode(deployed, batch, {});
        expect(tagger.tag(tokens)).toEqual(Array.from(labels, y => other.model.labels.name(y)));
      }
    }
  });

  it('is refused where its trees are none', () => {
    const file = readSections(bytes, 4, 'm');
    const { header } = file;
    const { sections } = contentsOf(bytes);
    const { sections: _, ...rest } = header as Record<string, unknown>;
    const written = (change: Record<string, unknown>) =>
      joined(writeSections(4, rest, { ...sections, ...change } as never));
    expect(Tagger.fromBytes(written({}), { source: 'm' }).tag(['ab'])).toHaveLength(1);
    const wrong = [
      { 'trees.nodes': Uint32Array.of(1, 0) },
      { 'trees.nodes': (sections['trees.nodes'] as Uint32Array).map(node => node * 1000) },
      {
        'trees.nodes': (sections['trees.nodes'] as Uint32Array).map(
          node => node && splitOnPrevious(3),
        ),
      },
      { 'trees.labels': (sections['trees.labels'] as Uint16Array).map(() => 77) },
      { 'trees.values': (sections['trees.values'] as Float32Array).map(() => Number.NaN) },
      { 'trees.starts': new Uint32Array(0) },
    ];
    for (const change of wrong) {
      expect(() => readModel(written(change), 'm')).toThrow(
        expect.objectContaining({ code: 'model-damaged' }),
      );
    }
  });
});

describe('trees from code', () => {
  it('may see the label before, by name, in train and in what inspect says', async () => {
    // Only the label before says which of two labels a token has.
    const corpus = Array.from({ length: 60 }, () => {
      const tokens = Array.from({ length: 6 }, () => 'ab'[random.below(2)]!);
      let state = 'X';
      const tags = tokens.map((token, t) => {
        if (t > 0 && token === 'b') state = state === 'X' ? 'Y' : 'X';
        return state;
      });
      return { tokens, tags };
    });
    const request = { corpus, features: { templates: 'U0:%x[0,0]\nB' }, heldOut: corpus, seed: 3 };
    const options = { leafTokens: 2, sample: 1 };
    const accuracyOf = async (previous: boolean) => {
      const trainer = { trees: { ...options, previous } };
      const result = await train({ ...request, scorer: 'trees', trainer, epochs: 25 });
      return { accuracy: result.scores!.accuracy, result };
    };
    const without = await accuracyOf(false);
    const { accuracy, result } = await accuracyOf(true);
    expect(without.accuracy).toBeLessThan(80);
    expect(accuracy).toBe(100);
    const { trees } = inspectModel(readInspected(result.bytes), { top: 9 });
    expect(trees!.splits.map(({ name }) => name)).toContain('previous label X');
  });

  it('are trained, tagged with and looked at by names', async () => {
    const heldOut = records.slice(60);
    const result = await train({
      ...{ corpus: records.slice(0, 60), scorer: 'trees', features: { templates } },
      ...{ trainer: { trees: { leafTokens: 2 } }, epochs: 30, heldOut, patience: 8 },
    });
    expect(result.bestPass).toBeLessThan(31);
    expect(result.scores!.accuracy).toBeGreaterThan(70);
    const { trees, spec } = inspectModel(readInspected(result.bytes), { top: 3 });
    expect(spec.scorer).toBe('trees');
    expect(trees!.trees).toBe(result.bestPass);
    expect(trees!.splits).toHaveLength(3);
    expect(trees!.splits[0]!.name).toMatch(/^U\d:/);
    expect(trees!.first[0]!.feature!.name).toMatch(/^U\d:/);
    const leaves = trees!.first.filter(({ values }) => values !== undefined);
    expect(leaves.length).toBe(1 + trees!.first.length - leaves.length);
  });

  it('refuse what they do not go with', async () => {
    const request = { corpus: records, features: { templates }, epochs: 2 };
    const error = (fix: RegExp) =>
      expect.objectContaining({ code: 'config', fix: expect.stringMatching(fix) });
    await expect(train({ ...request, trainer: { trees: {} } })).rejects.toThrow(
      error(/scorer trees/),
    );
    await expect(train({ ...request, scorer: 'trees', trainer: { lbfgs: {} } })).rejects.toThrow(
      error(/the optimizer trees/),
    );
    await expect(train({ ...request, scorer: 'trees', compact: true })).rejects.toThrow(
      error(/leave/),
    );
    await expect(train({ ...request, scorer: 'trees', threshold: { below: 0.1 } })).rejects.toThrow(
      error(/leaves/),
    );
    const model = modelWith(kernels.simd64, { templates, scorer: 'trees' });
    expect(() => createLearner(model, { loss: logLoss, optimizer: lbfgs() })).toThrow(
      error(/switch/),
    );
  });
});
