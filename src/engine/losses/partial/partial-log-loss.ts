import type { Reals } from '../../core/arrays.js';
import { forwardBackward } from '../../inference/forward-backward.js';
import type { Kernel } from '../../kernels/kernel.js';
import type { Lattice } from '../../kernels/lattice.js';
import { LossScratch } from '../residuals/loss-scratch.js';
import { amongAllowed } from './allowed.js';

/**
 * Returns the log loss of a partially labelled sentence, marginalised over the unknown labels:
 *
 *     log Z - log Z_A,   residuals p(y_t = y | x) - p(y_t = y | x, y in A)
 *
 * where A is the set of allowed label sequences; likewise for the edges. With one allowed label per
 * token, this is the log loss. Not negative, and not convex. Cost O(T L^2); the part for A is
 * proportional to the allowed labels unless scaling would underflow.
 */
export function partialLogLoss(kernel: Kernel, lattice: Lattice, s: number): number {
  if (lattice.further !== undefined) return inLogSpace(kernel, lattice, s);
  const logZ = forwardBackward(kernel, lattice, s);
  const logZAllowed = LossScratch.of(lattice).allowed.subtract(s);
  return Number.isNaN(logZAllowed) ? inLogSpace(kernel, lattice, s) : logZ - logZAllowed;
}

function inLogSpace(kernel: Kernel, lattice: Lattice, s: number): number {
  const logZAllowed = amongAllowed(lattice, s, () => kernel.forwardBackwardLog(lattice, s));
  const kept = LossScratch.of(lattice).marginals(marginalCount(lattice, s));
  eachMarginal(lattice, s, (view, at, count, to) => {
    for (let i = 0; i < count; i += 1) kept[to + i] = view[at + i]!;
  });
  const logZ = forwardBackward(kernel, lattice, s);
  eachMarginal(lattice, s, (view, at, count, to) => {
    for (let i = 0; i < count; i += 1) view[at + i]! -= kept[to + i]!;
  });
  return logZ - logZAllowed;
}

type Visit = (view: Reals, at: number, count: number, to: number) => void;

/** Visits the ranges that hold a sentence's marginals, each with its offset. */
function eachMarginal(lattice: Lattice, s: number, visit: Visit): void {
  const { sentenceStarts } = lattice.batch!;
  const first = sentenceStarts[s]!;
  const end = sentenceStarts[s + 1]!;
  const { width, matrixSize, edgeSlots } = lattice;
  const nodes = (end - first) * width;
  visit(lattice.nodes.view, first * width, nodes, 0);
  visit(lattice.transitions.view, s * matrixSize, matrixSize, nodes);
  let next = nodes + matrixSize;
  const further = lattice.further?.residuals(s, first, end);
  if (further !== undefined) {
    visit(further, 0, further.length, next);
    next += further.length;
  }
  const slots = slotRange(edgeSlots, first, end);
  if (slots === undefined) return;
  const [from, count] = slots;
  visit(lattice.edges.view, from * matrixSize, count * matrixSize, next);
}

function marginalCount(lattice: Lattice, s: number): number {
  const { sentenceStarts } = lattice.batch!;
  const first = sentenceStarts[s]!;
  const end = sentenceStarts[s + 1]!;
  const tokens = end - first;
  // A token has at most one slot, and the first token of a sentence has none.
  const matrices = lattice.slots === 0 ? 1 : tokens;
  const further = lattice.further?.residuals(s, first, end).length ?? 0;
  return tokens * lattice.width + matrices * lattice.matrixSize + further;
}

/**
 * Returns the first slot of tokens `[first, end)` and the number of their slots, which are assigned
 * in token order.
 */
function slotRange(slots: Int32Array, first: number, end: number): [number, number] | undefined {
  let from = -1;
  let count = 0;
  for (let t = first; t < end; t += 1) {
    const slot = slots[t]!;
    if (slot < 0) continue;
    if (from < 0) from = slot;
    count += 1;
  }
  return from < 0 ? undefined : [from, count];
}
