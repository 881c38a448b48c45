import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { scoreBatch } from '../../../../src/engine/inference/score-batch.js';
import type { Kernel } from '../../../../src/engine/kernels/kernel.js';
import type { Lattice } from '../../../../src/engine/kernels/lattice.js';
import { ParameterStore } from '../../../../src/engine/kernels/store/parameter-store.js';
import type { ChainScores } from '../chain-scores.js';
import { KernelPlace } from '../kernels/kernel-place.js';

/**
 * A scored lattice of one sentence with exactly these scores, put in behind `score`. With `slots` every
 * transition has a matrix of its own; otherwise all share that of token 1. A float32 kernel gets them
 * rounded: see `roundedScores`.
 */
export function givenScores(kernel: Kernel, scores: ChainScores, slots: boolean): Lattice {
  const length = scores.emissions.length;
  const labels = scores.emissions[0]!.length;
  const place = new KernelPlace(kernel);
  const { precision, memory } = place;
  const store = new ParameterStore({ transitions: true, support: 'all', precision }, 1, memory);
  store.reserve({ labels, stateRows: 0, edgeRows: 2 });
  const lattice = place.lattice();
  const batch = packMinibatch([
    {
      length,
      stateStarts: new Uint32Array(length + 1),
      stateRows: new Uint32Array(0),
      ...(slots
        ? {
            edgeStarts: Uint32Array.from({ length: length + 1 }, (_, t) => t),
            edgeRows: new Uint32Array(length).fill(1),
          }
        : {}),
      gold: new Int32Array(length),
      sentence: {
        tokens: new Array(length).fill('w'),
        columns: {},
        document: {},
        part: { index: 0, count: 1, start: 0 },
      },
    },
  ]);
  scoreBatch(kernel, store, lattice, batch);
  const { width, matrixSize } = lattice;
  for (let t = 0; t < length; t += 1) {
    lattice.emissionScores.view.set(scores.emissions[t]!, t * width);
    if (t === 0) continue;
    const target = slots ? lattice.edgeScores.view : lattice.transitionScores.view;
    const base = slots ? lattice.edgeSlots[t]! * matrixSize : 0;
    for (let from = 0; from < labels; from += 1) {
      target.set(scores.transitions[slots ? t : 1]![from]!, base + from * width);
    }
  }
  return lattice;
}
