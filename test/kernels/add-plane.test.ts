import { describe, expect, it } from 'vitest';
import { ParameterStore } from '../../src/kernels/parameter-store.js';
import { KernelPlace } from '../oracle/kernel-place.js';
import { kernelRows } from '../oracle/kernels.js';

describe.each(kernelRows)('addPlane of the $name kernel', ({ kernel }) => {
  it('adds every number of another plane, times a factor', () => {
    const { precision, memory } = new KernelPlace(kernel);
    const layout = { transitions: true, support: 'observed', precision } as const;
    const store = new ParameterStore(layout, 1, memory);
    store.reserve({ labels: 2, stateRows: 3, edgeRows: 2 });
    store.observeEdge(1, 0, 1);
    store.fitPairs();
    const plane = store.addPlane();
    for (const table of ['state', 'edges', 'pairs'] as const) {
      plane[table].view.set(plane[table].view.map((_, i) => i + 1));
      store.weights[table].view.set(plane[table].view.map((_, i) => 2 * i));
    }
    kernel.addPlane(plane, store.weights, 0.5);
    for (const table of ['state', 'edges', 'pairs'] as const) {
      const numbers = Array.from(plane[table].view);
      expect(numbers.length).toBeGreaterThan(0);
      expect(numbers).toEqual(numbers.map((_, i) => 2 * i + 1));
      expect(Array.from(store.weights[table].view)).toEqual(numbers.map((_, i) => 2 * i));
    }
  });
});
