import type { Plane } from '../memory/plane.js';
import type { ParameterStore } from '../store/parameter-store.js';
import { CoalescedGradient } from './coalesced-gradient.js';
import { RowNumbers } from './row-numbers.js';

/** The penalty and step options of AdaGrad. */
export interface CompositeOptions {
  readonly eta0: number;
  readonly delta: number;
  readonly l1: number;
  readonly l2: number;
}

/**
 * The composite mirror descent step for one weight, and k steps without a gradient at once.
 *
 * With h = delta + sqrt(sum of squared gradients), r1 = eta l1 / N and r2 = 2 eta l2 / N, a step with the gradient g
 * turns a weight w into sign(v) max(0, |v| - r1 / (h + r2)), where v = (h w - eta g) / (h + r2) is computed as w - (r2 w
 * + eta g) / (h + r2), which is exact even if r2 is far below the last digit of h. As h does not change without a
 * gradient, k such steps turn |w| into
 *
 *     max(0, a^k |w| - (1 - a^k) r1 / r2),  a = h / (h + r2);   without L2: max(0, |w| - k r1 / h)
 *
 * If a feature's values are divided by a scale, g and its squares are divided accordingly, and steps and r1 apply to the
 * weight of the undivided feature, which is smaller by that factor.
 */
export class CompositePenalty {
  /** Whether any penalty is charged. */
  readonly charges: boolean;
  readonly eta: number;
  readonly delta: number;
  readonly r1: number;
  readonly r2: number;

  constructor({ eta0, delta, l1, l2 }: CompositeOptions, corpusSize: number) {
    this.charges = l1 > 0 || l2 > 0;
    this.eta = eta0;
    this.delta = delta;
    this.r1 = (eta0 * l1) / corpusSize;
    this.r2 = (2 * eta0 * l2) / corpusSize;
  }

  /**
   * Returns the weight after a step with the gradient `g`, whose square `squares` already includes.
   */
  step(weight: number, g: number, squares: number, scale = 1): number {
    const h = this.delta + Math.sqrt(squares) + this.r2;
    const moved = weight - (this.r2 * weight + (this.eta / scale) * g) / h;
    const size = Math.abs(moved) - this.r1 / scale / h;
    if (size <= 0) return 0;
    return moved > 0 ? size : -size;
  }

  /** Returns the weight after `count` steps without a gradient. */
  charged(weight: number, squares: number, count: number, scale = 1): number {
    const h = this.delta + Math.sqrt(squares);
    const r1 = this.r1 / scale;
    let size = Math.abs(weight);
    if (this.r2 === 0) size -= (count * r1) / h;
    else {
      // 1 - a^k, without cancellation for a near 1.
      const lost = -Math.expm1(-count * Math.log1p(this.r2 / h));
      size -= lost * (size + r1 / this.r2);
    }
    if (size <= 0) return 0;
    return weight > 0 ? size : -size;
  }

  /**
   * Returns the weight of dual averaging after `t` sentences, from the sum of its gradients:
   *
   *     w = -sign(sum) max(0, eta |sum| - t r1) / (h + t r2)
   */
  averaged(sum: number, squares: number, t: number, scale = 1): number {
    const h = this.delta + t * this.r2 + Math.sqrt(squares);
    const size = (this.eta / scale) * Math.abs(sum) - t * (this.r1 / scale);
    if (size <= 0) return 0;
    return sum > 0 ? -size / h : size / h;
  }
}

/** The state of adaptive steps for a store's weights; see `Kernel.stepAdaptively`. */
export class AdaptiveSteps {
  readonly penalty: CompositePenalty;
  /** Sums of squared gradients. */
  readonly squares: Plane;
  /** Sums of gradients, from which dual averaging computes the weights; absent for mirror descent. */
  readonly sums: Plane | undefined;
  /** Number of sentences whose penalties each row has received. */
  readonly clocks: RowNumbers;
  /** Largest value so far of each row's feature, if values are divided by it; 0 means unknown and counts as 1. */
  readonly scales: RowNumbers | undefined;
  /** Gradient of the current sentence, for uses that need it as a whole. */
  readonly gradient = new CoalescedGradient();
  /** Number of sentences processed. */
  sentences = 0;

  /**
   * @param options.normalized whether values are divided by the feature's largest value so far
   * @param options.averaging whether weights are computed from sums of gradients
   */
  constructor(
    parameters: ParameterStore,
    penalty: CompositePenalty,
    { normalized = false, averaging = false } = {},
  ) {
    this.penalty = penalty;
    this.squares = parameters.addPlane();
    this.sums = averaging ? parameters.addPlane() : undefined;
    this.clocks = new RowNumbers(parameters);
    this.scales = normalized ? new RowNumbers(parameters, 'scales') : undefined;
  }

  /** Makes room for the current number of rows. */
  reserve(): void {
    this.clocks.reserve();
    this.scales?.reserve();
  }
}
