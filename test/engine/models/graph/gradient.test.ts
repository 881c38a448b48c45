import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import type { GraphSpec } from '../../../../src/engine/features/links/link-feature.js';
import { Lattice } from '../../../../src/engine/kernels/lattice.js';
import { contributionOf } from '../../../../src/engine/losses/contribution-of.js';
import { hingeLoss } from '../../../../src/engine/losses/hinge-loss.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import type { Loss } from '../../../../src/engine/losses/loss.js';
import { softmaxMarginLoss } from '../../../../src/engine/losses/softmax-margin.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { Decoder } from '../../../../src/engine/models/decoding/decoder.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import { settleCorpus } from '../../../../src/engine/models/learning/settle-corpus.js';
import type { Model } from '../../../../src/engine/models/model.js';
import { everyNth } from '../../../house/long-forms.js';

const names = ['X', 'Y', 'Z'];
const words = ['a', 'B', 'Cc', 'd'];
const free: GraphSpec = {
  sameWord: { of: 'capitalised', column: 'form', perToken: 2 },
  ...{ potentials: 'free', maxWidth: 3, schedule: 'residual' },
};
const chain = 'U0:%x[0,0]\nU1:%x[-1,0]\nB1:%x[0,0]\nB';
const nodes = 'U0:%x[0,0]\nU1:%x[-1,0]';

function sentenceOf(random: Random, partial: boolean, triples: boolean): Sentence {
  const length = 2 + random.below(4);
  const draw = (from: readonly string[]) => from[random.below(from.length)]!;
  const tokens = Array.from({ length }, () => draw(words));
  const links: unknown[] = [[length - 1, 0, 'ends']];
  if (length > 2) links.push([0, 2]);
  if (triples && length > 2) links.unshift([1, length - 1, 0, 'triple']);
  if (triples && length > 3) links.push([3, 0, 2, 1]);
  const own = { columns: {}, tokens, document: { tokens, links } };
  const part = { index: 0, count: 1, start: 0 };
  if (!partial) return { ...own, part, tags: tokens.map(() => draw(names)) };
  const partialTags = tokens.map(() => (random.below(2) === 0 ? null : [draw(names), draw(names)]));
  return { ...own, part, partialTags };
}

function drawn(
  random: Random,
  templates: string,
  graph: GraphSpec,
  partial: boolean,
  triples = false,
) {
  const model = createModel({ templates, graph }, undefined, kernels.simd64);
  const sentences = Array.from({ length: 4 }, (_, i) =>
    sentenceOf(random, partial && i > 0, triples),
  );
  for (const name of names) model.labels.intern(name);
  const collected = sentences.map(sentence => model.encode(sentence));
  if (triples) settleCorpus(model, collected);
  const encoded = sentences.map(sentence => ({
    ...(triples ? model.encodeKnown(sentence) : model.encode(sentence)),
    weight: 1.5,
  }));
  model.reserve();
  const { width, labels, labelCapacity, stateRows, edgeRows, weights } = model.parameters;
  const draw = (table: { view: ArrayLike<number> & { [i: number]: number } }, row: number) => {
    for (let y = 0; y < labels; y += 1) table.view[row * width + y] = random.uniform() - 0.5;
  };
  for (let row = 0; row < stateRows; row += 1) draw(weights.state, row);
  // Without transitions block 0 stays zero.
  const firstRow = templates === nodes ? labelCapacity : 0;
  for (let row = firstRow; row < edgeRows * labelCapacity; row += 1) {
    if (row % labelCapacity < labels) draw(weights.edges, row);
  }
  return { model, sentences, batch: packMinibatch(encoded) };
}

/** The score of labels, by its definition. */
function scoreOf(model: Model, { links, ...encoded }: ReturnType<Model['encode']>, path: number[]) {
  const { stateStarts, stateRows, edgeStarts, edgeRows, length } = encoded;
  const { width, matrixSize, weights, layout } = model.parameters;
  let score = 0;
  const addSquares = (position: number, from: number, to: number) => {
    for (let k = edgeStarts![position]!; k < edgeStarts![position + 1]!; k += 1) {
      const weight = weights.edges.view[edgeRows![k]! * matrixSize + from * width + to]!;
      if (!layout.graph!.associative) score += weight;
      else if (from === to) score += Math.max(0, weight);
    }
  };
  for (let t = 0; t < length; t += 1) {
    for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
      score += weights.state.view[stateRows[k]! * width + path[t]!]!;
    }
    if (t === 0 || !layout.graph!.chained) continue;
    score += weights.edges.view[path[t - 1]! * width + path[t]!]!;
    addSquares(t, path[t - 1]!, path[t]!);
  }
  for (let k = 0; k < links!.from.length; k += 1) {
    addSquares(length + k, path[links!.from[k]!]!, path[links!.to[k]!]!);
  }
  let position = length + links!.from.length;
  for (const nodes of links!.cliques?.nodes ?? []) {
    const [to, from, ...others] = nodes.map(t => path[t]!).reverse();
    const tuple = others.reverse().reduce((at, y) => at * names.length + y, 0);
    addSquares(position + tuple, from!, to!);
    position += names.length ** others.length;
  }
  return score;
}

function allPaths(length: number): number[][] {
  return Array.from({ length: names.length ** length }, (_, number) =>
    Array.from({ length }, (_, t) => Math.floor(number / names.length ** t) % names.length),
  );
}

const cases: readonly (readonly [string, Loss, string, GraphSpec, boolean, boolean])[] = [
  ['log', logLoss, chain, free, false, false],
  ['log, partly labelled', logLoss, chain, free, true, false],
  ['log, by converged messages', logLoss, chain, { ...free, maxWidth: 0 }, false, false],
  [
    'log, by flooding',
    logLoss,
    nodes,
    { ...free, maxWidth: 0, schedule: 'flooding' },
    false,
    false,
  ],
  ['log, of three and four tokens', logLoss, nodes, { ...free, features: ['shape'] }, false, true],
  ['log, of three and four, partly labelled', logLoss, nodes, free, true, true],
  ['log, of three and four, by messages', logLoss, nodes, { ...free, maxWidth: 0 }, false, true],
  ['hinge, of three and four', hingeLoss, nodes, free, false, true],
  ['softmax-margin', softmaxMarginLoss, chain, free, false, false],
  ['hinge', hingeLoss, chain, free, false, false],
  [
    'hinge, associative, by expansions',
    hingeLoss,
    nodes,
    { ...free, maxWidth: 0, potentials: 'associative' },
    false,
    false,
  ],
];

describe('a graph', () => {
  it.each(cases)(
    'has gradients as finite differences: %s',
    { tags: 'slow' },
    (_, loss, templates, graph, partial, triples) => {
      const random = new Random(3);
      const { model, batch } = drawn(random, templates, graph, partial, triples);
      const { parameters, kernel } = model;
      const lattice = new Lattice(parameters.memory, parameters.precision);
      const contribution = () => contributionOf(kernel, parameters, lattice, batch, loss);
      const plane = parameters.addPlane();
      const made = contribution();
      for (let s = 0; s < 4; s += 1) kernel.accumulate(parameters, plane, made, s, 1);
      const step = 1e-5;
      let looked = 0;
      for (const table of ['state', 'edges'] as const) {
        const view = parameters.weights[table].view;
        for (let i = 0; i < view.length; i += 1) {
          if (i % parameters.width >= parameters.labels) continue;
          if (table === 'edges' && templates === nodes && i < parameters.matrixSize) continue;
          const own = view[i]!;
          const [above, below] = [step, -step].map(by => {
            view[i] = own + by;
            return contribution().loss;
          });
          view[i] = own;
          const slope = (above! - below!) / (2 * step);
          const found = plane[table].view[i]!;
          // Of weights below 0 the potential is 0; what would raise them is let through.
          if (graph.potentials === 'associative' && table === 'edges' && own < 0) {
            expect(slope).toBe(0);
            expect(found).toBeLessThanOrEqual(0);
            continue;
          }
          expect(Math.abs(slope - found)).toBeLessThan(1e-5);
          if (slope !== 0) looked += 1;
        }
      }
      expect(looked).toBeGreaterThan(15);
    },
  );

  for (const { rows, tags } of everyNth(2, [
    ['with transitions', chain, free, false],
    ['without', nodes, free, false],
    ['associative', nodes, { ...free, potentials: 'associative' }, false],
    ['with links of three and four', chain, { ...free, maxWidth: 4, features: ['shape'] }, true],
    ['with links of three and four, without transitions', nodes, free, true],
  ] as const)) {
    it.each(rows)(
      'is what all its labels, one by one, say: %s',
      { tags },
      (_, templates, graph, triples) => {
        const random = new Random(5);
        const spread: number[] = [];
        for (let problem = 0; problem < (triples ? 10 : 40); problem += 1) {
          const { model, sentences, batch } = drawn(random, templates, graph, false, triples);
          const { parameters, kernel } = model;
          const decoder = new Decoder(kernel, model);
          const options = { transitions: 'any', probability: true, marginals: true } as const;
          const decoded = decoder.decode(parameters, batch, options);
          for (const [s, sentence] of sentences.entries()) {
            const encoded = model.encodeKnown(sentence);
            const all = allPaths(encoded.length).map(path => scoreOf(model, encoded, path));
            const best = Math.max(...all);
            const z = all.reduce((sum, score) => sum + Math.exp(score), 0);
            const first = batch.sentenceStarts[s]!;
            const path = Array.from(decoded.labels.subarray(first, first + encoded.length));
            expect(scoreOf(model, encoded, path)).toBeCloseTo(best, 10);
            expect(decoded.scores[s]!).toBeCloseTo(best, 10);
            expect(decoded.probabilities![s]!).toBeCloseTo(Math.exp(best) / z, 10);
            const paths = allPaths(encoded.length);
            for (const [t, label] of path.entries()) {
              const with_ = all.filter((_, i) => paths[i]![t] === label);
              const share = with_.reduce((sum, score) => sum + Math.exp(score), 0) / z;
              expect(decoded.marginals![first + t]!).toBeCloseTo(share, 10);
            }
            spread.push(best);
          }
        }
        expect(new Set(spread).size).toBeGreaterThan(triples ? 30 : 100);
      },
    );
  }

  it('without links is the chain, to the bit', () => {
    const tokens = ['a', 'd', 'a'];
    const sentence: Sentence = {
      ...{ tokens, columns: {}, document: { tokens }, tags: ['X', 'Z', 'Y'] },
      part: { index: 0, count: 1, start: 0 },
    };
    const results = [{ graph: free }, {}].map(spec => {
      const model = createModel({ templates: chain, ...spec });
      for (const name of names) model.labels.intern(name);
      const batch = packMinibatch([model.encode(sentence)]);
      model.reserve();
      const { parameters, kernel } = model;
      const own = new Random(9);
      for (let i = 0; i < parameters.stateRows * parameters.width; i += 1) {
        if (i % parameters.width < 3) parameters.weights.state.view[i] = own.uniform();
      }
      const lattice = new Lattice(parameters.memory, parameters.precision);
      const made = contributionOf(kernel, parameters, lattice, batch, logLoss, true);
      const rows = made.residual.slice(0, 3 * parameters.width);
      return [made.loss, ...rows, ...made.predicted!, made.predictedScores![0]];
    });
    expect(results[0]).toEqual(results[1]);
  });
});
