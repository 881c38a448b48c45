import { describe, expect, it } from 'vitest';
import type { Minibatch } from '../../../src/engine/core/minibatch/minibatch.js';
import { PackedMinibatch } from '../../../src/engine/core/minibatch/packed-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import {
  CompactPlane,
  compactStore,
  pairStarts,
} from '../../../src/engine/kernels/compact/compact-store.js';
import { placeFeatures } from '../../../src/engine/kernels/compact/place-features.js';
import type { Kernel } from '../../../src/engine/kernels/kernel.js';
import { Lattice } from '../../../src/engine/kernels/lattice.js';
import { referenceKernel } from '../../../src/engine/kernels/reference/reference-kernel.js';
import { CompressedRows } from '../../../src/engine/kernels/store/compressed-rows.js';
import type { ParameterStore } from '../../../src/engine/kernels/store/parameter-store.js';
import { contributionOf } from '../../../src/engine/losses/contribution-of.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import { FreeParameters } from '../../../src/engine/trainers/vectors/free-parameters.js';
import { Deviations } from './differences/deviations.js';
import { float64Copy } from './kernels/float64-copy.js';
import { KernelPlace } from './kernels/kernel-place.js';
import { kernelRows } from './kernels/kernels.js';
import { LatticeReader } from './kernels/lattice-reader.js';
import { randomProblem } from './problems/problem.js';

/** Every second feature keeps its first pair alone, as most features of a corpus have one. */
function thinOut({ support, weights, width, labels, stateRows }: ParameterStore): void {
  const view = weights.state.view;
  for (let row = 1; row < stateRows; row += 2) {
    let kept = false;
    for (let at = row * width; at < row * width + labels; at += 1) {
      if (kept) {
        support!.state[at] = 0;
        view[at] = 0;
      }
      kept ||= support!.state[at] === 1;
    }
  }
}

/** Scores, loss and gradient by the dense tables of the reference. */
function denseSide(store: ParameterStore, batch: Minibatch) {
  const lattice = new Lattice(store.memory, 'float64');
  const plane = store.addPlane();
  const made = contributionOf(referenceKernel, store, lattice, batch, logLoss);
  for (let s = 0; s < batch.sentences.length; s += 1) {
    if (batch.labelled[s] === 0) continue;
    referenceKernel.accumulate(store, plane, made, s, 1);
  }
  const gradient = new Float64Array(new FreeParameters(store).size);
  new FreeParameters(store).gather(plane, gradient);
  return { lattice, gradient, loss: made.loss };
}

/** The same by compressed rows. */
function compactSide(kernel: Kernel, store: ParameterStore, batch: Minibatch, isPlaced: boolean) {
  const compact = compactStore(store);
  const features = Uint32Array.from({ length: store.stateRows }, (_, row) => row);
  const starts = pairStarts(store);
  const rowsOf = new CompressedRows(store, features, starts, compact.memory, compact.width);
  compact.compressed = rowsOf;
  const free = new FreeParameters(store);
  const others = new FreeParameters(compact);
  const vector = new Float64Array(free.size);
  free.gather(store.weights, vector);
  rowsOf.set(vector);
  others.scatter(vector.subarray(free.transitionsFrom), compact.weights);
  compact.scale = store.scale;
  const lattice = new Lattice(compact.memory, kernel.precision);
  const plane = new CompactPlane(compact, rowsOf);
  const rows = { starts: batch.stateStarts, rows: batch.stateRows, values: batch.stateValues };
  const places = { ...placeFeatures(rowsOf, rows), firstRows: batch.sentenceStarts };
  const minibatch = new PackedMinibatch(batch.sentences, isPlaced ? places : undefined);
  const made = contributionOf(kernel, compact, lattice, minibatch, logLoss);
  for (let s = 0; s < batch.sentences.length; s += 1) {
    if (batch.labelled[s] === 0) continue;
    kernel.accumulateCompressed(compact, plane, made, s);
  }
  const gradient = new Float64Array(free.size);
  const sums = new Float64Array(rowsOf.free.length);
  rowsOf.gather(plane, sums);
  for (const [i, at] of rowsOf.free.entries()) gradient[at] = sums[i]!;
  others.gather(plane, gradient.subarray(free.transitionsFrom));
  const dense = rowsOf.denseRows.filter(row => row >= 0).length;
  return { lattice, gradient, loss: made.loss, dense, rows: store.stateRows };
}

describe.each(kernelRows)('compressed rows in the $name kernel', ({ name, kernel }) => {
  const tolerance = kernel.precision === 'float64' ? 1e-12 : 1e-4;

  it.each([
    { how: 'features placed in memory', isPlaced: true },
    { how: 'features elsewhere', isPlaced: false },
  ])(
    `give the scores and gradients of dense ones (${name}, $how)`,
    { tags: 'slow' },
    ({ isPlaced }) => {
      const random = new Random(60);
      const found = new Deviations();
      let [dense, rows, valued, slots] = [0, 0, 0, 0];
      for (let i = 0; i < 200; i += 1) {
        const shape = { support: 'observed', spread: 1, stateRows: 9, longest: 12 } as const;
        const labels = 1 + random.below(20);
        const place = new KernelPlace(kernel);
        const { store, batch } = randomProblem(random, { ...shape, labels }, place);
        thinOut(store);
        const expected = denseSide(float64Copy(store), batch);
        const actual = compactSide(kernel, store, batch, isPlaced);
        found.note('losses', [actual.loss], [expected.loss]);
        found.note('gradients', actual.gradient, expected.gradient);
        for (let s = 0; s < batch.sentences.length; s += 1) {
          const [a, b] = [actual, expected].map(({ lattice }) => new LatticeReader(lattice, s));
          found.note('emissions', a!.emissions().flat(), b!.emissions().flat());
          for (let t = 1; t < a!.length; t += 1) {
            const [into, other] = [a!.transitionsInto(t).flat(), b!.transitionsInto(t).flat()];
            found.note('transitions', into, other);
          }
        }
        dense += actual.dense;
        rows += actual.rows;
        slots += actual.lattice.slots;
        if (batch.stateValues !== undefined) valued += 1;
      }
      expect(found.beyond(tolerance)).toEqual([]);
      // Both ways of keeping a feature have been seen, values and edge features too.
      expect(dense).toBeGreaterThan(rows / 4);
      expect(dense).toBeLessThan((3 * rows) / 4);
      expect(valued).toBeGreaterThan(50);
      expect(slots).toBeGreaterThan(200);
    },
  );
});
