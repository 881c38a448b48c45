import * as z from 'zod';
import type { Precision } from '../../core/arrays.js';
import { type State, stateCount } from '../../core/training/state.js';
import type { Ending, Iteration, Trainer } from '../../core/training/trainer.js';
import { type ChainedCorpus, chainedCorpus } from '../chains/chained-corpus.js';
import type { Objective } from '../objective.js';
import { requireLogLoss } from '../requirements.js';
import { stoppingShape, TrainerProgress } from '../stopping/trainer-progress.js';
import type { WeightBlock } from '../vectors/free-parameters.js';
import { norm, norm1, pseudoGradient, savedVector } from '../vectors/vectors.js';
import { ChainVisit } from './chain-visit.js';
import {
  type Observation,
  ObservationVisit,
  observationsOf,
  type Visit,
} from './observation-visit.js';
import { SentenceFinder } from './visited-sentences.js';

/** Options shared by coordinate descent over features and over single weights. */
export const descentOptions = z.strictObject({
  l1: z.number().min(0).default(1).describe('L1 penalty: l1 * sum |w| over the corpus'),
  l2: z.number().min(0).default(0.01).describe('L2 penalty: l2 * sum w^2 over the corpus'),
  stabilise: z
    .number()
    .min(1)
    .default(1)
    .describe('initial factor of the curvature of each feature; it adapts'),
  curvature: z
    .enum(['uncorrelated', 'exact'])
    .default('uncorrelated')
    .describe(
      'second derivative of the loss; uncorrelated: as if occurrences in a sentence were independent; exact: with their covariances, which takes longer where an observation occurs several times in a sentence',
    ),
  activePasses: z
    .int()
    .min(0)
    .default(0)
    .describe(
      'passes at most over the weights that are not zero alone, after each pass over all weights',
    ),
  ...stoppingShape,
});

/** Options of blockwise coordinate descent. */
export const blockOptions = descentOptions.extend({
  joint: z
    .boolean()
    .default(false)
    .describe('update the weights of all features of an observation at once, for labels and pairs'),
  group: z
    .number()
    .min(0)
    .default(0)
    .describe(
      'group penalty: group * sum over the features (joint: observations) of sqrt(number of weights) * |w|, the length of their weights together; removes whole features',
    ),
});

/** Options of `bcd`, with their defaults. */
export type BlockOptions = z.infer<typeof blockOptions>;

/** Options of `cd`, with their defaults. */
export type DescentOptions = z.infer<typeof descentOptions>;

/**
 * Visits the observations of a corpus in turn and moves the weights of their features: one by one, per feature, or per
 * observation. Only the sentences that contain the observation are processed.
 *
 * A step that raises loss plus penalties is undone, so the objective never rises. Zero weights for which zero was optimal at
 * the start of a pass are skipped. With `activePasses`, each full pass is followed by passes over the nonzero weights while
 * they gain at least a tenth of its decrease; only full passes count for convergence, so the optimum is over all weights.
 *
 * `group` is the penalty of the group lasso (Meier, van de Geer and Buehlmann, 2008): the weights that move at once are a group.
 */
export class CoordinateDescent implements Trainer {
  readonly name: string;
  readonly #options: DescentOptions & { readonly group: number };
  readonly #grouping: Grouping;
  readonly #objective: Objective;
  readonly #progress: TrainerProgress;
  readonly #observations: readonly Observation[];
  readonly #finder: SentenceFinder;
  /** Places of each group's weights, if there is a group penalty. */
  readonly #groups: readonly Uint32Array[];
  /** The corpus as chains of token classes, if possible. */
  readonly #chains: ChainedCorpus | undefined;
  /** Stabilising factor of each feature, in the order of the observations. */
  #factors: Float64Array;
  #weights: Float64Array;
  /** Gradient of the smooth part at the current weights. */
  #gradient: Float64Array;
  /** Number of sentences processed in visits. */
  #visited = 0;

  /**
   * @param grouping the weights that move at once
   * @throws TagstreamError `config` for losses other than the log loss
   */
  constructor(
    name: string,
    options: DescentOptions & { readonly group?: number },
    objective: Objective,
    grouping: Grouping,
  ) {
    requireLogLoss(name, objective);
    this.name = name;
    this.#options = { group: 0, ...options };
    this.#grouping = grouping;
    this.#objective = objective;
    this.#progress = new TrainerProgress(objective, options, w => this.#penalised(w, 0));
    this.#observations = observationsOf(objective);
    this.#finder = new SentenceFinder(objective.corpus);
    this.#chains = chainedCorpus(objective);
    const { group } = this.#options;
    this.#groups = group === 0 ? [] : this.#observations.flatMap(each => groupsOf(each, grouping));
    const features = this.#observations.reduce((sum, { blocks }) => sum + blocks.length, 0);
    this.#factors = new Float64Array(features).fill(options.stabilise);
    this.#weights = objective.weights();
    this.#gradient = new Float64Array(this.#weights.length);
  }

  iterate(): Iteration {
    const objective = this.#objective;
    const progress = this.#progress;
    if (Number.isNaN(progress.value)) {
      progress.value = this.#evaluate(this.#weights, this.#gradient);
    }
    progress.iteration += 1;
    let fallen = this.#pass(this.#weights, this.#slopes());
    if (fallen === undefined) return this.#result('precision');
    const enough = fallen / 10;
    for (
      let k = 0;
      k < this.#options.activePasses && fallen !== undefined && fallen >= enough;
      k += 1
    ) {
      const present = objective.weights();
      fallen = this.#pass(present, present);
    }
    const weights = objective.weights();
    const gradient = new Float64Array(weights.length);
    const value = this.#evaluate(weights, gradient);
    if (value > progress.value) {
      // The steps gained less than the rounding error of the sum.
      objective.place(this.#weights);
      return this.#result('precision');
    }
    this.#weights = weights;
    this.#gradient = gradient;
    progress.value = value;
    const length = norm(this.#slopes());
    return this.#result(progress.ending(length, weights), length);
  }

  /**
   * Makes one pass over the observations.
   *
   * @param slopes a number per weight; features whose slopes are all 0 are skipped, as are zero weights with slope 0
   * @returns the decrease of the objective; undefined if nothing moved
   */
  #pass(weights: Float64Array, slopes: Float64Array): number | undefined {
    this.#chains?.potentials.refresh();
    const { group, curvature } = this.#options;
    const isExact = curvature === 'exact';
    const isWhole = group > 0 && this.#grouping === 'observation';
    let fallen: number | undefined;
    let feature = 0;
    for (const observation of this.#observations) {
      const live: WeightBlock[] = [];
      const factorAt: number[] = [];
      const groups: number[] = [];
      let isStill = true;
      const size = observation.blocks.reduce((sum, { at }) => sum + at.length, 0);
      for (const block of observation.blocks) {
        const at = block.at.filter(i => weights[i] !== 0 || slopes[i] !== 0);
        const moves = at.some(i => slopes[i] !== 0);
        if (moves) isStill = false;
        if (moves || (isWhole && at.length > 0)) {
          live.push({ ...block, at });
          factorAt.push(feature);
          groups.push(group * Math.sqrt(isWhole ? size : block.at.length));
        }
        feature += 1;
      }
      if (isStill) continue;
      const visit = this.#visit(observation, live, isExact);
      const counted = moveWeights(visit, {
        ...this.#options,
        grouping: this.#grouping,
        precision: this.#objective.parameters.precision,
        factors: this.#factors,
        factorAt,
        groups,
      });
      if (!(visit instanceof ChainVisit)) this.#refreshAt(observation);
      this.#visited += counted.evaluations * visit.sentences.count;
      if (counted.moved) fallen = (fallen ?? 0) + counted.fallen;
    }
    return fallen;
  }

  #visit(observation: Observation, live: readonly WeightBlock[], isExact: boolean): Visit {
    const chains = this.#chains;
    const { tokens } = observation;
    if (chains?.potentials.areSafe === true && tokens !== undefined && tokens.length > 0) {
      return new ChainVisit(
        this.#objective,
        this.#finder,
        chains,
        { ...observation, tokens },
        live,
        isExact,
      );
    }
    return new ObservationVisit(this.#objective, this.#finder, observation, live, isExact);
  }

  /** Updates an observation's potentials after another visit moved weights. */
  #refreshAt({ tokens, blocks }: Observation): void {
    if (this.#chains === undefined) return;
    const { potentials, states, edges } = this.#chains;
    if (tokens === undefined) {
      potentials.refreshEdges();
      return;
    }
    for (const c of new Set(Array.from(tokens, token => states.of[token]!)))
      potentials.refreshState(c);
    const rows = blocks.flatMap(({ kind, row }) => (kind === 'edge' ? [row] : []));
    potentials.refreshEdgesOf(rows, new Set(Array.from(tokens, token => edges.of[token]!)));
  }

  #evaluate(weights: Float64Array, gradient: Float64Array): number {
    return this.#penalised(weights, this.#objective.evaluate(weights, gradient));
  }

  /** Returns a value of the objective plus the penalties that the objective does not include. */
  #penalised(weights: Float64Array, smooth: number): number {
    const { l1, group } = this.#options;
    let value = smooth + l1 * norm1(weights);
    for (const at of this.#groups) value += group * Math.sqrt(at.length) * lengthOf(weights, at);
    return value;
  }

  #slopes(): Float64Array {
    const slopes = new Float64Array(this.#weights.length);
    const { l1, group } = this.#options;
    pseudoGradient(this.#weights, this.#gradient, l1, slopes);
    for (const at of this.#groups) {
      addGroupSlopes(this.#weights, slopes, at, group * Math.sqrt(at.length));
    }
    return slopes;
  }

  #result(ending: Ending | undefined, gradientNorm = norm(this.#slopes())): Iteration {
    const isLast = ending === 'precision' && gradientNorm === 0 ? 'gradient' : ending;
    const result = this.#progress.result(this.#weights, gradientNorm, isLast);
    const passes = Math.floor(this.#visited / Math.max(this.#finder.count, 1));
    return { ...result, evaluations: result.evaluations + passes };
  }

  save(): State {
    return {
      json: { ...this.#progress.save(), visited: this.#visited },
      arrays: { weights: this.#weights, gradient: this.#gradient, factors: this.#factors },
    };
  }

  restore(state: State): void {
    this.#weights = savedVector(state, 'weights', this.#weights.length);
    this.#gradient = savedVector(state, 'gradient', this.#gradient.length);
    this.#factors = savedVector(state, 'factors', this.#factors.length);
    this.#progress.restore(state);
    this.#visited = stateCount(state, 'visited');
    this.#objective.place(this.#weights);
  }
}

/**
 * The weights that move at once: a single weight, a feature's weights, or those of all features of an observation.
 */
type Grouping = 'weight' | 'feature' | 'observation';

/** Returns the groups of the group penalty, the weights that move at once. */
function groupsOf({ blocks }: Observation, grouping: Grouping): Uint32Array[] {
  if (grouping !== 'observation') return blocks.map(({ at }) => at);
  return [Uint32Array.from(blocks.flatMap(({ at }) => [...at]))];
}

/** Returns the Euclidean length of some components of a vector. */
function lengthOf(x: Float64Array, at: Uint32Array): number {
  let sum = 0;
  for (const i of at) sum += x[i]! ** 2;
  return Math.sqrt(sum);
}

/** Adds the subgradient nearest to zero of the group penalty, penalty * |w|, to a pseudo-gradient. */
function addGroupSlopes(
  weights: Float64Array,
  slopes: Float64Array,
  at: Uint32Array,
  penalty: number,
): void {
  const length = lengthOf(weights, at);
  if (length > 0) {
    for (const i of at) slopes[i]! += (penalty * weights[i]!) / length;
    return;
  }
  const pull = lengthOf(slopes, at);
  const left = pull <= penalty ? 0 : 1 - penalty / pull;
  for (const i of at) slopes[i]! *= left;
}

/** Options for moving the weights of an observation. */
interface MoveOptions {
  readonly l1: number;
  readonly l2: number;
  readonly grouping: Grouping;
  readonly precision: Precision;
  /** Stabilising factors, adapted after each step; the factor of block `b` is at `factorAt[b]`. */
  readonly factors: Float64Array;
  readonly factorAt: readonly number[];
  /** Penalty on the norm of each block's weights or, with `observation`, of all blocks' weights. */
  readonly groups: readonly number[];
}

/** The result of a move. */
interface MoveResult {
  readonly evaluations: number;
  readonly moved: boolean;
  /** Decrease of loss plus penalties. */
  readonly fallen: number;
}

/** Minimum share of the predicted decrease that a step must reach. */
const kept = 0.1;
/** Share of the predicted decrease from which the factor falls, and below which it rises. */
const good = 0.75;
const poor = 0.4;
/**
 * Share of the loss and its terms; steps with a smaller predicted decrease are lost in rounding.
 */
const rounding = { float64: 1e-14, float32: 1e-8 };

/**
 * Moves the weights of a visit by `elasticNetStep`: one by one, block by block, or all at once. A step that reaches less than
 * a tenth of the predicted decrease is undone and retried with a larger factor, so loss plus penalties never rises. Cost: one
 * evaluation per step, and one at the start.
 */
function moveWeights(visit: Visit, options: MoveOptions): MoveResult {
  const { weights } = visit;
  const before = weights.slice();
  const moved = weights.slice();
  const gradient = weights.slice();
  const curvature = weights.slice();
  const least = rounding[options.precision];
  let loss = visit.evaluate();
  let evaluations = 1;
  let anything = false;
  let fallen = 0;

  /** Moves the weights `[from, end)`; returns whether they have moved. */
  const step = (from: number, end: number, place: number, group: number): boolean => {
    gradient.set(visit.gradient);
    curvature.set(visit.curvature);
    before.set(weights);
    for (let tries = 0; ; tries += 1) {
      const factor = options.factors[place]!;
      const input = { weights: before, gradient, curvature, from, end, factor };
      const promise = elasticNetStep({ ...input, l1: options.l1, l2: options.l2, group }, moved);
      if (-promise.change <= least * (Math.abs(loss) + visit.sentences.tokens)) {
        if (tries === 0) return false;
        // Undoes the last trial step, and restores everything that depends on the weights.
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
        fallen -= after - loss + promise.penalty;
        loss = after;
        anything = true;
        return true;
      }
    }
  };

  if (options.grouping === 'observation') {
    // The factor of its first feature serves the whole observation.
    step(0, weights.length, options.factorAt[0]!, options.groups[0]!);
    return { evaluations, moved: anything, fallen };
  }
  for (const [b, { from, end }] of visit.blocks.entries()) {
    const place = options.factorAt[b]!;
    if (options.grouping === 'weight') for (let k = from; k < end; k += 1) step(k, k + 1, place, 0);
    else step(from, end, place, options.groups[b]!);
  }
  return { evaluations, moved: anything, fallen };
}

/** The weights `[from, end)` that move at once, with the state at the current weights. */
interface StepInput {
  readonly weights: Float64Array;
  /** Gradient and diagonal curvature of the smooth loss. */
  readonly gradient: Float64Array;
  readonly curvature: Float64Array;
  readonly from: number;
  readonly end: number;
  readonly l1: number;
  readonly l2: number;
  /** Factor on the curvature. */
  readonly factor: number;
  /** Penalty on the norm of these weights. Default 0. */
  readonly group?: number;
}

/** The predicted effect of a step on the penalties, and on the whole objective. */
interface StepPromise {
  readonly penalty: number;
  /** Predicted change of the objective, not positive; 0 if nothing moves. */
  readonly change: number;
}

/**
 * Maximum move of a weight without penalties, before `factor`: for extreme probabilities, p(1 - p) predicts the curvature
 * badly.
 */
const reach = 4;

/** Minimum curvature, which keeps weights without any effect finite. */
const least = 1e-12;

/**
 * Minimises a quadratic model of the loss plus the elastic net; writes the minimiser to `moved`:
 *
 *     H_k = factor * max(h_k, |g_k| / 4),   w_k <- S(H_k w_k - g_k, l1) / (H_k + 2 l2)
 *
 * Sokolovska, Lavergne, Cappe and Yvon (2010), section 4.2, whose rho_1 is l1 and rho_2 is 2 l2. With a penalty group * |w| on
 * the norm of w, `group` / |w| is added to the divisor, and w is 0 if the norm of S is at most `group`.
 */
export function elasticNetStep(input: StepInput, moved: Float64Array): StepPromise {
  const { weights, gradient, curvature, from, end, l1, l2, factor, group = 0 } = input;
  const bent = (k: number) =>
    Math.max(factor * Math.max(curvature[k]!, Math.abs(gradient[k]!) / reach), least);
  for (let k = from; k < end; k += 1) {
    moved[k] = softThreshold(bent(k) * weights[k]! - gradient[k]!, l1);
  }
  const divisor = (k: number) => bent(k) + 2 * l2;
  const length =
    group === 0 ? 0 : groupLength(moved.subarray(from, end), k => divisor(from + k), group);
  const isEmpty = group > 0 && length === 0;
  const shrink = group === 0 || isEmpty ? 0 : group / length;
  let penalty = 0;
  let smooth = 0;
  let before = 0;
  for (let k = from; k < end; k += 1) {
    const w = weights[k]!;
    const to = isEmpty ? 0 : moved[k]! / (divisor(k) + shrink);
    const step = to - w;
    moved[k] = to;
    before += w * w;
    penalty += l1 * (Math.abs(to) - Math.abs(w)) + l2 * step * (to + w);
    smooth += step * (gradient[k]! + (bent(k) / 2) * step);
  }
  penalty += group * (length - Math.sqrt(before));
  return { penalty, change: Math.min(smooth + penalty, 0) };
}

/**
 * Returns the norm r of w for w_k = z_k / (a_k + group / r), by Newton's method on 1 / |z / (a r + group)|, which is almost
 * linear; 0 if |z| <= group.
 */
function groupLength(z: Float64Array, a: (k: number) => number, group: number): number {
  if (norm(z) <= group) return 0;
  let r = 0;
  for (let round = 0; round < 100; round += 1) {
    let sum = 0;
    let slope = 0;
    for (let k = 0; k < z.length; k += 1) {
      const each = a(k) * r + group;
      const square = (z[k]! / each) ** 2;
      sum += square;
      slope += (square * a(k)) / each;
    }
    const step = (sum * (Math.sqrt(sum) - 1)) / slope;
    r += step;
    if (!(Math.abs(step) > 1e-15 * r)) break;
  }
  return r;
}

/**
 * Returns S(z, r) = sign(z) max(|z| - r, 0), the minimiser of (x - z)^2 / 2 + r |x|.
 *
 * @example
 * [softThreshold(3, 1), softThreshold(-3, 1), softThreshold(0.5, 1)] // => [2, -2, 0]
 */
export function softThreshold(z: number, r: number): number {
  if (z > r) return z - r;
  return z < -r ? z + r : 0;
}
