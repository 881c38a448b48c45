import * as z from 'zod';
import { TagstreamError } from '../core/errors.js';
import type { Minibatch } from '../core/minibatch/minibatch.js';
import { packMinibatch } from '../core/minibatch/pack-minibatch.js';
import type { Contribution } from '../core/training/contribution.js';
import { type State, stateCount } from '../core/training/state.js';
import type { Plane } from '../kernels/memory/plane.js';
import { CoalescedGradient, tables } from '../kernels/rows/coalesced-gradient.js';
import { RowNumbers, type TableName } from '../kernels/rows/row-numbers.js';
import type { Optimizer, OptimizerComponent, OptimizerContext } from './optimizer.js';
import { copyPlane, planeArrays, restorePlane } from './planes/planes.js';

const options = z.strictObject({
  eta0: z.number().positive().default(0.1).describe('gain of each weight at first'),
  mu: z
    .number()
    .min(0)
    .default(0.02)
    .describe('step size of the gains, which are multiplied by at least 1/2 and 1 - mu g v'),
  lambda: z
    .number()
    .min(0)
    .max(1)
    .default(0.9)
    .describe('how much of what earlier gains have done to a weight is kept from step to step'),
  l2: z.number().min(0).default(0.5).describe('L2 penalty: l2 * sum w^2 over the corpus'),
});

/** Options of `smd`, with their defaults. */
export type SmdOptions = z.infer<typeof options>;

/** Maximum change of a weight when the change of the gradient is measured. */
const reach = { float64: 1e-3, float32: 1e-2 } as const;

/**
 * Stochastic meta-descent: each weight has a gain eta_i, itself learned by descent. With g the gradient of a sentence and its
 * share of the penalty, H the Hessian, and v the derivative of w with respect to the logarithms of the gains,
 *
 *     eta_i <- eta_i max(1/2, 1 - mu g_i v_i)
 *     w_i   <- w_i - eta_i g_i
 *     v_i   <- lambda v_i - eta_i (g_i + lambda (H v)_i)
 *
 * H v is the difference of the gradients at w + e v and w - e v, divided by 2 e, where e moves no weight by more than 1e-3
 * (float32: 1e-2): for any smooth loss, at the cost of two more forward-backward passes over the sentence. Only the weights
 * of the sentence's features change. Other weights are charged the penalty, at their gain, when their feature occurs again;
 * their gain and v stay.
 *
 * A gain's growth per step is unbounded, and with gains above 2 / curvature both w and v grow without bound. So gains of the
 * sentence's weights are multiplied by at least 1/2 where the measured curvature along v shows that they are too large:
 *
 *     eta_i <- eta_i min(1, 2 (sum v_i^2 / eta_i) / v H v)
 *
 * Schraudolph (2002); Vishwanathan, Schraudolph, Schmidt and Murphy (2006).
 */
export class Smd implements Optimizer {
  readonly name = 'smd';
  readonly lazy = true;
  readonly stepSize: number;
  readonly #options: SmdOptions;
  readonly #context: OptimizerContext & Required<Pick<OptimizerContext, 'contribute'>>;
  /** 2 l2 / N. */
  readonly #pull: number;
  /** eta_i / eta0 - 1. */
  readonly #gains: Plane;
  /** v. */
  readonly #traces: Plane;
  /** Number of sentences whose penalties each row has received. */
  readonly #clocks: RowNumbers;
  readonly #gradient = new CoalescedGradient();
  readonly #ahead = new CoalescedGradient();
  readonly #behind = new CoalescedGradient();
  #sentences = 0;

  /** @throws TagstreamError `config` in a thread that shares sentences with others */
  constructor(chosen: SmdOptions, context: OptimizerContext) {
    const { contribute, parameters } = context;
    if (contribute === undefined) throw withoutContributions();
    this.stepSize = chosen.eta0;
    this.#options = chosen;
    this.#context = { ...context, contribute };
    this.#pull = (2 * chosen.l2) / context.corpusSize;
    this.#gains = parameters.addPlane();
    this.#traces = parameters.addPlane();
    this.#clocks = new RowNumbers(parameters);
  }

  /** Charges the rows of the labelled sentences for the penalties they owe. */
  prepare(minibatch?: Minibatch): void {
    this.#clocks.reserve();
    if (minibatch === undefined || this.#pull === 0) return;
    const { labelled, sentenceStarts, stateStarts, stateRows, edgeStarts, edgeRows } = minibatch;
    const { hasEdgeBlocks, pairs, weights } = this.#context.parameters;
    for (let s = 0; s < labelled.length; s += 1) {
      if (labelled[s] === 0) continue;
      this.#charge('edges', 0, weights);
      const [from, to] = [sentenceStarts[s]!, sentenceStarts[s + 1]!];
      for (let k = stateStarts[from]!; k < stateStarts[to]!; k += 1) {
        this.#charge('state', stateRows[k]!, weights);
      }
      if (edgeStarts === undefined) continue;
      for (let k = edgeStarts[from]!; k < edgeStarts[to]!; k += 1) {
        const row = edgeRows![k]!;
        if (hasEdgeBlocks) this.#charge('edges', row, weights);
        else
          for (let pair = pairs.heads[row]!; pair >= 0; pair = pairs.next[pair]!)
            this.#charge('pairs', pair, weights);
      }
    }
  }

  /** Writes the weights of a row to `target`, charged for the penalties since its last update. */
  #charge(table: TableName, row: number, target: Plane, keepsClock = false): void {
    const clocks = this.#clocks.of(table);
    const count = this.#sentences - clocks[row]!;
    if (count === 0) return;
    if (!keepsClock) clocks[row] = this.#sentences;
    const size = this.#clocks.size(table);
    const weights = target[table].view;
    const gains = this.#gains[table].view;
    const most = this.#options.eta0 * this.#pull;
    for (let i = row * size; i < (row + 1) * size; i += 1) {
      const w = weights[i]!;
      if (w !== 0) weights[i] = w * Math.max(1 - most * (1 + gains[i]!), 0) ** count;
    }
  }

  apply(contribution: Contribution): void {
    const { labelled, sentences } = contribution.minibatch;
    for (let s = 0; s < labelled.length; s += 1) {
      if (labelled[s] === 0) continue;
      const share = packMinibatch([sentences[s]!]);
      const { parameters } = this.#context;
      this.#gradient.gather(parameters, contribution, s);
      this.prepare(share.positions ?? share);
      const bend = this.#difference(share);
      const damping = this.#damping(bend);
      for (const table of tables) this.#move(table, bend, damping);
      this.#sentences += 1;
    }
    this.#context.parameters.version += 1;
  }

  /** Writes the gradients at w + e v and w - e v to `#ahead` and `#behind`; returns 1 / (2 e), or 0 if v is 0. */
  #difference(share: Minibatch): number {
    const { parameters, contribute } = this.#context;
    let largest = 0;
    for (const table of tables) {
      const { count, rows, size } = this.#gradient[table];
      const traces = this.#traces[table].view;
      for (let i = 0; i < count; i += 1) {
        const at = rows[i]! * size;
        for (let y = at; y < at + size; y += 1) largest = Math.max(largest, Math.abs(traces[y]!));
      }
    }
    if (largest === 0) return 0;
    const e = reach[parameters.precision] / largest;
    const kept = tables.map(table => this.#rowsOf(table));
    this.#shift(kept, e);
    this.#ahead.gather(parameters, contribute(share), 0);
    this.#shift(kept, -e);
    this.#behind.gather(parameters, contribute(share), 0);
    this.#shift(kept, 0);
    return 1 / (2 * e);
  }

  /** Returns the weights of the sentence's rows. */
  #rowsOf(table: TableName): Float64Array {
    const { count, rows, size } = this.#gradient[table];
    const weights = this.#context.parameters.weights[table].view;
    const kept = new Float64Array(count * size);
    for (let i = 0; i < count; i += 1) {
      kept.set(weights.subarray(rows[i]! * size, (rows[i]! + 1) * size), i * size);
    }
    return kept;
  }

  #shift(kept: readonly Float64Array[], e: number): void {
    const { parameters } = this.#context;
    for (const [k, table] of tables.entries()) {
      const { count, rows, size } = this.#gradient[table];
      const weights = parameters.weights[table].view;
      const traces = this.#traces[table].view;
      for (let i = 0; i < count; i += 1) {
        const at = rows[i]! * size;
        for (let y = 0; y < size; y += 1) {
          weights[at + y] = kept[k]![i * size + y]! + e * traces[at + y]!;
        }
      }
    }
  }

  /**
   * Returns the factor of the gains of the sentence's weights with which the step is stable along v: 2 over the Rayleigh
   * quotient v H v / sum v_i^2 / eta_i, the penalty included, if that is above 2.
   */
  #damping(bend: number): number {
    if (bend === 0) return 1;
    let curvature = 0;
    let least = 0;
    for (const table of tables) {
      const { count, rows, size } = this.#gradient[table];
      const gains = this.#gains[table].view;
      const traces = this.#traces[table].view;
      const [ahead, behind] = [this.#ahead[table], this.#behind[table]];
      for (let i = 0; i < count; i += 1) {
        const row = rows[i]!;
        const [a, b] = [ahead.at(row), behind.at(row)];
        for (let y = 0; y < size; y += 1) {
          const at = row * size + y;
          const v = traces[at]!;
          const bent = bend * (ahead.sums[a + y]! - behind.sums[b + y]!);
          curvature += v * (bent + this.#pull * v);
          least += (v * v) / (this.#options.eta0 * (1 + gains[at]!));
        }
      }
    }
    return curvature > 2 * least ? Math.max(0.5, (2 * least) / curvature) : 1;
  }

  #move(table: TableName, bend: number, damping: number): void {
    const { eta0, mu, lambda } = this.#options;
    const { count, rows, size, sums } = this.#gradient[table];
    const weights = this.#context.parameters.weights[table].view;
    const gains = this.#gains[table].view;
    const traces = this.#traces[table].view;
    const clocks = this.#clocks.of(table);
    for (let i = 0; i < count; i += 1) {
      const row = rows[i]!;
      const ahead = bend === 0 ? 0 : this.#ahead[table].at(row);
      const behind = bend === 0 ? 0 : this.#behind[table].at(row);
      clocks[row] = this.#sentences + 1;
      for (let y = 0; y < size; y += 1) {
        const at = row * size + y;
        const w = weights[at]!;
        const v = traces[at]!;
        const g = sums[i * size + y]! + this.#pull * w;
        if (g === 0 && v === 0) continue;
        const bent =
          bend === 0
            ? 0
            : bend * (this.#ahead[table].sums[ahead + y]! - this.#behind[table].sums[behind + y]!);
        const gain = (1 + gains[at]!) * Math.max(0.5, 1 - mu * g * v) * damping;
        const eta = eta0 * gain;
        gains[at] = gain - 1;
        weights[at] = w - eta * g;
        traces[at] = lambda * v - eta * (g + lambda * (bent + this.#pull * v));
      }
    }
  }

  /** Writes the weights with all owed penalties charged. */
  deploy(target: Plane): void {
    copyPlane(this.#context.parameters.weights, target, 1);
    this.#clocks.each((table, row) => this.#charge(table, row, target, true));
  }

  save(): State {
    return {
      json: { sentences: this.#sentences },
      arrays: {
        ...planeArrays('gains', this.#gains),
        ...planeArrays('traces', this.#traces),
        ...this.#clocks.save(),
      },
    };
  }

  restore(state: State): void {
    this.#sentences = stateCount(state, 'sentences');
    restorePlane('gains', this.#gains, state);
    restorePlane('traces', this.#traces, state);
    this.#clocks.restore(state);
  }
}

function withoutContributions(): TagstreamError {
  return new TagstreamError(
    'config',
    'smd computes additional gradients, which several training threads do not support',
    {
      fix: 'train in one thread, or use sgd or adagrad',
    },
  );
}

/** The catalogue entry of `Smd`. */
export const smd: OptimizerComponent<SmdOptions> = {
  name: 'smd',
  summary: 'stochastic meta-descent: gains of single weights that are learned, with L2',
  options,
  penalty: ({ l2 }) => ({ l2 }),
  sizes: { perWeight: () => 2 },
  example: 'optimize: { smd: { eta0: 0.1, mu: 0.02, lambda: 0.9, l2: 0.5 } }',
  losses: ['log', 'exponential', 'pointwise-log', 'pointwise-exponential', 'softmax-margin'],
  contributes: true,
  refuses(_, { workers = 1, cluster }) {
    const setting = cluster === undefined ? 'workers' : 'cluster';
    if (workers === 1 && cluster === undefined) return undefined;
    return {
      setting,
      problem: `smd cannot be combined with train.${setting}: it scores each sentence again at other weights`,
      fix: `leave ${setting} out, or use sgd or adagrad`,
    };
  },
  create: (chosen, context) => new Smd(chosen, context),
};
