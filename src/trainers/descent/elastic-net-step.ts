import { softThreshold } from './soft-threshold.js';

/** The weights `[from, end)` of some that are moved at once, and what is known where they are. */
export interface StepInput {
  readonly weights: Float64Array;
  /** Gradient and diagonal curvature of the smooth loss. */
  readonly gradient: Float64Array;
  readonly curvature: Float64Array;
  readonly from: number;
  readonly end: number;
  readonly l1: number;
  readonly l2: number;
  /** What the curvature is multiplied by. */
  readonly factor: number;
}

/** What a step does to the penalties, and to the whole objective if its model is right. */
export interface StepPromise {
  readonly penalty: number;
  /** Not positive; 0 where nothing moves. */
  readonly change: number;
}

/**
 * How far a gradient that nothing opposes moves a weight at most, before `factor`: where all other labels
 * are very likely, p(1 - p) says little of what it will be.
 */
const reach = 4;

/** A curvature that keeps weights finite which nothing depends on. */
const least = 1e-12;

/**
 * Minimises a separable quadratic model of the loss plus the elastic net, into `moved`:
 *
 *     H_k = factor * max(h_k, |g_k| / 4),   w_k <- S(H_k w_k - g_k, l1) / (H_k + 2 l2)
 *
 * Sokolovska, Lavergne, Cappe and Yvon (2010), section 4.2, whose rho_1 is l1 and rho_2 is 2 l2.
 */
export function elasticNetStep(input: StepInput, moved: Float64Array): StepPromise {
  const { weights, gradient, curvature, from, end, l1, l2, factor } = input;
  let penalty = 0;
  let smooth = 0;
  for (let k = from; k < end; k += 1) {
    const w = weights[k]!;
    const g = gradient[k]!;
    const h = Math.max(factor * Math.max(curvature[k]!, Math.abs(g) / reach), least);
    const to = softThreshold(h * w - g, l1) / (h + 2 * l2);
    const step = to - w;
    moved[k] = to;
    penalty += l1 * (Math.abs(to) - Math.abs(w)) + l2 * step * (to + w);
    smooth += step * (g + (h / 2) * step);
  }
  return { penalty, change: Math.min(smooth + penalty, 0) };
}
