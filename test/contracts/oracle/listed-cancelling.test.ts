import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { scoreBatch } from '../../../src/engine/inference/score-batch.js';
import { ParameterStore } from '../../../src/engine/kernels/store/parameter-store.js';
import { Deviations } from './differences/deviations.js';
import { Enumeration } from './enumeration.js';
import { KernelPlace } from './kernels/kernel-place.js';
import { kernelsWithLists } from './kernels/kernels.js';
import { scoresOf } from './scores-of.js';

const labels = 17;

/**
 * Two tokens, each of which wants a label of its own, and transitions between these two that are all but forbidden, yet
 * part of the best path: what exp(a) - 1 takes away is all but what there is.
 */
function problem({ precision, memory }: KernelPlace) {
  const layout = { transitions: false, support: 'observed', precision } as const;
  const store = new ParameterStore(layout, labels, memory);
  store.reserve({ labels, stateRows: 2, edgeRows: 2 });
  for (let y = 0; y < labels; y += 1) {
    for (const row of [0, 1]) store.observeState(row, y);
    if (y % 3 > 0) store.observeEdge(1, 4, y);
    if (y % 4 > 0) store.observeEdge(1, y, 7);
  }
  store.fitPairs();
  const size = precision === 'float64' ? 1 : 0.45;
  const { state, pairs } = store.weights;
  state.view[4] = 30 * size;
  state.view[store.width + 7] = 40 * size;
  for (let slot = 0; slot < store.pairs.size; slot += 1) {
    pairs.view[slot] = -25 * size - slot / 16;
  }
  const batch = packMinibatch([
    {
      length: 2,
      stateStarts: Uint32Array.of(0, 1, 2),
      stateRows: Uint32Array.of(0, 1),
      edgeStarts: Uint32Array.of(0, 0, 1),
      edgeRows: Uint32Array.of(1),
      gold: Int32Array.of(0, 0),
      sentence: {
        tokens: ['v', 'w'],
        columns: {},
        document: {},
        part: { index: 0, count: 1, start: 0 },
      },
    },
  ]);
  return { store, batch };
}

describe.each(kernelsWithLists)('$name over listed pairs', ({ kernel, tolerance }) => {
  it('sums labels again whose sums cancel, in both directions', () => {
    const place = new KernelPlace(kernel);
    const { store, batch } = problem(place);
    const oracle = new Enumeration(scoresOf(store, batch.sentences[0]!));
    const lattice = place.lattice();
    lattice.allowsLists = true;
    lattice.transitionForm = 'sparse';
    scoreBatch(kernel, store, lattice, batch);
    kernel.exponentiate(lattice);
    expect(lattice.pairLists.isListed(0)).toBe(true);
    const logZ = kernel.forwardBackwardScaled(lattice, 0);
    const { width } = lattice;
    const deviations = new Deviations();
    deviations.note('log Z', [logZ], [oracle.logZ]);
    for (const t of [0, 1]) {
      const nodes = lattice.nodes.view.subarray(t * width, t * width + labels);
      deviations.note('nodes', nodes, oracle.nodes[t]!);
    }
    expect(deviations.beyond(tolerance)).toEqual([]);
  });
});
