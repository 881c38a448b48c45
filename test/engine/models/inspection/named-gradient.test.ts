import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { Lattice } from '../../../../src/engine/kernels/lattice.js';
import { contributionOf } from '../../../../src/engine/losses/contribution-of.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { namedGradient } from '../../../../src/engine/models/inspection/named-gradient.js';
import { kernels } from '../../../../src/engine/models/kernels.js';

const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nB1:%x[0,0]\nB';
const plain = 'U0:%x[0,0]\nB';
const corpus: (readonly [string, string, unknown?])[] = [
  ['a b a c', 'X|1 Y|1 X|2 Y|2', [[0, 3, 'ends']]],
  ['b b', 'Y|1 X|2'],
  ['c', 'X|1'],
];

const sentences = corpus.map(([words, tags, links]): Sentence => {
  const [tokens, given] = [words.split(' '), tags.split(' ')];
  const document = links === undefined ? { tokens } : { tokens, links };
  return { tokens, tags: given, columns: {}, document, part: { index: 0, count: 1, start: 0 } };
});

describe('slopes of named weights', () => {
  it.each([
    ['of a chain', { templates }],
    ['of observed features alone', { templates, support: 'observed' as const }],
    ['of a chain with few labels a token', { templates: plain, prune: { most: 2, ratio: 0.01 } }],
    ['of layers', { templates: plain, layers: { separator: '|' } }],
    ['of parts', { templates: plain, parts: { separator: '|' } }],
    ['of hidden states', { templates, hidden: { states: 2, spread: 0.1, seed: 1 } }],
    [
      'of a graph',
      {
        templates,
        graph: { potentials: 'free' as const, maxWidth: 3, schedule: 'residual' as const },
      },
    ],
  ])('are the sums that steps take: %s', (_, spec) => {
    const model = createModel(spec, undefined, kernels.simd64);
    for (const sentence of sentences) model.encode(sentence);
    const batch = packMinibatch(sentences.map(sentence => model.encode(sentence)));
    model.reserve();
    const { parameters, kernel, labels } = model;
    for (const table of ['state', 'edges', 'pairs'] as const) {
      const view = parameters.weights[table].view;
      for (let i = 0; i < view.length; i += 1) {
        if (i % parameters.width < parameters.labels) view[i] = Math.sin(i) / 4;
      }
    }
    const lattice = new Lattice(parameters.memory, parameters.precision);
    const made = contributionOf(kernel, parameters, lattice, batch, logLoss);
    const plane = parameters.addPlane();
    for (let s = 0; s < sentences.length; s += 1) kernel.accumulate(parameters, plane, made, s, 1);
    const found = namedGradient(made, model);
    const slopes = [plane.state, plane.edges, plane.pairs].flatMap(({ view }) =>
      [...view].filter(slope => Math.abs(slope) > 1e-12),
    );
    const sorted = (all: number[]) => all.sort((a, b) => a - b);
    const own = sorted(found.map(({ slope }) => slope).filter(slope => Math.abs(slope) > 1e-12));
    expect(own).toHaveLength(slopes.length);
    expect(slopes.length).toBeGreaterThan(9);
    for (const [i, slope] of sorted(slopes).entries()) expect(own[i]).toBeCloseTo(slope, 12);
    const steepness = found.map(({ slope }) => Math.abs(slope));
    expect(steepness).toEqual([...steepness].sort((a, b) => b - a));
    const names = found.map(({ feature, from, label }) => `${feature} ${from} ${label}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { feature, label, slope } of found) {
      if (!feature.startsWith('U0:')) continue;
      // Weight by weight: what its name says is where the plane has it.
      const word = feature.slice(3);
      const t = sentences.flatMap(({ tokens }) => tokens).indexOf(word);
      const row = made.minibatch.stateRows[made.minibatch.stateStarts[positionOf(t)]!]!;
      const column = Array.from({ length: labels.columns }, (__, y) =>
        labels.columnName(y),
      ).indexOf(label);
      expect(plane.state.view[parameters.statePlace(row, column)]).toBeCloseTo(slope, 12);
    }
    function positionOf(t: number): number {
      let before = 0;
      for (const [s, { tokens }] of sentences.entries()) {
        if (t < before + tokens.length) return made.minibatch.sentenceStarts[s]! + t - before;
        before += tokens.length;
      }
      return -1;
    }
  });
});
