import type { Precision } from '../../core/arrays.js';
import type { Visit } from './observation-visit.js';

/** What moves at once: one weight, the weights of a feature, or those of all features of an observation. */
export type Grouping = 'weight' | 'feature' | 'observation';

/** How the weights of an observation are moved. */
export interface MoveOptions {
  readonly l1: number;
  readonly l2: number;
  readonly grouping: Grouping;
  readonly precision: Precision;
  /** Stabilising factors, which learn from each step; that of block `b` is at `factorAt[b]`. */
  readonly factors: Float64Array;
  readonly factorAt: readonly number[];
}

/** What came of it. */
export interface MoveResult {
  readonly evaluations: number;
  readonly moved: boolean;
}

/** Share of the promised decrease that a step has to keep. */
const kept = 0.1;
/** Share from which on the factor falls, and below which it rises. */
const good = 0.75;
const poor = 0.4;
/** Steps that promise less than this share of the loss and its terms are lost in rounding. */
const rounding = { float64: 1e-14, float32: 1e-8 };

/**
 * Moves the weights of each block of a visit by `elasticNetStep`, at once or one by one, or those of all blocks at once. A step after
 * which loss and penalties have not fallen by a tenth of what was promised is taken back and tried again
 * with a larger factor, so that they never rise. One evaluation a step, and one at first.
 */
export function moveWeights(visit: Visit, options: MoveOptions): MoveResult {
  const { weights } = visit;
  const before = weights.slice();
  const moved = weights.slice();
  const gradient = weights.slice();
  const curvature = weights.slice();
  const least = rounding[options.precision];
  let loss = visit.evaluate();
  let evaluations = 1;
  let anything = false;

  /** Moves the weights `[from, end)`; returns whether they have moved. */
  const step = (from: number, end: number, place: number): boolean => {
    gradient.set(visit.gradient);
    curvature.set(visit.curvature);
    before.set(weights);
    for (let tries = 0; ; tries += 1) {
      const factor = options.factors[place]!;
      const input = { weights: before, gradient, curvature, from, end, factor };
      const promise = elasticNetStep({ ...input, l1: options.l1, l2: options.l2 }, moved);
      if (-promise.change <= least * (Math.abs(loss) + visit.sentences.tokens)) {
        if (tries === 0) return false;
        // The last try has to be undone, and what belongs to the weights found again.
        weights.set(before);
        visit.place();
        loss = visit.evaluate();
        evaluations += 1;
        options.factors[place] = 1;
        return false;
      }
      for (let k = from; k < end; k += 1) weights[k] = moved[k]!;
      visit.place();
      const after = visit.evaluate();
      evaluations += 1;
      const share = (after - loss + promise.penalty) / promise.change;
      if (share >= good) options.factors[place] = Math.max(factor / 2, 1);
      else if (share < kept) options.factors[place] = factor * 4;
      else if (share < poor) options.factors[place] = factor * 2;
      if (share >= kept) {
        loss = after;
        anything = true;
        return true;
      }
    }
  };

  if (options.grouping === 'observation') {
    // Of the factors of its features the first is that of the observation.
    step(0, weights.length, options.factorAt[0]!);
    return { evaluations, moved: anything };
  }
  for (const [b, { from, end }] of visit.blocks.entries()) {
    const place = options.factorAt[b]!;
    if (options.grouping === 'weight') for (let k = from; k < end; k += 1) step(k, k + 1, place);
    else step(from, end, place);
  }
  return { evaluations, moved: anything };
}

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

/**
 * S(z, r) = sign(z) max(|z| - r, 0): what minimises (x - z)^2 / 2 + r |x|.
 *
 * @example
 * [softThreshold(3, 1), softThreshold(-3, 1), softThreshold(0.5, 1)] // => [2, -2, 0]
 */
export function softThreshold(z: number, r: number): number {
  if (z > r) return z - r;
  return z < -r ? z + r : 0;
}
