import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import type { Plane } from '../../../../src/engine/kernels/memory/plane.js';
import { ParameterStore } from '../../../../src/engine/kernels/store/parameter-store.js';
import { parameterPlaces } from '../../../contracts/oracle/kernels/parameter-places.js';
import { randomStore } from '../../../contracts/oracle/problems/random-store.js';

const shape = {
  labelCapacity: 1,
  stateRows: 7,
  edgeFeatures: 3,
  transitions: true,
  spread: 1,
  scale: 1,
} as const;

/** Every weight by what it is the weight of, wherever the store keeps it. */
function named(store: ParameterStore, plane: Plane): Map<string, number> {
  const { width, matrixSize, labels } = store;
  const weights = new Map<string, number>();
  for (let row = 0; row < store.stateRows; row += 1) {
    for (let y = 0; y < labels; y += 1) {
      weights.set(`state ${row} ${y}`, plane.state.view[row * width + y]!);
    }
  }
  for (let block = 0; block < (store.hasEdgeBlocks ? store.edgeRows : 1); block += 1) {
    for (let from = 0; from < labels; from += 1) {
      for (let to = 0; to < labels; to += 1) {
        const at = block * matrixSize + from * width + to;
        weights.set(`edge ${block} ${from} ${to}`, plane.edges.view[at]!);
      }
    }
  }
  for (let slot = 0; slot < store.pairs.size; slot += 1) {
    weights.set(`pair ${slot}`, plane.pairs.view[slot]!);
  }
  return weights;
}

function paddingIsZero(store: ParameterStore, plane: Plane): boolean {
  return parameterPlaces(store).every(
    ({ table, at, supported }) => supported || plane[table].view[at] === 0,
  );
}

describe('ParameterStore', () => {
  it('starts with no row, and the block of the plain transitions', () => {
    const store = new ParameterStore({ transitions: true, support: 'all' }, 5);
    expect([store.labels, store.stateRows, store.edgeRows]).toEqual([0, 0, 1]);
    expect([store.labelCapacity, store.width, store.matrixSize]).toEqual([8, 8, 64]);
    expect([store.scale, store.version]).toEqual([1, 0]);
    expect(store.weights.edges.view.every(weight => weight === 0)).toBe(true);
    expect(store.weights.edges.view.length).toBe(64);
  });

  it('takes no memory for its numbers before they are asked for', () => {
    const store = new ParameterStore({ transitions: true, support: 'observed' }, 5);
    const before = store.memory.buffer.byteLength;
    for (let rows = 1000; rows <= 9000; rows += 1000) {
      store.reserve({ labels: 7, stateRows: rows, edgeRows: 1 });
    }
    store.observeState(8999, 6);
    expect([store.isInUse, store.stateRows]).toEqual([false, 9000]);
    expect(store.memory.buffer.byteLength).toBe(before);
    const { view } = store.weights.state;
    expect(store.isInUse).toBe(true);
    expect(view.length).toBe(9000 * store.width);
    expect(view.every(weight => weight === 0)).toBe(true);
    store.reserve({ labels: 7, stateRows: 9001, edgeRows: 1 });
    expect(store.weights.state.capacity).toBeGreaterThan(9000);
  });

  it('begins anew in the memory that it has, also when it has grown meanwhile', {
    tags: 'slow',
  }, () => {
    const store = new ParameterStore({ transitions: true, support: 'all' });
    store.reserve({ labels: 3, stateRows: 9000, edgeRows: 1 });
    let { byteLength } = store.memory.buffer;
    const planes = new Set<Plane>();
    for (let training = 0; training < 30; training += 1) {
      store.restart();
      // More labels have longer rows, which no plane of before has.
      if (training === 20) store.reserve({ labels: 9, stateRows: 9500, edgeRows: 1 });
      expect(store.planes).toHaveLength(1);
      const sums = store.addPlane();
      planes.add(sums);
      for (const { state, edges } of [store.weights, sums]) {
        expect(state.view.length).toBeGreaterThanOrEqual(store.stateRows * store.width);
        expect([...state.view, ...edges.view].every(number => number === 0)).toBe(true);
        state.view.fill(training + 1);
        edges.view.fill(training + 1);
      }
      store.scale = 0.5;
      if (training === 0 || training === 20) ({ byteLength } = store.memory.buffer);
      else expect(store.memory.buffer.byteLength).toBe(byteLength);
    }
    expect(planes.size).toBe(2);
    store.restart();
    expect(store.scale).toBe(1);
  });

  it('never shrinks', () => {
    const store = new ParameterStore({ transitions: true, support: 'all' });
    store.reserve({ labels: 3, stateRows: 5, edgeRows: 4 });
    store.reserve({ labels: 1, stateRows: 2, edgeRows: 1 });
    expect([store.labels, store.stateRows, store.edgeRows]).toEqual([3, 5, 4]);
  });

  describe.each(['all', 'observed'] as const)('with support %s', support => {
    it.each([
      ['more rows', { labels: 3, stateRows: 900, edgeRows: 40 }],
      ['labels within the capacity', { labels: 4, stateRows: 7, edgeRows: 4 }],
      ['one label more than fit', { labels: 5, stateRows: 7, edgeRows: 4 }],
      ['many labels, rows and features more', { labels: 37, stateRows: 50, edgeRows: 9 }],
    ])('keeps every number of every plane: %s', (_, counts) => {
      const random = new Random(70);
      const store = randomStore(random, { ...shape, labels: 3, support });
      const other = store.addPlane();
      for (const { table, at, supported } of parameterPlaces(store)) {
        if (supported) other[table].view[at] = random.normal();
      }
      const before = [named(store, store.weights), named(store, other)] as const;
      store.reserve(counts);
      expect([store.labels, store.stateRows, store.edgeRows]).toEqual(Object.values(counts));
      expect(store.labelCapacity).toBeGreaterThanOrEqual(counts.labels);
      for (const [i, plane] of [store.weights, other].entries()) {
        const after = named(store, plane);
        const others = [...after].filter(
          ([name, weight]) => weight !== (before[i]!.get(name) ?? 0),
        );
        expect(others).toEqual([]);
        expect(after.size).toBeGreaterThan(before[i]!.size);
        expect(paddingIsZero(store, plane)).toBe(true);
      }
    });

    it('keeps every number when labels and features come one at a time', () => {
      const random = new Random(71);
      const store = new ParameterStore({ transitions: true, support });
      const other = store.addPlane();
      const expected = new Map<string, number>();
      for (let n = 1; n <= 20; n += 1) {
        store.reserve({ labels: n, stateRows: 3 * n, edgeRows: 1 + Math.floor(n / 2) });
        for (let row = 0; row < 3 * n; row += 1) store.observeState(row, n - 1);
        for (let from = 0; from < n; from += 1) {
          store.observeEdge(0, from, n - 1);
          store.observeEdge(Math.floor(n / 2), from, n - 1);
        }
        store.fitPairs();
        const found = named(store, other);
        expect([...found].filter(([name, value]) => value !== (expected.get(name) ?? 0))).toEqual(
          [],
        );
        for (const { table, at, supported } of parameterPlaces(store)) {
          if (supported && other[table].view[at] === 0) other[table].view[at] = random.normal();
        }
        expected.clear();
        for (const [name, value] of named(store, other)) expected.set(name, value);
      }
      expect(paddingIsZero(store, other)).toBe(true);
      expect(paddingIsZero(store, store.weights)).toBe(true);
      expect(store.labelCapacity).toBe(32);
    });
  });

  it('keeps what was observed when rows are laid out anew', () => {
    const store = new ParameterStore({ transitions: true, support: 'observed' });
    store.reserve({ labels: 3, stateRows: 2, edgeRows: 2 });
    store.observeState(1, 2);
    store.observeEdge(0, 2, 1);
    store.observeEdge(1, 0, 0);
    store.fitPairs();
    store.reserve({ labels: 9, stateRows: 2, edgeRows: 2 });
    const supported = parameterPlaces(store).filter(place => place.supported);
    expect(supported.map(({ table, at }) => [table, at])).toEqual([
      ['state', 16 + 2],
      ['edges', 2 * 16 + 1],
      ['pairs', 0],
    ]);
  });

  it('has no pairs where all labels are supported, and no blocks where only observed ones are', () => {
    for (const support of ['all', 'observed'] as const) {
      const store = new ParameterStore({ transitions: true, support });
      store.reserve({ labels: 2, stateRows: 1, edgeRows: 5 });
      store.observeState(0, 1);
      store.observeEdge(3, 0, 1);
      store.fitPairs();
      const blocks = store.weights.edges.view.length / store.matrixSize;
      expect([blocks >= 5, store.pairs.size]).toEqual(support === 'all' ? [true, 0] : [false, 1]);
    }
  });

  describe('where the blocks do not fit into their budget', () => {
    const layout = { transitions: true, support: 'all', edgeBudget: 64 * 1024 } as const;
    const counts = (store: ParameterStore) => [
      store.labels,
      store.stateRows,
      store.edgeRows,
      store.labelCapacity,
    ];

    it('refuses more features, with the estimate, and stays as it was', () => {
      const store = new ParameterStore({ ...layout, edgeBudget: 2 ** 30 });
      store.reserve({ labels: 1, stateRows: 3, edgeRows: 1 });
      const before = counts(store);
      // 2 ** 20 blocks of 16 x 16 float64.
      expect(() => store.reserve({ labels: 16, stateRows: 9, edgeRows: 2 ** 20 })).toThrow(
        expect.objectContaining({
          code: 'too-large',
          problem:
            '1048575 observation-conditioned transitions of 16 x 16 labels need 2.0 GiB, more than 1.0 GiB',
        }),
      );
      expect(counts(store)).toEqual(before);
      expect(store.weights.state.capacity).toBe(3);
    });

    it('refuses more labels, as they make each block larger', () => {
      const store = new ParameterStore(layout);
      store.reserve({ labels: 4, stateRows: 3, edgeRows: 100 });
      store.weights.edges.view[99 * 16] = 5;
      const before = counts(store);
      // 100 blocks of 16 x 16 float64 are 204,800 bytes.
      expect(() => store.reserve({ labels: 9, stateRows: 3, edgeRows: 100 })).toThrow(
        expect.objectContaining({ code: 'too-large' }),
      );
      expect(counts(store)).toEqual(before);
      expect(store.weights.edges.view[99 * 16]).toBe(5);
      store.reserve({ labels: 8, stateRows: 3, edgeRows: 100 });
      expect(store.weights.edges.view[99 * 64]).toBe(5);
    });

    it('counts each plane', () => {
      const store = new ParameterStore(layout);
      store.addPlane();
      store.addPlane();
      // 512 bytes a block of 8 x 8 float64 in each of three planes.
      store.reserve({ labels: 8, stateRows: 0, edgeRows: 42 });
      expect(() => store.reserve({ labels: 8, stateRows: 0, edgeRows: 43 })).toThrow(
        'more than 0.0 GiB',
      );
    });

    it('does not mind the plain transitions, nor pairs that are kept one by one', () => {
      const plain = new ParameterStore({ ...layout, edgeBudget: 1 });
      plain.reserve({ labels: 100, stateRows: 1, edgeRows: 1 });
      expect(plain.labels).toBe(100);
      const observed = new ParameterStore({ ...layout, support: 'observed', edgeBudget: 1 });
      observed.reserve({ labels: 100, stateRows: 1, edgeRows: 100_000 });
      expect(observed.edgeRows).toBe(100_000);
    });
  });

  it('copies its rows and support, not its weights', () => {
    for (const support of ['all', 'observed'] as const) {
      const store = randomStore(new Random(72), { ...shape, labels: 6, support, scale: 0.5 });
      const copy = store.emptyCopy();
      expect([copy.labels, copy.stateRows, copy.edgeRows]).toEqual([6, 7, 4]);
      expect([copy.width, copy.pairs.size, copy.scale]).toEqual([8, store.pairs.size, 1]);
      expect(copy.weights.pairs.capacity).toBeGreaterThanOrEqual(store.pairs.size);
      const supported = (each: ParameterStore) =>
        parameterPlaces(each)
          .filter(place => place.supported)
          .map(({ table, at }) => `${table} ${at}`);
      expect(supported(copy)).toEqual(supported(store));
      for (const table of ['state', 'edges', 'pairs'] as const) {
        expect(copy.weights[table].view.every(weight => weight === 0)).toBe(true);
      }
      copy.weights.state.view.fill(3);
      if (support === 'observed') copy.observeState(0, 5);
      const fresh = randomStore(new Random(72), { ...shape, labels: 6, support, scale: 0.5 });
      expect(named(store, store.weights)).toEqual(named(fresh, fresh.weights));
      expect(supported(store)).toEqual(supported(fresh));
    }
  });
});
