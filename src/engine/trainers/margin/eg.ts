import * as z from 'zod';
import { type State, stateNumber } from '../../core/training/state.js';
import type { Objective } from '../objective.js';
import { onlyLoss } from '../requirements.js';
import type { TrainerComponent } from '../trainer-component.js';
import { savedVector } from '../vectors/vectors.js';
import { DualTrainer, dualShape } from './dual-trainer.js';
import { LinearSpace } from './linear-space.js';
import { nextStep, type SentenceDual } from './sentence-dual.js';

const options = z.strictObject({
  ...dualShape,
  update: z
    .enum(['sentence', 'batch'])
    .default('sentence')
    .describe(
      'sentence: update the weights after each sentence, with one step size per sentence; batch: after all sentences, with one step size and momentum',
    ),
  step: z.number().positive().default(0.5).describe('initial step size eta'),
  grow: z.number().min(1).default(2).describe('largest growth factor of a step size after a step'),
  start: z
    .number()
    .min(0)
    .default(5)
    .describe('minus log of the maximum share that a newly found label sequence gets'),
});

/** Options of `eg`, with their defaults. */
export type EgOptions = z.infer<typeof options>;

const mostTrials = 40;

/** Growth of the common step size after a step with momentum. */
const growthWithMomentum = 1.05;

/**
 * Exponentiated gradient on the max-margin dual, over a distribution a_i of label sequences for each sentence:
 *
 *     D(a) = sum_i E_a[wrong] - l2 |w(a)|^2,   w(a) = sum_i (F(y*_i) - E_a[F]) / (2 l2)
 *     a_i(y) <- a_i(y) exp(eta_i h(y)) / normaliser,   h(y) = wrong(y) + w . (F(y) - F(y*))
 *
 * sentence by sentence, each with its own step size and an immediate update of w (Collins, Globerson, Koo, Carreras and
 * Bartlett, 2008); or with `batch` for all sentences at the same w, with one step size (Gupta's report, algorithm 2;
 * Bartlett, Collins, Taskar and McAllester, 2004) and Nesterov's momentum in the exponents: a factor (a(y) / a'(y))^(k /
 * (k + 3)), with a' the previous variables, which restarts when the dual would fall.
 *
 * Step sizes adapt: at share s of the straight line from the variables before a step to those after it, the dual gains
 * `along * s - across * s^2`, with `along` the growth of E_a[h] and `across` |change of w|^2 * l2. A step without gain is
 * shortened, and the next step is scaled by the best s.
 *
 * Only sequences found by the search of `DualTrainer` have a share. A new sequence gets at most exp(-start), and shares
 * below 1e-9 become 0, which multiplication alone never reaches: with a share for every sequence, the gap falls with the
 * square of the summed steps and does not reach 1e-4. Cost of an iteration: Viterbi over the corpus twice, and the
 * rounds, O(parts of the sequences + squares of their numbers) each.
 */
export class ExponentiatedGradient extends DualTrainer {
  readonly #own: EgOptions;
  /** The common step size of all sentences. */
  #step: number;
  /** Number of common steps since momentum started. */
  #steady = 0;

  /**
   * @param objective an objective with the hinge loss, and the penalty of the options
   * @throws TagstreamError `config` if a sentence is partially labelled
   */
  constructor(chosen: EgOptions, objective: Objective) {
    super('eg', chosen, objective, LinearSpace.of('eg', objective));
    this.#own = chosen;
    this.#step = chosen.step;
    for (const dual of this.duals.of) dual.step = chosen.step;
  }

  protected search(): number {
    const { l2, start, update } = this.#own;
    const most = Math.exp(-start);
    if (update === 'sentence') {
      return this.sum(dual => {
        dual.addWorst(l2, most);
        return this.#multiplied(dual, 0);
      });
    }
    for (const dual of this.duals.of) dual.addWorst(l2, most);
    this.#steady = 0;
    return this.#stepOfAll();
  }

  protected round(least: number): number {
    if (this.#own.update === 'batch') return this.#stepOfAll();
    return this.sum(dual => this.#multiplied(dual, least));
  }

  #multiplied(dual: SentenceDual, least: number): number {
    const { l2, grow, steps, share } = this.#own;
    return dual.multiply(l2, grow, { steps, share, least });
  }

  /**
   * Makes a common step of all sentences from the same weights, if one raises the dual; returns the violations before it.
   */
  #stepOfAll(): number {
    const { l2, grow } = this.#own;
    const violation = this.sum(dual => dual.beginStep());
    const square = this.space.squaredNorm();
    for (let trial = 0; trial < mostTrials; trial += 1) {
      const momentum = this.#steady / (this.#steady + 3);
      let cost = 0;
      const along = this.sum(dual => {
        const step = dual.tryStep(l2, this.#step, momentum);
        cost += step.cost;
        return step.along;
      });
      const gain = cost - l2 * (this.space.squaredNorm() - square);
      const isPlain = this.#steady === 0;
      if (isPlain) this.#step = nextStep(this.#step, along, along - gain, grow);
      for (const dual of this.duals.of) dual.endStep(l2, gain > 0);
      if (gain > 0) {
        if (!isPlain) this.#step *= Math.min(grow, growthWithMomentum);
        this.#steady += 1;
        break;
      }
      if (isPlain && !(along > 0)) break;
      this.#steady = 0;
    }
    return violation;
  }

  override save(): State {
    const { json, arrays } = super.save();
    const steps = Float64Array.from(this.duals.of, ({ step }) => step);
    return { json: { ...json, step: this.#step }, arrays: { ...arrays, steps } };
  }

  override restore(state: State): void {
    super.restore(state);
    this.#step = stateNumber(state, 'step');
    const steps = savedVector(state, 'steps', this.duals.of.length);
    for (const [i, dual] of this.duals.of.entries()) dual.step = steps[i]!;
  }
}

/** The catalogue entry of `ExponentiatedGradient`. */
export const eg: TrainerComponent<EgOptions> = {
  name: 'eg',
  summary: 'exponentiated gradient on the max-margin dual over the whole corpus, with L2',
  options,
  penalty: ({ l2 }) => ({ l2 }),
  example: 'optimize: { eg: { l2: 1 } }',
  losses: ['hinge'],
  needs: onlyLoss('hinge'),
  logLinear: () => true,
  oneThread: () => true,
  create: (chosen, context) => new ExponentiatedGradient(chosen, context.objective(chosen.l2)),
};
