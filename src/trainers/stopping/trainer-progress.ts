import { stateCount, stateNumber } from '../../core/training/read-state.js';
import type { State } from '../../core/training/state.js';
import type { Ending, Iteration } from '../../core/training/trainer.js';
import type { SmoothObjective } from '../space/smooth-objective.js';
import { countActive } from '../vectors/count-active.js';
import { norm } from '../vectors/norm.js';
import { readPast, type StoppingOptions, StoppingRule } from './stopping-rule.js';

/** How far a trainer has come: what every one of them counts, reports and saves alike. */
export class TrainerProgress {
  iteration = 0;
  /** The whole objective where the trainer is; NaN as long as nothing has been evaluated. */
  value = Number.NaN;
  readonly #objective: SmoothObjective;
  readonly #stopping: StoppingRule;

  constructor(objective: SmoothObjective, stopping: StoppingOptions) {
    this.#objective = objective;
    this.#stopping = new StoppingRule(stopping);
  }

  /** Whether to end at these weights; to be asked once for each iteration. */
  ending(gradientNorm: number, weights: Float64Array): Ending | undefined {
    const objective = this.#objective;
    const length = objective.owns(weights) ? objective.space.norm(weights) : norm(weights);
    return this.#stopping.ending(this.value, gradientNorm, length);
  }

  /** What the iteration came to. */
  result(weights: Float64Array, gradientNorm: number, ending: Ending | undefined): Iteration {
    const objective = this.#objective;
    return {
      iteration: this.iteration,
      objective: this.value,
      gradientNorm,
      evaluations: objective.evaluations,
      active: objective.owns(weights) ? objective.space.countActive(weights) : countActive(weights),
      ...(ending === undefined ? {} : { ending }),
    };
  }

  /** For the state of the trainer, beside what is its own. */
  save(): State['json'] {
    return {
      value: Number.isNaN(this.value) ? null : this.value,
      iteration: this.iteration,
      evaluations: this.#objective.evaluations,
      past: [...this.#stopping.past],
    };
  }

  /** @throws TagstreamError `checkpoint` where the state does not fit together */
  restore(state: State): void {
    this.value = state.json.value === null ? Number.NaN : stateNumber(state, 'value');
    this.iteration = stateCount(state, 'iteration');
    this.#objective.evaluations = stateCount(state, 'evaluations');
    this.#stopping.restore(readPast(state));
  }
}
