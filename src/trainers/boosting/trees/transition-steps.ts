import type { Contribution } from '../../../core/training/contribution.js';
import type { ParameterStore } from '../../../kernels/store/parameter-store.js';

/**
 * Steps of the plain transitions, which are weights beside the trees. With n(i, j) how often a pair of labels is
 * observed, and E(i, j) how often it is expected,
 *
 *     w(i, j) += shrinkage log((n(i, j) + l2) / (E(i, j) + l2)),
 *
 * the step of iterative scaling, smoothed so that it ends for pairs that never occur.
 */
export class TransitionSteps {
  readonly #observed: Float64Array;
  /** E - n of the sentences so far. */
  readonly #residuals: Float64Array;
  readonly #parameters: ParameterStore;

  constructor(parameters: ParameterStore) {
    this.#parameters = parameters;
    this.#observed = new Float64Array(parameters.matrixSize);
    this.#residuals = new Float64Array(parameters.matrixSize);
  }

  clear(): void {
    this.#observed.fill(0);
    this.#residuals.fill(0);
  }

  /** Adds sentence `s` of a contribution of the log loss. */
  add(contribution: Contribution, s: number): void {
    const { minibatch, transitionResidual, matrixSize, width } = contribution;
    const { gold, sentenceStarts } = minibatch;
    const weight = minibatch.weights?.[s] ?? 1;
    for (let t = sentenceStarts[s]! + 1; t < sentenceStarts[s + 1]!; t += 1) {
      this.#observed[gold[t - 1]! * width + gold[t]!]! += weight;
    }
    const first = s * matrixSize;
    for (let i = 0; i < matrixSize; i += 1) this.#residuals[i]! += transitionResidual[first + i]!;
  }

  /** Makes the step; returns whether any weight has changed. */
  step(l2: number, shrinkage: number): boolean {
    const { layout, labels, width, support, weights } = this.#parameters;
    if (!layout.transitions) return false;
    const table = weights.edges.view;
    let changes = false;
    for (let from = 0; from < labels; from += 1) {
      for (let at = from * width; at < from * width + labels; at += 1) {
        if (support !== undefined && support.transitions[at] === 0) continue;
        const observed = this.#observed[at]!;
        // Rounding may leave less than nothing.
        const expected = Math.max(0, observed + this.#residuals[at]!);
        if (observed === expected) continue;
        table[at]! += shrinkage * Math.log((observed + l2) / (expected + l2));
        changes = true;
      }
    }
    return changes;
  }
}
