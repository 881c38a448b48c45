import { describe, expect, it } from 'vitest';
import type { EncodedSentence } from '../../../../src/engine/core/minibatch/encoded-sentence.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { defaultKernel } from '../../../../src/engine/models/kernels.js';
import { settleCorpus } from '../../../../src/engine/models/learning/settle-corpus.js';
import type { Model } from '../../../../src/engine/models/model.js';
import type { ModelSpec } from '../../../../src/engine/models/model-spec.js';
import { labelInformation } from '../../../../src/engine/models/selection/select-features.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { modelWith } from '../examples/model-with.js';
import { syntheticCorpus } from '../examples/synthetic-corpus.js';

const templates = 'U0:%x[0,0]\nU1:%x[-1,0]/%x[0,0]\nB\nB0:%x[0,0]';
const corpus = syntheticCorpus(new Random(8), 30);

function encode(sentences: readonly Sentence[], spec: Partial<ModelSpec> = {}) {
  const model = modelWith(defaultKernel, { templates, ...spec });
  const encoded = sentences.map(sentence => model.encode(sentence));
  return { model, encoded };
}

/**
 * H(y) - H(y | f) in nats, token by token from the words themselves: of the feature "the word is w", and of
 * "the word is w and the one before is v".
 */
function plainInformation(isActive: (sentence: Sentence, t: number) => boolean): number {
  const tokens = corpus.flatMap(sentence =>
    sentence.tokens.map((_, t) => ({ f: isActive(sentence, t), y: sentence.tags![t]! })),
  );
  const entropy = (some: readonly { y: string }[]) => {
    const labels = [...new Set(some.map(({ y }) => y))];
    const shares = labels.map(y => some.filter(token => token.y === y).length / some.length);
    return -shares.reduce((sum, p) => sum + p * Math.log(p), 0);
  };
  const conditional = [true, false]
    .map(value => tokens.filter(({ f }) => f === value))
    .reduce((sum, some) => sum + (some.length / tokens.length) * entropy(some), 0);
  return entropy(tokens) - conditional;
}

function informationIn({ model, encoded }: { model: Model; encoded: readonly EncodedSentence[] }) {
  const labels = model.labels.size;
  return {
    state: labelInformation(encoded, 'state', { rows: model.stateIndex.size, labels }),
    edges: labelInformation(encoded, 'edge', { rows: model.edgeIndex.size + 1, labels }),
  };
}

describe('the information of a feature about the label', () => {
  const made = encode(corpus);
  const { state, edges } = informationIn(made);

  it('is the entropy of the label less what is left of it', () => {
    let checked = 0;
    for (const [s, sentence] of corpus.entries()) {
      const { stateStarts, stateRows, edgeStarts, edgeRows } = made.encoded[s]!;
      for (const [t, word] of sentence.tokens.entries()) {
        const plain = plainInformation((other, i) => other.tokens[i] === word);
        const before = sentence.tokens[t - 1];
        const pair = plainInformation(
          (other, i) => other.tokens[i] === word && other.tokens[i - 1] === before,
        );
        const [first, second] = stateRows.subarray(stateStarts[t]!, stateStarts[t + 1]!);
        expect(Math.abs(state[first!]! - plain)).toBeLessThan(1e-12);
        expect(Math.abs(state[second!]! - pair)).toBeLessThan(1e-12);
        const edge = edgeRows![edgeStarts![t]!];
        if (edge !== undefined) expect(Math.abs(edges[edge]! - plain)).toBeLessThan(1e-12);
        checked += 1;
        if (checked > 60) return;
      }
    }
  });

  it('counts a sentence of weight 2 twice, and one that is labelled in part where it is certain', () => {
    const [first, ...rest] = corpus;
    const twice = informationIn(encode([first!, ...rest, first!]));
    const heavy = informationIn(encode([{ ...first!, weight: 2 }, ...rest]));
    for (const [row, value] of twice.state.entries()) {
      expect(Math.abs(heavy.state[row]! - value)).toBeLessThan(1e-12);
    }
    const { tags, ...unlabelled } = first!;
    const partial = { ...unlabelled, partialTags: tags!.map(tag => [tag]) };
    expect(informationIn(encode([partial as never, ...rest])).state).toEqual(state);
  });
});

describe('a model whose features are selected', () => {
  const settle = (information: object, more: Partial<ModelSpec> = {}) => {
    const index = { mode: 'exact', cutoff: 1, information } as const;
    const { model, encoded } = encode(corpus, { index, ...more });
    return { model, settled: settleCorpus(model, encoded) };
  };
  const whole = encode(corpus);
  const { state, edges } = informationIn(whole);
  const all = [...state, ...edges.subarray(1)].sort((a, b) => b - a);

  it.each(['all', 'observed'] as const)('keeps so many, the best (support %s)', support => {
    const { model, settled } = settle({ keep: 12 }, { support });
    expect(model.stateIndex.size + model.edgeIndex.size).toBe(12);
    const kept = informationIn({ model, encoded: settled });
    const values = [...kept.state, ...kept.edges.subarray(1)].sort((a, b) => b - a);
    for (const [i, value] of values.entries()) expect(value).toBeCloseTo(all[i]!, 12);
    // What is encoded anew has the same rows.
    for (const [s, sentence] of corpus.entries()) {
      const again = model.encodeKnown(sentence);
      expect(again.stateRows).toEqual(settled[s]!.stateRows);
      expect(again.stateStarts).toEqual(settled[s]!.stateStarts);
      expect(again.edgeRows).toEqual(settled[s]!.edgeRows);
    }
    model.reserve();
    expect(model.parameters.stateRows).toBe(model.stateIndex.size);
  });

  it('keeps what says as much as asked', () => {
    const least = all[20]!;
    const { model } = settle({ least });
    const enough = all.filter(value => value >= least).length;
    expect(model.stateIndex.size + model.edgeIndex.size).toBe(enough);
    expect(enough).toBeGreaterThanOrEqual(21);
  });

  it('keeps real values with their features', () => {
    const sentences = ['a', 'b', 'a', 'c'].map((word, i) =>
      sentenceOf([word, 'z'], { tags: [word, 'Z'], columns: { n: [i + 0.5, 2 * i] } }),
    );
    const { model, encoded } = encode(sentences, {
      templates: 'U0:%x[0,0]\nU1:%v[0,n]',
      columns: ['form', 'n'],
      index: { mode: 'exact', cutoff: 1, information: { keep: 3 } },
    });
    const settled = settleCorpus(model, encoded);
    for (const [s, sentence] of sentences.entries()) {
      const { stateRows, stateValues } = model.encodeKnown(sentence);
      expect(settled[s]!.stateRows).toEqual(stateRows);
      const values = settled[s]!.stateValues ?? stateRows.map(() => 1);
      expect(Array.from(values)).toEqual(Array.from(stateValues ?? stateRows.map(() => 1)));
    }
  });

  it('does not select again when it resumes from a checkpoint', () => {
    const { model, settled } = settle({ keep: 12 });
    const again = settleCorpus(model, settled.slice(0, 3));
    expect(again).toEqual(settled.slice(0, 3));
    expect(model.stateIndex.size + model.edgeIndex.size).toBe(12);
  });
});
