import { describe, expect, it } from 'vitest';
import { ParameterStore } from '../../../../src/engine/kernels/store/parameter-store.js';
import { KernelPlace } from '../../../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../../../contracts/oracle/kernels/kernels.js';

describe.each(kernelRows)('scalePlane of the $name kernel', ({ kernel }) => {
  it('multiplies every number of a plane, and of no other', () => {
    const { precision, memory } = new KernelPlace(kernel);
    const layout = { transitions: true, support: 'observed', precision } as const;
    const store = new ParameterStore(layout, 1, memory);
    store.reserve({ labels: 2, stateRows: 3, edgeRows: 2 });
    store.observeEdge(1, 0, 1);
    store.fitPairs();
    const plane = store.addPlane();
    for (const table of ['state', 'edges', 'pairs'] as const) {
      for (const each of [plane, store.weights]) {
        each[table].view.set(each[table].view.map((_, i) => i + 1));
      }
    }
    kernel.scalePlane(plane, -0.5);
    expect(plane.state.view.length).toBe(12);
    for (const table of ['state', 'edges', 'pairs'] as const) {
      const numbers = Array.from(plane[table].view);
      expect(numbers).toEqual(numbers.map((_, i) => -0.5 * (i + 1)));
      expect(Array.from(store.weights[table].view)).toEqual(numbers.map((_, i) => i + 1));
    }
  });
});
