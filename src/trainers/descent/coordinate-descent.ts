import { stateArray, stateCount, stateNumber } from '../../core/read-state.js';
import type { State } from '../../core/state.js';
import type { Ending, Iteration, Trainer } from '../../core/trainer.js';
import type { Objective } from '../objective.js';
import { pseudoGradient } from '../pseudo-gradient.js';
import { requireLogLoss } from '../require-log-loss.js';
import { readPast, type StoppingOptions, StoppingRule } from '../stopping-rule.js';
import { countActive } from '../vectors/count-active.js';
import { norm } from '../vectors/norm.js';
import { norm1 } from '../vectors/norm1.js';
import { moveWeights } from './move-weights.js';
import { ObservationVisit } from './observation-visit.js';
import { type Observation, observationsOf } from './observations.js';
import { SentenceFinder } from './visited-sentences.js';

/** What both kinds of coordinate descent can be told. */
export interface CoordinateDescentOptions extends StoppingOptions {
  readonly l1: number;
  readonly l2: number;
  /** Stabilising factor of each block at first. */
  readonly stabilise: number;
}

/**
 * Goes over the observations of a corpus one after the other, and moves the weights of their features,
 * each feature's at once or one by one; only the sentences that contain the observation are looked at.
 *
 * A step that makes their loss and the penalties larger is taken back, so that the objective never
 * rises. Features whose weights are all zero, and for which zero was right when the pass began, are left
 * out of it.
 */
export class CoordinateDescent implements Trainer {
  readonly name: string;
  readonly #options: CoordinateDescentOptions;
  readonly #single: boolean;
  readonly #objective: Objective;
  readonly #stopping: StoppingRule;
  readonly #observations: readonly Observation[];
  readonly #finder: SentenceFinder;
  /** Stabilising factor of each feature, in the order of the observations. */
  #factors: Float64Array;
  #weights: Float64Array;
  /** Gradient of the smooth part where we are. */
  #gradient: Float64Array;
  #value = Number.NaN;
  #iteration = 0;
  /** Sentences looked at in visits. */
  #visited = 0;

  /**
   * @param single one weight at a time
   * @throws TagstreamError `config` for other losses than the log loss
   */
  constructor(
    name: string,
    options: CoordinateDescentOptions,
    objective: Objective,
    single: boolean,
  ) {
    requireLogLoss(name, objective);
    this.name = name;
    this.#options = options;
    this.#single = single;
    this.#objective = objective;
    this.#stopping = new StoppingRule(options);
    this.#observations = observationsOf(objective);
    this.#finder = new SentenceFinder(objective.corpus);
    const features = this.#observations.reduce((sum, { blocks }) => sum + blocks.length, 0);
    this.#factors = new Float64Array(features).fill(options.stabilise);
    this.#weights = objective.weights();
    this.#gradient = new Float64Array(this.#weights.length);
  }

  iterate(): Iteration {
    const objective = this.#objective;
    if (Number.isNaN(this.#value)) this.#value = this.#evaluate(this.#weights, this.#gradient);
    this.#iteration += 1;
    if (!this.#pass()) return this.#result('precision');
    const weights = objective.weights();
    const gradient = new Float64Array(weights.length);
    const value = this.#evaluate(weights, gradient);
    if (value > this.#value) {
      // What the steps have gained is less than what rounding makes of the sum.
      objective.place(this.#weights);
      return this.#result('precision');
    }
    this.#weights = weights;
    this.#gradient = gradient;
    this.#value = value;
    const length = norm(this.#slopes());
    return this.#result(this.#stopping.ending(value, length, norm(weights)), length);
  }

  /** One round over the observations; false if nothing moved. */
  #pass(): boolean {
    const slopes = this.#slopes();
    let moved = false;
    let feature = 0;
    for (const observation of this.#observations) {
      const first = feature;
      feature += observation.blocks.length;
      const live = observation.blocks.filter(({ at }) => at.some(i => slopes[i] !== 0));
      if (live.length === 0) continue;
      const visit = new ObservationVisit(this.#objective, this.#finder, observation, live);
      const factors = live.map(block => first + observation.blocks.indexOf(block));
      const counted = moveWeights(visit, {
        ...this.#options,
        single: this.#single,
        precision: this.#objective.parameters.precision,
        factors: this.#factors,
        factorAt: factors,
      });
      this.#visited += counted.evaluations * visit.sentences.count;
      if (counted.moved) moved = true;
    }
    return moved;
  }

  #evaluate(weights: Float64Array, gradient: Float64Array): number {
    return this.#objective.evaluate(weights, gradient) + this.#options.l1 * norm1(weights);
  }

  #slopes(): Float64Array {
    const slopes = new Float64Array(this.#weights.length);
    pseudoGradient(this.#weights, this.#gradient, this.#options.l1, slopes);
    return slopes;
  }

  #result(ending: Ending | undefined, gradientNorm = norm(this.#slopes())): Iteration {
    const isLast = ending === 'precision' && gradientNorm === 0 ? 'gradient' : ending;
    return {
      iteration: this.#iteration,
      objective: this.#value,
      gradientNorm,
      evaluations:
        this.#objective.evaluations + Math.floor(this.#visited / Math.max(this.#finder.count, 1)),
      active: countActive(this.#weights),
      ...(isLast === undefined ? {} : { ending: isLast }),
    };
  }

  save(): State {
    return {
      json: {
        value: Number.isNaN(this.#value) ? null : this.#value,
        iteration: this.#iteration,
        evaluations: this.#objective.evaluations,
        visited: this.#visited,
        past: [...this.#stopping.past],
      },
      arrays: { weights: this.#weights, gradient: this.#gradient, factors: this.#factors },
    };
  }

  restore(state: State): void {
    const vector = (name: string, length: number) =>
      stateArray(state, name, [Float64Array], length).slice(0, length);
    this.#weights = vector('weights', this.#weights.length);
    this.#gradient = vector('gradient', this.#gradient.length);
    this.#factors = vector('factors', this.#factors.length);
    this.#value = state.json.value === null ? Number.NaN : stateNumber(state, 'value');
    this.#iteration = stateCount(state, 'iteration');
    this.#visited = stateCount(state, 'visited');
    this.#objective.evaluations = stateCount(state, 'evaluations');
    this.#stopping.restore(readPast(state));
    this.#objective.place(this.#weights);
  }
}
