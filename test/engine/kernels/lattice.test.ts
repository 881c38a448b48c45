import { describe, expect, it } from 'vitest';
import type { Reals } from '../../../src/engine/core/arrays.js';
import type { EncodedSentence } from '../../../src/engine/core/minibatch/encoded-sentence.js';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import { scoreBatch } from '../../../src/engine/inference/score-batch.js';
import { Lattice } from '../../../src/engine/kernels/lattice.js';
import { ParameterStore } from '../../../src/engine/kernels/store/parameter-store.js';
import { KernelPlace } from '../../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { randomSentence } from '../../contracts/oracle/problems/random-sentence.js';

function sentence(length: number, edgeStarts?: number[]): EncodedSentence {
  return {
    length,
    stateStarts: new Uint32Array(length + 1),
    stateRows: new Uint32Array(0),
    ...(edgeStarts === undefined
      ? {}
      : {
          edgeStarts: Uint32Array.from(edgeStarts),
          edgeRows: new Uint32Array(edgeStarts.at(-1)!).fill(1),
        }),
    sentence: {
      tokens: new Array(length).fill('w'),
      columns: {},
      document: {},
      part: { index: 0, count: 1, start: 0 },
    },
  };
}

function storeOf(labels: number, place?: KernelPlace): ParameterStore {
  const precision = place?.precision ?? 'float64';
  const layout = { transitions: true, support: 'all', precision } as const;
  const store = new ParameterStore(layout, 1, place?.memory);
  store.reserve({ labels, stateRows: 9, edgeRows: 2 });
  return store;
}

describe('Lattice', () => {
  it('gives a slot to each token with edge features but the first of a sentence', () => {
    const lattice = new Lattice();
    const batch = packMinibatch([
      sentence(4, [0, 1, 3, 3, 4]),
      sentence(2),
      sentence(1, [0, 2]),
      sentence(3, [0, 0, 1, 2]),
    ]);
    lattice.open(storeOf(2), batch);
    expect(Array.from(lattice.edgeSlots.subarray(0, 10))).toEqual([
      -1, 0, -1, 1, -1, -1, -1, -1, 2, 3,
    ]);
    expect(lattice.slots).toBe(4);
    lattice.open(storeOf(2), packMinibatch([sentence(4)]));
    expect(Array.from(lattice.edgeSlots.subarray(0, 4))).toEqual([-1, -1, -1, -1]);
    expect(lattice.slots).toBe(0);
  });

  it('makes room for every batch, and counts them', () => {
    const lattice = new Lattice();
    const random = new Random(80);
    for (let i = 1; i <= 60; i += 1) {
      const store = storeOf(1 + random.below(20));
      const sentences = Array.from({ length: 1 + random.below(6) }, () =>
        randomSentence(random, {
          length: 1 + random.below(50),
          labels: store.labels,
          stateRows: 9,
          edgeFeatures: 1,
          stateValues: false,
          edgeValues: false,
          gold: 'none',
        }),
      );
      const batch = packMinibatch(sentences);
      lattice.open(store, batch);
      expect(lattice.generation).toBe(i);
      const { width, matrixSize } = store;
      for (const table of [lattice.emissionScores, lattice.alpha, lattice.nodes]) {
        expect(table.view.length).toBeGreaterThanOrEqual(batch.tokens * width);
      }
      expect(lattice.scales.view.length).toBeGreaterThanOrEqual(batch.tokens);
      expect(lattice.transitionScores.view.length).toBe(matrixSize);
      expect(lattice.edges.view.length).toBeGreaterThanOrEqual(lattice.slots * matrixSize);
      const needed = sentences.length * matrixSize;
      expect(lattice.transitions.view.length).toBeGreaterThanOrEqual(needed);
    }
  });
});

describe.each(kernelRows)('Lattice filled by the $name kernel', ({ kernel }) => {
  it('holds nothing in the lanes past the last label that it held for more labels', () => {
    const place = new KernelPlace(kernel);
    const lattice = place.lattice();
    const batch = packMinibatch([sentence(3, [0, 1, 2, 3]), sentence(2)]);
    const larger = storeOf(4, place);
    larger.weights.edges.view.fill(1);
    scoreBatch(kernel, larger, lattice, batch);
    kernel.exponentiate(lattice);
    for (const s of [0, 1]) kernel.forwardBackwardScaled(lattice, s);
    scoreBatch(kernel, storeOf(3, place), lattice, batch);
    kernel.exponentiate(lattice);
    for (const s of [0, 1]) kernel.forwardBackwardScaled(lattice, s);
    const padded = (view: Reals) => Array.from(view).filter((_, i) => i % 4 === 3);
    for (const table of [lattice.nodes, lattice.edges, lattice.transitions]) {
      expect(padded(table.view).every(lane => lane === 0)).toBe(true);
    }
  });
});
