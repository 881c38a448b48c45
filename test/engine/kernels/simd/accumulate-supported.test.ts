import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Contribution } from '../../../../src/engine/core/training/contribution.js';
import { accumulate } from '../../../../src/engine/kernels/reference/accumulate.js';
import { SimdKernel } from '../../../../src/engine/kernels/simd/simd-kernel.js';
import { ParameterStore } from '../../../../src/engine/kernels/store/parameter-store.js';
import { randomSentence } from '../../../contracts/oracle/problems/random-sentence.js';

const labelCounts = [1, 3, 4, 7, 22, 31, 32, 33, 50, 64, 65, 97];

describe.each(['float64', 'float32'] as const)('updates of observed pairs in %s', precision => {
  const kernel = new SimdKernel(precision);
  const digits = precision === 'float64' ? 12 : 4;

  it.each(labelCounts)('are those of the reference, with %i labels', labels => {
    const random = new Random(labels);
    const store = new ParameterStore({ transitions: true, support: 'observed', precision });
    const plane = store.addPlane();
    const expected = store.addPlane();
    let rows = 0;
    let known = 1;
    for (let round = 0; round < 6; round += 1) {
      // More rows, labels and pairs come in between, as on a stream.
      rows += 1 + random.below(9);
      known = Math.min(labels, known + Math.ceil(random.uniform() * labels));
      store.reserve({ labels: known, stateRows: rows, edgeRows: 1 });
      for (let i = 0; i < rows * random.below(known + 1); i += 1) {
        store.observeState(random.below(rows), random.below(known));
      }
      for (let i = 0; i < known; i += 1) {
        store.observeEdge(0, random.below(known), random.below(known));
      }
      if (round === 3) store.support!.restore(store.support!.state, store.support!.transitions);
      const { width, matrixSize } = store;
      const sentences = [4, 1].map(length =>
        randomSentence(random, {
          ...{ length, labels: known, stateRows: rows, edgeFeatures: 0, edgeValues: false },
          ...{ stateValues: random.below(2) === 0, gold: 'all' },
        }),
      );
      const numbers = precision === 'float64' ? Float64Array : Float32Array;
      const residuals = (count: number) =>
        new numbers(Array.from({ length: count }, () => random.normal()));
      const contribution = {
        minibatch: packMinibatch(sentences),
        residual: residuals(5 * width),
        transitionResidual: residuals(2 * matrixSize),
        edgeResidual: new numbers(0),
        edgeSlots: new Int32Array(5).fill(-1),
      } as unknown as Contribution;
      for (const s of [0, 1]) {
        kernel.accumulate(store, plane, contribution, s, -0.3);
        accumulate(store, expected, contribution, s, -0.3);
      }
      let changed = 0;
      for (const table of ['state', 'edges'] as const) {
        const wanted = expected[table].view;
        for (const [i, number] of plane[table].view.entries()) {
          if (number !== wanted[i]) expect(number).toBeCloseTo(wanted[i]!, digits);
          if (number !== 0) changed += 1;
        }
      }
      expect(changed).toBeGreaterThan(0);
    }
  });
});
