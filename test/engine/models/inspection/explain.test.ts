import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { referenceKernel } from '../../../../src/engine/kernels/reference/reference-kernel.js';
import { readModel, writeModel } from '../../../../src/engine/models/files/model-file.js';
import { edgeWeight } from '../../../../src/engine/models/inspection/edge-weight.js';
import { explainSentence } from '../../../../src/engine/models/inspection/explain.js';
import type { Model } from '../../../../src/engine/models/model.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { difference } from '../../../contracts/oracle/differences/difference.js';
import { Enumeration } from '../../../contracts/oracle/enumeration.js';
import { kernelRows } from '../../../contracts/oracle/kernels/kernels.js';
import { scoresOf } from '../../../contracts/oracle/scores-of.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { smallCorpus } from '../../optimizers/small-corpus.js';
import { syntheticCorpus } from '../examples/synthetic-corpus.js';
import { train } from '../examples/train.js';

const corpus = syntheticCorpus(new Random(51), 80, { labels: 3, longest: 6 });
const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nB\n*0:%x[0,0]';
const bytes = writeModel(train(corpus, { spec: { templates } }));

/** Score of a label sequence in float64, from the weights and the encoded sentence alone. */
function scoreOf(model: Model, sentence: Sentence, tags: readonly string[]): number {
  const { parameters } = model;
  const encoded = model.encodeKnown(sentence);
  const labels = tags.map(tag => model.labels.find(tag));
  const weights = parameters.weights.state.view;
  let score = 0;
  for (const [t, y] of labels.entries()) {
    for (let k = encoded.stateStarts[t]!; k < encoded.stateStarts[t + 1]!; k += 1) {
      const weight = weights[encoded.stateRows[k]! * parameters.width + y]!;
      score += parameters.scale * weight * (encoded.stateValues?.[k] ?? 1);
    }
    if (t === 0) continue;
    score += edgeWeight(parameters, 0, labels[t - 1]!, y);
    for (let k = encoded.edgeStarts?.[t] ?? 0; k < (encoded.edgeStarts?.[t + 1] ?? 0); k += 1) {
      const weight = edgeWeight(parameters, encoded.edgeRows![k]!, labels[t - 1]!, y);
      score += weight * (encoded.edgeValues?.[k] ?? 1);
    }
  }
  return score;
}

/** Compares the explanations of a sentence with scores of whole sequences; how many had a runner-up. */
function checkSums(model: Model, sentence: Sentence): number {
  const explained = explainSentence(model, sentence);
  const tags = explained.map(({ tag }) => tag);
  const score = scoreOf(model, sentence, tags);
  for (const [t, { runnerUp, difference, contributions }] of explained.entries()) {
    const other = scoreOf(model, sentence, tags.with(t, runnerUp!.tag));
    const sum = contributions.reduce((before, { amount }) => before + amount, 0);
    expect(Math.abs(sum - (score - other))).toBeLessThan(1e-9);
    expect(difference).toBe(sum);
    const sizes = contributions.map(({ amount }) => Math.abs(amount));
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    for (const { value, chosen, runnerUp, amount } of contributions) {
      expect(amount).toBe(value * (chosen - runnerUp));
    }
  }
  return explained.length;
}

describe('explainSentence', () => {
  it.each(kernelRows)(
    'sums to the difference in score, with the best tags and their probabilities: $name',
    { tags: 'slow' },
    ({ kernel, tolerance }) => {
      const model = readModel(bytes, 'own.model', kernel);
      for (const { tokens } of corpus.slice(0, 30)) {
        const sentence = sentenceOf(tokens);
        const chain = new Enumeration(scoresOf(model.parameters, model.encodeKnown(sentence)));
        for (const [t, explained] of explainSentence(model, sentence).entries()) {
          const best = chain.best[t]!;
          const nodes = chain.nodes[t]!;
          const others = nodes.map((p, y) => (y === best ? -1 : p));
          expect(explained.tag).toBe(model.labels.name(best));
          expect(explained.runnerUp!.tag).toBe(
            model.labels.name(others.indexOf(Math.max(...others))),
          );
          const found = [explained.probability, explained.runnerUp!.probability];
          expect(difference(found, [nodes[best]!, Math.max(...others)])).toBeLessThan(tolerance);
        }
        checkSums(model, sentence);
      }
    },
  );

  it.each(['all', 'observed'] as const)(
    'does so while a model is trained, scaled, of numbers, of hashed rows: %s',
    support => {
      const numbers = smallCorpus(new Random(2), 40);
      const spec = {
        templates: 'U0:%x[0,0]\nU1:%v[0,n]\nB\nB1:%v[0,n]/%x[0,0]',
        columns: ['form', 'n'],
        support,
      };
      let checked = 0;
      for (const more of [{}, { index: { mode: 'hashed', rows: 32, edgeRows: 8 } as const }]) {
        const { model } = train(numbers, {
          spec: { ...spec, ...more },
          options: { l2: 1, eta0: 0.3 },
          kernel: referenceKernel,
        });
        expect(model.parameters.scale).not.toBe(1);
        for (const sentence of numbers) checked += checkSums(model, sentence);
      }
      expect(checked).toBeGreaterThan(150);
    },
  );

  it('names features, and the neighbours that transitions come from and lead to', () => {
    const [first, second, third] = new Tagger(readModel(bytes)).explain(['w0', 'w3', 'w5']);
    const kinds = (contributions = second!.contributions) =>
      contributions.map(({ kind, name }) => `${kind} ${name}`).sort();
    expect(kinds()).toEqual(
      [
        'feature U0:w3',
        'feature U1:w0',
        'feature *0:w3',
        `in ${first!.tag}`,
        'feature-in *0:w3',
        `out ${third!.tag}`,
        'feature-out *0:w5',
      ].sort(),
    );
    expect(kinds(first!.contributions)).toContain('feature U1:_B-1');
    expect(kinds(first!.contributions).filter(kind => /^(feature-)?in /.test(kind))).toEqual([]);
    expect(kinds(third!.contributions).filter(kind => /^(feature-)?out /.test(kind))).toEqual([]);
  });

  it('has a runner-up where its probability is too small for a number', () => {
    const sure = sentenceOf(['a', 'b'], { tags: ['X', 'Y'] });
    const { model } = train([sure], {
      spec: { templates: 'U0:%x[0,0]' },
      passes: 1,
    });
    const rows = model.parameters.weights.state.view;
    rows.forEach((weight, i) => {
      rows[i] = weight * 1e4;
    });
    const [first] = explainSentence(model, sure);
    expect(first).toMatchObject({
      tag: 'X',
      probability: 1,
      runnerUp: { tag: 'Y', probability: 0 },
    });
    expect(first!.difference).toBeGreaterThan(900);
  });

  it('has none where there is one label only', () => {
    const { model } = train([sentenceOf(['a'], { tags: ['X'] })], {
      spec: { templates: 'U0:%x[0,0]' },
    });
    expect(explainSentence(model, sentenceOf(['a']))).toEqual([
      { token: 'a', tag: 'X', probability: 1, contributions: [] },
    ]);
  });

  it('knows what gives way: a dictionary that leaves no tags', () => {
    const sentences = [
      sentenceOf(['New', 'York'], { tags: ['B-LOC', 'I-LOC'] }),
      sentenceOf(['in', 'York'], { tags: ['O', 'I-LOC'] }),
      sentenceOf(['in', 'Rome'], { tags: ['O', 'B-LOC'] }),
      sentenceOf(['in', 'it'], { tags: ['O', 'O'] }),
    ];
    const spec = { templates: 'U0:%x[0,0]\nB', dictionary: { minCount: 2 } };
    const model = readModel(writeModel(train(sentences, { spec, passes: 20 })));
    // A sentence cannot begin with I-LOC, all that the dictionary has for York.
    const york = sentenceOf(['York', 'it']);
    const explained = explainSentence(model, york);
    const tagger = new Tagger(model);
    const { tags, marginals } = tagger.analyze(york.tokens, {}, { marginals: true });
    expect(explained.map(({ tag }) => tag)).toEqual(tags);
    expect(tags[0]).not.toBe('I-LOC');
    expect(
      difference(
        explained.map(({ probability }) => probability),
        Array.from(marginals!),
      ),
    ).toBeLessThan(1e-6);
    expect(checkSums(model, york)).toBe(2);
  });

  it('explains nothing of no tokens, and refuses columns of another length', () => {
    const tagger = new Tagger(readModel(bytes));
    expect(tagger.explain([])).toEqual([]);
    expect(() => tagger.explain(['a'], { pos: ['N', 'V'] })).toThrow('1 token but 2 values');
  });
});
