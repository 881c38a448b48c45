import * as z from 'zod';
import type { Minibatch } from '../core/minibatch/minibatch.js';
import type { Contribution } from '../core/training/contribution.js';
import { type State, stateCount, stateNumber } from '../core/training/state.js';
import { clearPlane, type Plane } from '../kernels/memory/plane.js';
import { ActiveRows } from '../kernels/rows/active-rows.js';
import type { tables } from '../kernels/rows/coalesced-gradient.js';
import { RowNumbers } from '../kernels/rows/row-numbers.js';
import { CreationTimes } from '../kernels/store/creation-times.js';
import type { ParameterStore } from '../kernels/store/parameter-store.js';
import { SgdL1Naive } from './l1/sgd-l1-naive.js';
import type { Mixing, Optimizer, OptimizerComponent, OptimizerContext } from './optimizer.js';
import { copyPlane, planeArrays, restorePlane, withoutAverage } from './planes/planes.js';
import { type Schedule, scheduleOf, scheduleShape, shrinkingShare } from './schedules/schedules.js';

type Table = (typeof tables)[number];

/**
 * An L2 penalty that shrinks all weights by a share after each sentence, charged to a row when its feature occurs again:
 *
 *     w <- w (1 - 2 eta_j l2 / N) ... (1 - 2 eta_k l2 / N)   for the sentences j..k since it last occurred
 *
 * The product is kept as a running sum of logarithms; each row stores the sum already charged. For optimizers whose weights
 * cannot have a common scale, because an L1 penalty moves them by absolute amounts.
 */
class LazyShrinking {
  readonly #parameters: ParameterStore;
  readonly #clocks: RowNumbers;
  readonly #active = new ActiveRows();
  readonly #charge = (table: Table, row: number) => this.#chargeRow(table, row);
  /** Sum of log(1 - 2 eta l2 / N). */
  #total = 0;

  constructor(parameters: ParameterStore) {
    this.#parameters = parameters;
    this.#clocks = new RowNumbers(parameters);
  }

  /** Makes room for the current rows. */
  reserve(): void {
    this.#clocks.reserve();
  }

  /** Shrinks all weights by the share; rows of absent features are charged later. */
  shrink(share: number): void {
    this.#total += Math.log1p(-shrinkingShare(share));
  }

  /** Brings the feature rows of a labelled sentence up to date. */
  charge(minibatch: Minibatch, s: number): void {
    if (minibatch.labelled[s] === 0) return;
    this.#active.each(this.#parameters, minibatch, s, this.#charge);
  }

  #chargeRow(table: Table, row: number): void {
    const clock = this.#clocks.of(table);
    const owed = this.#total - clock[row]!;
    if (owed === 0) return;
    clock[row] = this.#total;
    this.#multiply(this.#parameters.weights, table, row, owed);
  }

  /** Charges a copy of the weights for all shrinking that rows still owe. */
  deploy(target: Plane): void {
    this.#clocks.each((table, row, clock) => {
      const owed = this.#total - clock;
      if (owed !== 0) this.#multiply(target, table, row, owed);
    });
  }

  /** Resets the accounts once everything owed has been charged. */
  reset(): void {
    this.#total = 0;
    this.#clocks.reset();
  }

  #multiply(plane: Plane, table: Table, row: number, owed: number): void {
    const factor = Math.exp(owed);
    const weights = plane[table].view;
    const size = this.#clocks.size(table);
    for (let at = row * size; at < (row + 1) * size; at += 1) weights[at]! *= factor;
  }

  save(): State {
    return { json: { shrunk: this.#total }, arrays: this.#clocks.save() };
  }

  /** @throws TagstreamError `checkpoint` if the state is inconsistent */
  restore(state: State): void {
    this.#total = stateNumber(state, 'shrunk');
    this.#clocks.restore(state);
  }
}

const options = z
  .strictObject({
    ...scheduleShape,
    eta0: scheduleShape.eta0.default(0.2),
    schedule: z
      .optional(scheduleShape.schedule)
      .describe(
        `${scheduleShape.schedule.description}; default: exponential, and constant on a stream`,
      ),
    l1: z.number().min(0).default(1).describe('L1 penalty C: l1 * sum |w| over the corpus'),
    penalty: z
      .enum(['cumulative', 'clipping', 'naive'])
      .default('cumulative')
      .describe(
        'how the penalty is applied; cumulative: the whole accumulated penalty of a weight when its feature occurs, and at the end of training what each weight still owes; clipping: the penalty of one step when the feature occurs, clipped at zero; naive: the subgradient for all weights at each step, which never makes a weight exactly zero',
      ),
    l2: z.number().min(0).default(0).describe('L2 penalty: l2 * sum w^2 over the corpus'),
  })
  .refine(({ penalty, l2 }) => penalty === 'cumulative' || l2 === 0, {
    path: ['l2'],
    message: 'only the cumulative penalty goes with an L2 penalty',
  });

/** Options of `sgdL1`, with their defaults. */
export type SgdL1Options = z.infer<typeof options>;

/**
 * Stochastic gradient descent with a cumulative L1 penalty:
 *
 *     after sentence k:  w -= eta_k * gradient;  u += eta_k * C / N;
 *     then each weight of the sentence's features is clipped towards 0 by the penalty it still owes
 *
 * u is the total penalty that a weight could have been charged since the start, q the penalty actually charged; see
 * `applyCumulativePenalty`. On a finite corpus, whose features are all known before the first update, this is the paper's
 * algorithm; a feature or label created on a stream owes only later penalties. Tsuruoka, Tsujii and Ananiadou (2009).
 *
 * A weight owes the penalties of all sentences since the last occurrence of its feature. They are charged at the end of
 * training, and in weights scored or saved before that (`deploy`), so every weight is charged for all sentences, whereas the
 * paper charges only at occurrences. This sets weights of rare features to 0. With l2 (elastic net) all weights shrink by
 * the share 2 eta_k l2 / N before each step, lazily for absent features (`LazyShrinking`).
 */
export class SgdL1 implements Optimizer {
  readonly name = 'sgd-l1';
  readonly #context: OptimizerContext;
  readonly #options: SgdL1Options;
  readonly #schedule: Schedule;
  readonly #received: Plane;
  readonly #creationTimes = new CreationTimes();
  /** The L2 penalty; undefined without one. */
  readonly #shrinking: LazyShrinking | undefined;
  #total = 0;
  #sentences = 0;

  constructor(chosen: SgdL1Options, context: OptimizerContext) {
    this.#options = chosen;
    this.#context = context;
    this.#schedule = scheduleFor(chosen, context);
    this.#received = context.parameters.addPlane();
    this.#shrinking = chosen.l2 > 0 ? new LazyShrinking(context.parameters) : undefined;
  }

  get lazy(): boolean {
    return this.#shrinking !== undefined;
  }

  get stepSize(): number {
    return this.#schedule(this.#sentences / this.#context.corpusSize);
  }

  prepare(minibatch?: Minibatch): void {
    this.#creationTimes.note(this.#context.parameters, this.#total);
    const shrinking = this.#shrinking;
    if (shrinking === undefined) return;
    shrinking.reserve();
    if (minibatch === undefined) return;
    for (let s = 0; s < minibatch.labelled.length; s += 1) shrinking.charge(minibatch, s);
  }

  apply(contribution: Contribution): void {
    const { kernel, parameters, corpusSize } = this.#context;
    const { labelled } = contribution.minibatch;
    for (let s = 0; s < labelled.length; s += 1) {
      if (labelled[s] === 0) continue;
      const eta = this.stepSize;
      this.#shrink(eta, contribution, s);
      kernel.accumulate(parameters, parameters.weights, contribution, s, -eta);
      this.#total += (eta * this.#options.l1) / corpusSize;
      const penalty = {
        received: this.#received,
        total: this.#total,
        creationTimes: this.#creationTimes,
      };
      kernel.applyCumulativePenalty(parameters, penalty, contribution, s);
      this.#sentences += 1;
    }
    parameters.version += 1;
  }

  #shrink(eta: number, { minibatch }: Contribution, s: number): void {
    if (this.#shrinking === undefined) return;
    this.#shrinking.shrink((2 * eta * this.#options.l2) / this.#context.corpusSize);
    this.#shrinking.charge(minibatch, s);
  }

  /**
   * Charges the owed penalties and resets u and q: in float32, penalties would vanish in a q that has grown for months.
   */
  settle(): void {
    this.prepare();
    const { parameters } = this.#context;
    this.deploy(parameters.weights);
    clearPlane(this.#received);
    this.#creationTimes.reset();
    this.#shrinking?.reset();
    this.#total = 0;
    parameters.version += 1;
  }

  mixing(): Mixing {
    return withoutAverage(this, sentences => {
      this.#sentences = sentences;
    });
  }

  /** Writes the weights with all owed penalties charged, as at the end of training. */
  deploy(target: Plane): void {
    const { parameters } = this.#context;
    const { labels, width, labelCapacity, matrixSize } = parameters;
    const creationTimes = this.#creationTimes;
    copyPlane(parameters.weights, target, 1);
    this.#shrinking?.deploy(target);
    const settle = (table: 'state' | 'edges', row: number, createdAt: number) => {
      const weights = target[table].view;
      const received = this.#received[table].view;
      for (let y = 0; y < labels; y += 1) {
        const at = row * width + y;
        const owed = this.#total - Math.max(createdAt, creationTimes.labels[y]!);
        weights[at] = charged(weights[at]!, owed, received[at]!);
      }
    };
    for (let row = 0; row < parameters.stateRows; row += 1)
      settle('state', row, creationTimes.state[row]!);
    const blocks = Math.min(parameters.edgeRows, target.edges.view.length / matrixSize);
    for (let block = 0; block < blocks; block += 1) {
      for (let from = 0; from < labels; from += 1) {
        const createdAt = Math.max(creationTimes.edges[block]!, creationTimes.labels[from]!);
        settle('edges', block * labelCapacity + from, createdAt);
      }
    }
    const pairs = target.pairs.view;
    for (let i = 0; i < parameters.pairs.size; i += 1) {
      const owed = this.#total - creationTimes.pairs[i]!;
      pairs[i] = charged(pairs[i]!, owed, this.#received.pairs.view[i]!);
    }
  }

  save(): State {
    const shrinking = this.#shrinking?.save();
    return {
      json: { total: this.#total, sentences: this.#sentences, ...shrinking?.json },
      arrays: {
        ...shrinking?.arrays,
        ...planeArrays('received', this.#received),
        ...this.#creationTimes.save(),
      },
    };
  }

  restore(state: State): void {
    this.#total = stateNumber(state, 'total');
    this.#sentences = stateCount(state, 'sentences');
    restorePlane('received', this.#received, state);
    this.#creationTimes.restore(state);
    this.#shrinking?.restore(state);
  }
}

function scheduleFor(chosen: SgdL1Options, { endless }: OptimizerContext): Schedule {
  const usual = endless === true ? 'constant' : 'exponential';
  return scheduleOf({ ...chosen, schedule: chosen.schedule ?? usual });
}

function charged(weight: number, owed: number, received: number): number {
  if (weight > 0) return Math.max(0, weight - (owed + received));
  if (weight < 0) return Math.min(0, weight + (owed - received));
  return 0;
}

/** The catalogue entry of `SgdL1`. */
export const sgdL1: OptimizerComponent<SgdL1Options> = {
  name: 'sgd-l1',
  summary: 'stochastic gradient descent with a cumulative L1 penalty, and L2: sparse models',
  options,
  penalty: ({ l1, l2 }) => ({ l1, l2 }),
  sizes: { perWeight: () => 1 },
  example: 'optimize: { sgd-l1: { eta0: 0.2, l1: 1, schedule: exponential, decay: 0.85 } }',
  hogwild: true,
  makesZeros: ({ l1, penalty }) => l1 > 0 && penalty !== 'naive',
  refuses: ({ penalty }, { mode }) =>
    penalty === 'naive' && mode === 'hogwild'
      ? {
          setting: { option: 'penalty' },
          problem:
            'penalty: naive cannot be combined with mode: hogwild, where no thread sees all sentences',
          fix: 'use penalty: cumulative, or mode: deterministic',
        }
      : undefined,
  create(chosen, context) {
    if (chosen.penalty === 'cumulative') return new SgdL1(chosen, context);
    const schedule = scheduleFor(chosen, context);
    if (chosen.penalty === 'naive') return new SgdL1Naive(chosen.l1, schedule, context);
    return new SgdL1Clipping(chosen.l1, schedule, context);
  },
};

/**
 * Stochastic gradient descent whose L1 penalty stops at zero, on active features only:
 *
 *     after sentence k:  w -= eta_k * gradient
 *     then each weight of its features:  w = sign(w) max(0, |w| - eta_k C / N)
 *
 * A feature is charged only when it occurs, so rare features are charged too little, and models are less sparse than with
 * the cumulative penalty. Compared in Tsuruoka, Tsujii and Ananiadou (2009).
 */
class SgdL1Clipping implements Optimizer {
  readonly name = 'sgd-l1';
  readonly #context: OptimizerContext;
  readonly #l1: number;
  readonly #schedule: Schedule;
  readonly #active = new ActiveRows();
  readonly #clip = (table: 'state' | 'edges' | 'pairs', row: number) => this.#clipRow(table, row);
  #sentences = 0;
  #charge = 0;

  constructor(l1: number, schedule: Schedule, context: OptimizerContext) {
    this.#l1 = l1;
    this.#schedule = schedule;
    this.#context = context;
  }

  get stepSize(): number {
    return this.#schedule(this.#sentences / this.#context.corpusSize);
  }

  prepare(): void {}

  apply(contribution: Contribution): void {
    const { kernel, parameters, corpusSize } = this.#context;
    const { labelled } = contribution.minibatch;
    for (let s = 0; s < labelled.length; s += 1) {
      if (labelled[s] === 0) continue;
      const eta = this.stepSize;
      kernel.accumulate(parameters, parameters.weights, contribution, s, -eta);
      this.#charge = (eta * this.#l1) / corpusSize;
      this.#active.each(parameters, contribution.minibatch, s, this.#clip);
      this.#sentences += 1;
    }
    parameters.version += 1;
  }

  #clipRow(table: 'state' | 'edges' | 'pairs', row: number): void {
    const { weights, width, matrixSize } = this.#context.parameters;
    const numbers = weights[table].view;
    const size = table === 'state' ? width : table === 'edges' ? matrixSize : 1;
    const charge = this.#charge;
    const end = (row + 1) * size;
    for (let at = row * size; at < end; at += 1) {
      const w = numbers[at]!;
      if (w > 0) numbers[at] = Math.max(0, w - charge);
      else if (w < 0) numbers[at] = Math.min(0, w + charge);
    }
  }

  /** Nothing is owed. */
  settle(): void {}

  deploy(target: Plane): void {
    copyPlane(this.#context.parameters.weights, target, 1);
  }

  mixing(): Mixing {
    return withoutAverage(this, sentences => {
      this.#sentences = sentences;
    });
  }

  save(): State {
    return { json: { sentences: this.#sentences }, arrays: {} };
  }

  restore(state: State): void {
    this.#sentences = stateCount(state, 'sentences');
  }
}
