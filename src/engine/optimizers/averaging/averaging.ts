import type { Contribution } from '../../core/training/contribution.js';
import { type State, stateCount, stateNumber } from '../../core/training/state.js';
import type { Kernel } from '../../kernels/kernel.js';
import { clearPlane, type Plane } from '../../kernels/memory/plane.js';
import type { RealTable } from '../../kernels/memory/real-table.js';
import { CreationTimes } from '../../kernels/store/creation-times.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { copyPlane, planeArrays, restorePlane } from '../planes/planes.js';

/**
 * The average of the weights over all sentences counted so far, at the cost of a second sparse update
 * per sentence.
 *
 * With w = s v (s a scale, v stored) and A_n = s_1 + ... + s_n, a second plane u is kept so that
 *
 *     w_1 + ... + w_n = A_n v_n + u_n,   u -= A_{n-1} delta   whenever v += delta at sentence n
 *
 * With s = 1 it is Collins's (2002) averaged perceptron; with a shrinking s, averaged SGD with L2 (the
 * second accumulator of Xu, 2011). A parameter created at sentence b is averaged over its own n - b
 * sentences, so late features and labels are not diluted.
 */
export class Averaging {
  readonly #sums: Plane;
  readonly #creationTimes = new CreationTimes();
  #scaleSum = 0;
  #count = 0;

  constructor(parameters: ParameterStore) {
    this.#sums = parameters.addPlane();
  }

  /** Number of sentences in the average. */
  get count(): number {
    return this.#count;
  }

  /** Discards the average so far. */
  restart(): void {
    if (this.#count === 0) return;
    clearPlane(this.#sums);
    this.#creationTimes.reset();
    this.#scaleSum = 0;
    this.#count = 0;
  }

  /** Registers new parameters as created now; call before each batch. */
  prepare(parameters: ParameterStore): void {
    this.#creationTimes.note(parameters, this.#count);
  }

  /** Records the update v += factor * gradient of sentence `s`, then counts the sentence. */
  follow(
    kernel: Kernel,
    parameters: ParameterStore,
    contribution: Contribution,
    s: number,
    factor: number,
  ): void {
    if (factor !== 0 && this.#scaleSum !== 0) {
      kernel.accumulate(parameters, this.#sums, contribution, s, -this.#scaleSum * factor);
    }
    this.#scaleSum += parameters.scale;
    this.#count += 1;
  }

  /**
   * Moves A v into u; call before rescaling v <- s v and s <- 1. If A were rescaled too, it would grow
   * like 1 / s without bound, and the sum would be a difference of two huge numbers.
   */
  beforeRescaling(kernel: Kernel, { weights }: ParameterStore): void {
    kernel.axpy(this.#scaleSum, weights, this.#sums);
    this.#scaleSum = 0;
  }

  /** Writes the averages into `target`, or the current weights if nothing has been averaged yet. */
  deploy(parameters: ParameterStore, target: Plane): void {
    const { weights, labels, stateRows, edgeRows, labelCapacity } = parameters;
    const creationTimes = this.#creationTimes;
    if (parameters.statePairs === undefined) {
      this.#average(parameters, weights.state, this.#sums.state, target.state, {
        rows: stateRows,
        createdAt: row => creationTimes.state[row]!,
      });
    } else {
      this.#averageStatePairs(parameters, target);
    }
    const edges = parameters.hasEdgeBlocks ? edgeRows * labelCapacity : labelCapacity;
    this.#average(parameters, weights.edges, this.#sums.edges, target.edges, {
      rows: edges,
      createdAt: row => {
        const from = row % labelCapacity;
        const label = from < labels ? creationTimes.labels[from]! : 0;
        return Math.max(creationTimes.edges[(row - from) / labelCapacity]!, label);
      },
    });
    const pairs = target.pairs.view;
    for (let i = 0; i < parameters.pairs.size; i += 1) {
      const sum = this.#scaleSum * weights.pairs.view[i]! + this.#sums.pairs.view[i]!;
      pairs[i] = this.#mean(
        sum,
        creationTimes.pairs[i]!,
        parameters.scale * weights.pairs.view[i]!,
      );
    }
  }

  #average(
    parameters: ParameterStore,
    weights: RealTable,
    sums: RealTable,
    target: RealTable,
    rows: { rows: number; createdAt: (row: number) => number },
  ): void {
    const { labels, width, scale } = parameters;
    const v = weights.view;
    const u = sums.view;
    const to = target.view;
    const labelCreationTimes = this.#creationTimes.labels;
    for (let row = 0; row < rows.rows; row += 1) {
      const rowCreatedAt = rows.createdAt(row);
      for (let y = 0; y < labels; y += 1) {
        const at = row * width + y;
        // Most weights are and always were zero.
        if (v[at] === 0 && u[at] === 0) {
          to[at] = 0;
          continue;
        }
        const createdAt = Math.max(rowCreatedAt, labelCreationTimes[y]!);
        to[at] = this.#mean(this.#scaleSum * v[at]! + u[at]!, createdAt, scale * v[at]!);
      }
    }
  }

  /** All pairs exist from the first update on. */
  #averageStatePairs({ weights, scale }: ParameterStore, target: Plane): void {
    const v = weights.state.view;
    const u = this.#sums.state.view;
    const to = target.state.view;
    for (let i = 0; i < to.length; i += 1) {
      to[i] = this.#mean(this.#scaleSum * v[i]! + u[i]!, 0, scale * v[i]!);
    }
  }

  #mean(sum: number, createdAt: number, present: number): number {
    const life = this.#count - createdAt;
    return life > 0 ? sum / life : present;
  }

  save(): State {
    return {
      json: { scaleSum: this.#scaleSum, count: this.#count },
      arrays: {
        ...planeArrays('average', this.#sums),
        ...this.#creationTimes.save(),
      },
    };
  }

  restore(state: State): void {
    this.#scaleSum = stateNumber(state, 'scaleSum');
    this.#count = stateCount(state, 'count');
    restorePlane('average', this.#sums, state);
    this.#creationTimes.restore(state);
  }
}

/** Writes the average of the weights to `target` if there is one, else the weights themselves. */
export function deployAverage(
  parameters: ParameterStore,
  averaging: Averaging | undefined,
  target: Plane,
): void {
  if (averaging === undefined) copyPlane(parameters.weights, target, parameters.scale);
  else averaging.deploy(parameters, target);
}
