import { describe, expect, it } from 'vitest';
import { CreationTimes } from '../../../../src/engine/kernels/store/creation-times.js';
import { ParameterStore } from '../../../../src/engine/kernels/store/parameter-store.js';

/** The creation times of what the store has, by kind. */
function creationTimesOf(
  creationTimes: CreationTimes,
  store: ParameterStore,
): Record<string, number[]> {
  return {
    state: Array.from(creationTimes.state.subarray(0, store.stateRows)),
    edges: Array.from(creationTimes.edges.subarray(0, store.edgeRows)),
    pairs: Array.from(creationTimes.pairs.subarray(0, store.pairs.size)),
    labels: Array.from(creationTimes.labels.subarray(0, store.labels)),
  };
}

function grownStore(): { store: ParameterStore; creationTimes: CreationTimes } {
  const store = new ParameterStore({ transitions: true, support: 'observed' });
  const creationTimes = new CreationTimes();
  store.reserve({ labels: 1, stateRows: 2, edgeRows: 2 });
  creationTimes.note(store, 1.5);
  store.reserve({ labels: 3, stateRows: 2, edgeRows: 3 });
  store.observeEdge(1, 0, 2);
  creationTimes.note(store, 2);
  creationTimes.note(store, 2.5);
  store.reserve({ labels: 3, stateRows: 4, edgeRows: 3 });
  store.observeEdge(2, 0, 0);
  creationTimes.note(store, 3);
  return { store, creationTimes };
}

const grown = {
  state: [1.5, 1.5, 3, 3],
  edges: [1.5, 1.5, 2],
  pairs: [2, 3],
  labels: [1.5, 2, 2],
};

describe('CreationTimes', () => {
  it('notes for each row, block, pair and label the clock at which it was first seen', () => {
    const { store, creationTimes } = grownStore();
    expect(creationTimesOf(creationTimes, store)).toEqual(grown);
  });

  it('keeps the times when there are many rows', () => {
    const { store, creationTimes } = grownStore();
    store.reserve({ labels: 3, stateRows: 1000, edgeRows: 3 });
    creationTimes.note(store, 4);
    const state = [1.5, 1.5, 3, 3, ...new Array(996).fill(4)];
    expect(creationTimesOf(creationTimes, store)).toEqual({ ...grown, state });
  });

  it('resumes from what was saved', () => {
    const { store, creationTimes } = grownStore();
    const saved = structuredClone(creationTimes.save());
    expect(Object.keys(saved).sort()).toEqual([
      'births.edges',
      'births.labels',
      'births.pairs',
      'births.state',
    ]);
    const restored = new CreationTimes();
    restored.restore({ json: {}, arrays: saved });
    expect(creationTimesOf(restored, store)).toEqual(grown);
    store.reserve({ labels: 3, stateRows: 5, edgeRows: 4 });
    restored.note(store, 9);
    expect(creationTimesOf(restored, store)).toEqual({
      ...grown,
      state: [...grown.state, 9],
      edges: [...grown.edges, 9],
    });
  });

  it('notes rows that are those of other features now, once', () => {
    const { store, creationTimes } = grownStore();
    store.reused.state.push(3, 0);
    store.reused.edges.push(1);
    creationTimes.note(store, 5);
    creationTimes.note(store, 6);
    expect(creationTimesOf(creationTimes, store)).toEqual({
      ...grown,
      state: [5, 1.5, 3, 5],
      edges: [1.5, 5, 2],
    });
    expect([creationTimes.latest, creationTimes.reused, creationTimes.forgotten]).toEqual([
      5,
      [3, 0],
      0,
    ]);
    expect(store.reused).toEqual({ state: [], edges: [] });
  });

  it('does not keep reused rows for ever', () => {
    const { store, creationTimes } = grownStore();
    for (let i = 1; i <= 3; i += 1) {
      store.reused.state = new Array(3000).fill(i % 2);
      creationTimes.note(store, 10 * i);
    }
    expect([creationTimes.forgotten, creationTimes.reused.length]).toEqual([6000, 3000]);
    expect(Array.from(creationTimes.state.subarray(0, 2))).toEqual([20, 30]);
  });

  it('starts anew at 0, which whoever has a copy can see', () => {
    const { store, creationTimes } = grownStore();
    creationTimes.reset();
    expect(creationTimesOf(creationTimes, store)).toEqual({
      state: [0, 0, 0, 0],
      edges: [0, 0, 0],
      pairs: [0, 0],
      labels: [0, 0, 0],
    });
    expect([creationTimes.latest, creationTimes.forgotten]).toEqual([0, 1]);
  });
});
