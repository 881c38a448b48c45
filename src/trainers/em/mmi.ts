import * as z from 'zod';
import { stateArray } from '../../core/training/read-state.js';
import type { State } from '../../core/training/state.js';
import type { Iteration, Trainer } from '../../core/training/trainer.js';
import type { Plane } from '../../kernels/memory/plane.js';
import { jointLoss } from '../../losses/joint-loss.js';
import { countableTables } from '../../optimizers/tables/countable-tables.js';
import { RowChains } from '../../optimizers/tables/row-chains.js';
import { smoothingShape } from '../../optimizers/tables/smoothing-options.js';
import { TableWriter } from '../../optimizers/tables/table-writer.js';
import { historyShape } from '../lbfgs/history-options.js';
import { Lbfgs } from '../lbfgs/lbfgs.js';
import type { Objective } from '../objective.js';
import { onlyLoss } from '../only-loss.js';
import { stoppingShape } from '../stopping/stopping-options.js';
import type { TrainerComponent } from '../trainer-component.js';
import { savedVector } from '../vectors/saved-vector.js';
import { countKnown } from './count-known.js';
import { addResiduals, TableObjective } from './table-objective.js';
import { TableParameters } from './table-parameters.js';

const options = z.strictObject({
  ...smoothingShape,
  joint: z
    .number()
    .min(0)
    .default(0)
    .describe(
      'h: how much of the joint loss -log p(x, y) is added, which keeps tables near counts',
    ),
  iterations: z
    .int()
    .min(0)
    .default(0)
    .describe(
      'iterations of expectation maximisation to start from; where densities have components, some are needed',
    ),
  ...historyShape,
  ...stoppingShape,
});

export type MmiOptions = z.infer<typeof options>;

/**
 * Discriminative training of a hidden Markov model by maximum mutual information: the conditional likelihood of the
 * labels in place of the joint one,
 *
 *     - sum log p(y | x) - h sum log p(x, y) - log prior,   p(y | x) = p(x, y) / p(x),
 *
 * with the prior of `em`, p(y in A | x) where labels are known in part. The tables stay distributions: L-BFGS moves the
 * free parameters of `TableParameters`, logarithms of probabilities up to a constant, means, and the triangular factors
 * of precisions, from the tables of counts. Which words have entries stays as it was counted. Cost of an iteration: one
 * forward-backward pass over the corpus, mostly, and O(all weights). Needs float64. Bahl, Brown, de Souza and Mercer
 * (1986); the criterion and its mixture with the joint likelihood as in Gales' lecture.
 */
export class Mmi implements Trainer {
  readonly name = 'mmi';
  readonly #options: MmiOptions;
  readonly #objective: Objective;
  readonly #chains: RowChains;
  readonly #writer: TableWriter;
  readonly #sums: Plane;
  /** Weights of the tables that it started from, and which rows had entries. */
  #start: Float64Array | undefined;
  #entries = new Uint8Array(0);
  #lbfgs: Lbfgs | undefined;

  /** @throws TagstreamError `config` for parameters that are not tables, or in float32 */
  constructor(chosen: MmiOptions, objective: Objective) {
    const { parameters, corpus } = objective;
    const tables = countableTables(this.name, parameters);
    this.#options = chosen;
    this.#objective = objective;
    this.#chains = new RowChains(tables);
    this.#chains.reserve(parameters.stateRows);
    for (const { sentences } of corpus) {
      for (const sentence of sentences) this.#chains.note(sentence);
    }
    this.#sums = parameters.addPlane();
    this.#writer = new TableWriter(tables, chosen, parameters, this.#chains);
  }

  iterate(): Iteration {
    this.#lbfgs ??= this.#begin();
    return this.#lbfgs.iterate();
  }

  /** Counts what is known, and expects the rest as often as is asked for. */
  #begin(): Lbfgs {
    const objective = this.#objective;
    const { parameters } = objective;
    countKnown(objective, this.#sums);
    const write = () => {
      this.#writer.write(this.#sums, parameters.weights);
      parameters.version += 1;
    };
    write();
    for (let i = 0; i < this.#options.iterations; i += 1) {
      this.#sums.state.view.fill(0);
      this.#sums.edges.view.fill(0);
      addResiduals(objective, this.#sums, jointLoss, -1);
      write();
    }
    this.#entries = this.#writer.entries.slice(0, parameters.stateRows);
    return this.#from(objective.weights());
  }

  #from(weights: Float64Array): Lbfgs {
    const { parameters, free } = this.#objective;
    this.#start = weights;
    const { k, transitionK, joint } = this.#options;
    const shape = { store: parameters, free, chains: this.#chains, entries: this.#entries };
    const tables = new TableParameters({ ...shape, k, transitionK }, weights);
    const objective = new TableObjective(this.#objective, tables, joint, this.#sums);
    return new Lbfgs(this.#options, objective);
  }

  settle(): void {
    this.#lbfgs?.settle();
  }

  release(): (() => void) | undefined {
    return this.#lbfgs?.release();
  }

  save(): State {
    const lbfgs = this.#lbfgs ?? this.#begin();
    this.#lbfgs = lbfgs;
    const { json, arrays } = lbfgs.save();
    return { json, arrays: { ...arrays, start: this.#start!, entries: this.#entries } };
  }

  restore(state: State): void {
    const { free, parameters } = this.#objective;
    const start = savedVector(state, 'start', free.size);
    const entries = stateArray(state, 'entries', [Uint8Array], parameters.stateRows);
    this.#entries = entries.slice() as Uint8Array<ArrayBuffer>;
    this.#lbfgs = this.#from(start);
    this.#lbfgs.restore(state);
  }
}

/** `Mmi` as pipeline files name it. */
export const mmi: TrainerComponent<MmiOptions> = {
  name: 'mmi',
  summary:
    'hidden Markov model by the conditional likelihood of its labels (maximum mutual information), by L-BFGS',
  options,
  example: 'optimize: { mmi: { k: 0.001, joint: 0.1 } }',
  losses: ['joint'],
  needs: onlyLoss('joint'),
  makes: () => 'hmm',
  create: (chosen, { objective }) => new Mmi(chosen, objective(0)),
};
