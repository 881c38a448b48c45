import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { defaultSegmentFeatures } from '../../../../src/engine/features/segments/segment-feature.js';
import { scoreBatch } from '../../../../src/engine/inference/score-batch.js';
import { segmentKernel } from '../../../../src/engine/inference/structures/segments-structure.js';
import { Lattice } from '../../../../src/engine/kernels/lattice.js';
import { contributionOf } from '../../../../src/engine/losses/contribution-of.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import { softmaxMarginLoss } from '../../../../src/engine/losses/softmax-margin.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import type { Model } from '../../../../src/engine/models/model.js';
import { spansOf } from '../../../../src/engine/text/tags/spans.js';

const names = ['O', 'B-X', 'I-X', 'B-Y', 'I-Y'];
const words = ['a', 'B', 'cc', 'Dd', '9'];
const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nB1:%x[0,0]\nB';
const none = { columns: {}, document: {}, part: { index: 0, count: 1, start: 0 } };

function sentenceOf(random: Random, partial: boolean): Sentence {
  const length = 1 + random.below(6);
  const draw = (from: readonly string[]) => from[random.below(from.length)]!;
  const tokens = Array.from({ length }, () => draw(words));
  if (!partial) return { ...none, tokens, tags: tokens.map(() => draw(names)) };
  const partialTags = tokens.map(() => (random.below(2) === 0 ? null : [draw(names), draw(names)]));
  return { ...none, tokens, partialTags };
}

/** A model that knows all labels, so that rows are not laid out anew. */
function smallModel(
  kernel: (typeof kernels)[keyof typeof kernels],
  more: readonly string[] = [],
): Model {
  const features = [...defaultSegmentFeatures, 'text', 'type', ...more];
  const segments = { maxLength: 2, features };
  const model = createModel({ templates, segments }, undefined, kernel);
  model.encode({ ...none, tokens: names.map(() => 'a'), tags: names });
  return model;
}

function drawWeights(random: Random, { parameters }: Model): void {
  const { width, labels, labelCapacity, stateRows, edgeRows, weights } = parameters;
  for (let row = 0; row < stateRows; row += 1) {
    for (let y = 0; y < labels; y += 1)
      weights.state.view[row * width + y] = random.uniform() - 0.5;
  }
  for (let row = 0; row < edgeRows * labelCapacity; row += 1) {
    if (row % labelCapacity >= labels) continue;
    for (let y = 0; y < labels; y += 1)
      weights.edges.view[row * width + y] = random.uniform() - 0.5;
  }
}

describe.each(['simd64', 'reference'] as const)('gradients of segments (%s)', name => {
  const kernel = kernels[name];
  const pairs = ['B:length', 'B:first', 'B:text'];
  for (const [what, loss, partial, more] of [
    ['log', logLoss, false, []],
    ['softmax-margin', softmaxMarginLoss, false, []],
    ['log, partly labelled', logLoss, true, []],
    ['log, labels before spans', logLoss, false, pairs],
    ['softmax-margin, labels before spans', softmaxMarginLoss, false, pairs],
    ['log, labels before spans, partly labelled', logLoss, true, pairs],
  ] as const) {
    it(`are those of finite differences: ${what}`, () => {
      const random = new Random(3);
      const model = smallModel(kernel, more);
      const sentences = Array.from({ length: 3 }, () => sentenceOf(random, partial));
      const encoded = sentences.map(sentence => ({ ...model.encode(sentence), weight: 1.5 }));
      model.reserve();
      const { parameters } = model;
      drawWeights(random, model);
      const batch = packMinibatch(encoded);
      const lattice = new Lattice(parameters.memory, parameters.precision);
      const lossAt = () => contributionOf(kernel, parameters, lattice, batch, loss).loss;
      const plane = parameters.addPlane();
      const made = contributionOf(kernel, parameters, lattice, batch, loss);
      for (let s = 0; s < 3; s += 1) kernel.accumulate(parameters, plane, made, s, 1);
      const step = 1e-5;
      let looked = 0;
      for (const table of ['state', 'edges'] as const) {
        const view = parameters.weights[table].view;
        for (let i = random.below(3); i < view.length; i += 1 + random.below(5)) {
          // Lanes past the last label stay zero.
          if (i % parameters.width >= parameters.labels) continue;
          const own = view[i]!;
          view[i] = own + step;
          const above = lossAt();
          view[i] = own - step;
          const below = lossAt();
          view[i] = own;
          const slope = (above - below) / (2 * step);
          expect(Math.abs(slope - plane[table].view[i]!)).toBeLessThan(1e-6);
          if (slope !== 0) looked += 1;
        }
      }
      expect(looked).toBeGreaterThan(50);
    });
  }

  it('are of a score that sums the features of tokens, pairs, spans and spans with the label before', () => {
    const random = new Random(5);
    const model = smallModel(kernel, pairs);
    let looked = 0;
    const sentences = Array.from({ length: 4 }, () => sentenceOf(random, false));
    const encoded = sentences.map(sentence => model.encode(sentence));
    model.reserve();
    drawWeights(random, model);
    const { parameters } = model;
    const lattice = new Lattice(parameters.memory, parameters.precision);
    const batch = packMinibatch(encoded);
    scoreBatch(kernel, parameters, lattice, batch);
    const state = parameters.weights.state.view;
    const edges = parameters.weights.edges.view;
    for (const [
      s,
      { gold, stateStarts, stateRows, edgeStarts, edgeRows, length },
    ] of encoded.entries()) {
      const path = new Int32Array(batch.tokens);
      path.set(gold!, batch.sentenceStarts[s]!);
      const found = segmentKernel(kernel).pathScore(lattice, s, path);
      let score = 0;
      const add = (position: number, label: number) => {
        for (let k = stateStarts[position]!; k < stateStarts[position + 1]!; k += 1) {
          score += state[stateRows[k]! * parameters.width + label]!;
        }
      };
      for (let t = 0; t < length; t += 1) {
        add(t, gold![t]!);
        if (t === 0) continue;
        const pair = gold![t - 1]! * parameters.width + gold![t]!;
        score += edges[pair]!;
        for (let k = edgeStarts![t]!; k < edgeStarts![t + 1]!; k += 1) {
          score += edges[edgeRows![k]! * parameters.matrixSize + pair]!;
        }
      }
      for (const { label, start, end } of spansOf(sentences[s]!.tags!)) {
        const slot = Math.min(end - start, 3) - 1;
        const candidate = length + (end - 1) * 3 + slot;
        const lane = names.indexOf(`B-${label}`);
        add(candidate, lane);
        for (let k = edgeStarts![candidate]!; k < edgeStarts![candidate + 1]!; k += 1) {
          if (start === 0) continue;
          const pair = gold![start - 1]! * parameters.width + lane;
          score += edges[edgeRows![k]! * parameters.matrixSize + pair]!;
          looked += 1;
        }
      }
      expect(Math.abs(score - found)).toBeLessThan(1e-10);
    }
    expect(looked).toBeGreaterThan(5);
  });
});
