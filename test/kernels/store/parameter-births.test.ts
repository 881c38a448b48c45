import { describe, expect, it } from 'vitest';
import { ParameterBirths } from '../../../src/kernels/store/parameter-births.js';
import { ParameterStore } from '../../../src/kernels/store/parameter-store.js';

/** The births of what the store has, by kind. */
function birthsOf(births: ParameterBirths, store: ParameterStore): Record<string, number[]> {
  return {
    state: Array.from(births.state.subarray(0, store.stateRows)),
    edges: Array.from(births.edges.subarray(0, store.edgeRows)),
    pairs: Array.from(births.pairs.subarray(0, store.pairs.size)),
    labels: Array.from(births.labels.subarray(0, store.labels)),
  };
}

function grownStore(): { store: ParameterStore; births: ParameterBirths } {
  const store = new ParameterStore({ transitions: true, support: 'observed' });
  const births = new ParameterBirths();
  store.reserve({ labels: 1, stateRows: 2, edgeRows: 2 });
  births.note(store, 1.5);
  store.reserve({ labels: 3, stateRows: 2, edgeRows: 3 });
  store.observeEdge(1, 0, 2);
  births.note(store, 2);
  births.note(store, 2.5);
  store.reserve({ labels: 3, stateRows: 4, edgeRows: 3 });
  store.observeEdge(2, 0, 0);
  births.note(store, 3);
  return { store, births };
}

const grown = {
  state: [1.5, 1.5, 3, 3],
  edges: [1.5, 1.5, 2],
  pairs: [2, 3],
  labels: [1.5, 2, 2],
};

describe('ParameterBirths', () => {
  it('notes for each row, block, pair and label the clock at which it was first seen', () => {
    const { store, births } = grownStore();
    expect(birthsOf(births, store)).toEqual(grown);
  });

  it('keeps births when there are many rows', () => {
    const { store, births } = grownStore();
    store.reserve({ labels: 3, stateRows: 1000, edgeRows: 3 });
    births.note(store, 4);
    const state = [1.5, 1.5, 3, 3, ...new Array(996).fill(4)];
    expect(birthsOf(births, store)).toEqual({ ...grown, state });
  });

  it('goes on from what was saved', () => {
    const { store, births } = grownStore();
    const saved = structuredClone(births.save());
    expect(Object.keys(saved).sort()).toEqual([
      'births.edges',
      'births.labels',
      'births.pairs',
      'births.state',
    ]);
    const restored = new ParameterBirths();
    restored.restore({ json: {}, arrays: saved });
    expect(birthsOf(restored, store)).toEqual(grown);
    store.reserve({ labels: 3, stateRows: 5, edgeRows: 4 });
    restored.note(store, 9);
    expect(birthsOf(restored, store)).toEqual({
      ...grown,
      state: [...grown.state, 9],
      edges: [...grown.edges, 9],
    });
  });

  it('notes rows that are those of other features now, once', () => {
    const { store, births } = grownStore();
    store.reborn.state.push(3, 0);
    store.reborn.edges.push(1);
    births.note(store, 5);
    births.note(store, 6);
    expect(birthsOf(births, store)).toEqual({
      ...grown,
      state: [5, 1.5, 3, 5],
      edges: [1.5, 5, 2],
    });
    expect([births.latest, births.reborn, births.forgotten]).toEqual([5, [3, 0], 0]);
    expect(store.reborn).toEqual({ state: [], edges: [] });
  });

  it('does not keep rebirths for ever', () => {
    const { store, births } = grownStore();
    for (let i = 1; i <= 3; i += 1) {
      store.reborn.state = new Array(3000).fill(i % 2);
      births.note(store, 10 * i);
    }
    expect([births.forgotten, births.reborn.length]).toEqual([6000, 3000]);
    expect(Array.from(births.state.subarray(0, 2))).toEqual([20, 30]);
  });

  it('starts anew at 0, which whoever has a copy can tell', () => {
    const { store, births } = grownStore();
    births.reset();
    expect(birthsOf(births, store)).toEqual({
      state: [0, 0, 0, 0],
      edges: [0, 0, 0],
      pairs: [0, 0],
      labels: [0, 0, 0],
    });
    expect([births.latest, births.forgotten]).toEqual([0, 1]);
  });
});
