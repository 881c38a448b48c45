import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Contribution } from '../../core/training/contribution.js';
import type { CompactPlane } from '../compact/compact-store.js';
import type { Kernel, PenaltyState } from '../kernel.js';
import type { Lattice } from '../lattice.js';
import type { Plane } from '../memory/plane.js';
import type { Pruning } from '../pruning/candidates.js';
import type { AdaptiveSteps } from '../rows/adaptive-steps.js';
import type { AveragedRows } from '../rows/averaged-rows.js';
import type { ParameterStore } from '../store/parameter-store.js';

/**
 * A kernel for one of several threads that update the same parameters: one thread changes whole planes
 * while all others wait, and a thread changes nothing while it skips other threads' sentences. Before
 * `join` it behaves like the kernel it wraps.
 */
export class MemberKernel implements Kernel {
  readonly name: string;
  readonly precision: Kernel['precision'];
  readonly #kernel: Kernel;
  #meet: (() => void) | undefined;
  #isFirst = true;
  /** Whether updates are left to other threads. */
  passing = false;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.name = kernel.name;
    this.precision = kernel.precision;
  }

  /**
   * @param member index of the thread; thread 0 changes whole planes
   * @param meet waits until all other threads have called it
   */
  join(member: number, meet: () => void): void {
    this.#isFirst = member === 0;
    this.#meet = meet;
  }

  score(store: ParameterStore, lattice: Lattice): void {
    this.#kernel.score(store, lattice);
  }

  prune(lattice: Lattice, pruning: Pruning): void {
    this.#kernel.prune(lattice, pruning);
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
    everywhere = false,
  ): void {
    if (!this.passing) this.#kernel.accumulate(store, plane, contribution, s, factor, everywhere);
  }

  applyCumulativePenalty(
    store: ParameterStore,
    penalty: PenaltyState,
    contribution: Contribution,
    s: number,
  ): void {
    if (!this.passing) this.#kernel.applyCumulativePenalty(store, penalty, contribution, s);
  }

  chargeAdaptively(
    store: ParameterStore,
    steps: AdaptiveSteps,
    minibatch: Minibatch,
    s: number,
  ): void {
    if (!this.passing) this.#kernel.chargeAdaptively(store, steps, minibatch, s);
  }

  stepAdaptively(
    store: ParameterStore,
    steps: AdaptiveSteps,
    contribution: Contribution,
    s: number,
  ): void {
    if (!this.passing) this.#kernel.stepAdaptively(store, steps, contribution, s);
  }

  chargeCopy(steps: AdaptiveSteps, copy: Plane): void {
    this.#kernel.chargeCopy(steps, copy);
  }

  averageRows(store: ParameterStore, averages: Plane, rows: AveragedRows): void {
    if (!this.passing) this.#kernel.averageRows(store, averages, rows);
  }

  accumulateCompressed(
    store: ParameterStore,
    plane: CompactPlane,
    contribution: Contribution,
    s: number,
  ): void {
    if (!this.passing) this.#kernel.accumulateCompressed(store, plane, contribution, s);
  }

  scalePlane(plane: Plane, factor: number): void {
    this.#alone(() => this.#kernel.scalePlane(plane, factor));
  }

  axpy(factor: number, x: Plane, y: Plane): void {
    this.#alone(() => this.#kernel.axpy(factor, x, y));
  }

  #alone(work: () => void): void {
    this.#meet?.();
    if (this.#isFirst) work();
    this.#meet?.();
  }
}
