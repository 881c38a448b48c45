import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import type { Kernel } from '../../../../src/engine/kernels/kernel.js';
import type { Plane } from '../../../../src/engine/kernels/memory/plane.js';
import { referenceKernel } from '../../../../src/engine/kernels/reference/reference-kernel.js';
import { SimdKernel } from '../../../../src/engine/kernels/simd/simd-kernel.js';
import { ParameterStore } from '../../../../src/engine/kernels/store/parameter-store.js';

const kernels: readonly [string, Kernel, number][] = [
  ['reference', referenceKernel, 1e-12],
  ['simd float64', new SimdKernel('float64'), 1e-12],
  ['simd float32', new SimdKernel('float32'), 1e-6],
];

describe.each(kernels)('planes in the kernel %s', (_, kernel, tolerance) => {
  const { precision } = kernel;
  const layout = { transitions: true, support: 'observed', precision } as const;

  /** A store whose tables end within a vector, and two planes of it with their numbers. */
  function given(seed: number): { store: ParameterStore; x: Plane; y: Plane } {
    const random = new Random(seed);
    const store = new ParameterStore(layout);
    store.reserve({ labels: 3, stateRows: 1 + random.below(50), edgeRows: 3 });
    for (const label of [0, 1, 2]) store.observeEdge(1, label, 0);
    store.fitPairs();
    const [x, y] = [store.addPlane(), store.addPlane()];
    for (const plane of [x, y]) {
      for (const table of tablesOf(plane)) {
        table.set(Array.from(table, () => Math.fround(random.uniform() * 4 - 2)));
      }
    }
    return { store, x, y };
  }

  const tablesOf = ({ state, edges, pairs }: Plane) => [state.view, edges.view, pairs.view];
  const numbersOf = (plane: Plane) => tablesOf(plane).flatMap(table => Array.from(table));

  it.each([1, 2, 3, 4, 5])('adds a multiple, and scales (store %i)', seed => {
    const { x, y } = given(seed);
    const [u, v] = [numbersOf(x), numbersOf(y)];
    expect(u.length).toBeGreaterThan(20);
    kernel.axpy(-0.75, x, y);
    // A power of two, so that float32 rounds nothing off.
    kernel.scalePlane(x, 0.5);
    for (const [i, value] of numbersOf(y).entries()) {
      expect(Math.abs(value - (v[i]! - 0.75 * u[i]!))).toBeLessThan(tolerance);
    }
    expect(numbersOf(x)).toEqual(u.map(value => value * 0.5));
  });
});

it('refuses planes of two stores, which the kernel cannot see at once', () => {
  const kernel = new SimdKernel('float64');
  const plane = () => new ParameterStore({ transitions: true, support: 'all' }).weights;
  expect(() => kernel.axpy(1, plane(), plane())).toThrow('do not match');
});
