import type { Contribution } from '../../core/contribution.js';
import type { Kernel, PenaltyState } from '../kernel.js';
import type { Lattice } from '../lattice.js';
import type { ParameterStore } from '../parameter-store.js';
import type { Plane } from '../plane.js';
import { blockBits, type RowOwners } from './row-owners.js';

/** What a member of a crew does of the work on whole planes. */
export interface Membership {
  readonly member: number;
  readonly owners: RowOwners;
  readonly store: ParameterStore;
  /** Called before and after, where members update the same rows and have to stop for it. */
  readonly meet?: () => void;
}

/**
 * A kernel for one member of a crew: whole planes are changed in the rows of this member alone, and
 * nothing at all while the member passes over the sentences of others. Outside a crew it is the kernel.
 */
export class MemberKernel implements Kernel {
  readonly name: string;
  readonly precision: Kernel['precision'];
  readonly #kernel: Kernel;
  #membership: Membership | undefined;
  /** Updates are left to others. */
  passing = false;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.name = kernel.name;
    this.precision = kernel.precision;
  }

  join(membership: Membership): void {
    this.#membership = membership;
  }

  score(store: ParameterStore, lattice: Lattice): void {
    this.#kernel.score(store, lattice);
  }

  exponentiate(lattice: Lattice): void {
    this.#kernel.exponentiate(lattice);
  }

  forwardBackwardScaled(lattice: Lattice, s: number): number {
    return this.#kernel.forwardBackwardScaled(lattice, s);
  }

  forwardBackwardLog(lattice: Lattice, s: number): number {
    return this.#kernel.forwardBackwardLog(lattice, s);
  }

  viterbi(lattice: Lattice, s: number, labels: Int32Array): number {
    return this.#kernel.viterbi(lattice, s, labels);
  }

  pathScore(lattice: Lattice, s: number, labels: Int32Array): number {
    return this.#kernel.pathScore(lattice, s, labels);
  }

  accumulate(
    store: ParameterStore,
    plane: Plane,
    contribution: Contribution,
    s: number,
    factor: number,
  ): void {
    if (!this.passing) this.#kernel.accumulate(store, plane, contribution, s, factor);
  }

  applyCumulativePenalty(
    store: ParameterStore,
    penalty: PenaltyState,
    contribution: Contribution,
    s: number,
  ): void {
    if (!this.passing) this.#kernel.applyCumulativePenalty(store, penalty, contribution, s);
  }

  scalePlane(plane: Plane, factor: number): void {
    const membership = this.#membership;
    if (membership === undefined) {
      this.#kernel.scalePlane(plane, factor);
      return;
    }
    forOwnNumbers(membership, (table, from, to) => {
      const numbers = plane[table].view;
      for (let i = from; i < to; i += 1) numbers[i]! *= factor;
    });
  }

  addPlane(plane: Plane, source: Plane, factor: number): void {
    const membership = this.#membership;
    if (membership === undefined) {
      this.#kernel.addPlane(plane, source, factor);
      return;
    }
    forOwnNumbers(membership, (table, from, to) => {
      const numbers = plane[table].view;
      const added = source[table].view;
      for (let i = from; i < to; i += 1) numbers[i]! += factor * added[i]!;
    });
  }
}

type Visit = (table: keyof Plane, from: number, to: number) => void;

/** Visits the ranges of the numbers of a plane that belong to a member. */
function forOwnNumbers({ member, owners, store, meet }: Membership, visit: Visit): void {
  meet?.();
  const { state, edges } = owners;
  const { width, matrixSize, stateRows } = store;
  for (let block = 0; block < state.length; block += 1) {
    if (state[block] !== member) continue;
    const end = Math.min((block + 1) << blockBits, stateRows);
    visit('state', (block << blockBits) * width, end * width);
  }
  for (let row = 0; row < edges.length; row += 1) {
    if (edges[row] !== member) continue;
    if (row === 0 || store.hasEdgeBlocks) visit('edges', row * matrixSize, (row + 1) * matrixSize);
    if (row > 0 && !store.hasEdgeBlocks) visitPairs(store, row, visit);
  }
  meet?.();
}

function visitPairs({ pairs }: ParameterStore, row: number, visit: Visit): void {
  for (let pair = pairs.heads[row]!; pair >= 0; pair = pairs.next[pair]!) {
    visit('pairs', pair, pair + 1);
  }
}
