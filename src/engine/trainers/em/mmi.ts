import * as z from 'zod';
import { type State, stateArray } from '../../core/training/state.js';
import type { Iteration, Trainer } from '../../core/training/trainer.js';
import type { Plane } from '../../kernels/memory/plane.js';
import { jointLoss } from '../../losses/joint-loss.js';
import { logLoss } from '../../losses/log-loss.js';
import type { Loss } from '../../losses/loss.js';
import type { RowChains } from '../../optimizers/tables/row-chains.js';
import { smoothingShape, type TableWriter } from '../../optimizers/tables/table-writer.js';
import { Lbfgs } from '../lbfgs/lbfgs.js';
import { historyShape } from '../lbfgs/limited-memory.js';
import type { Objective } from '../objective.js';
import { onlyLoss } from '../requirements.js';
import type { SmoothObjective, VectorSpace } from '../space/vector-space.js';
import { stoppingShape } from '../stopping/trainer-progress.js';
import type { TrainerComponent } from '../trainer-component.js';
import { savedVector } from '../vectors/vectors.js';
import { countedTables, countKnown } from './count-known.js';
import { TableParameters } from './table-parameters.js';

const options = z.strictObject({
  ...smoothingShape,
  joint: z
    .number()
    .min(0)
    .default(0)
    .describe('h: weight of the joint loss -log p(x, y), which keeps the tables near the counts'),
  iterations: z
    .int()
    .min(0)
    .default(0)
    .describe('EM iterations to start with; needed if densities have components'),
  ...historyShape,
  ...stoppingShape,
});

/** Options of `mmi`, with their defaults. */
export type MmiOptions = z.infer<typeof options>;

/**
 * Discriminative training of a hidden Markov model by maximum mutual information, that is by the conditional instead
 * of the joint likelihood of the labels:
 *
 *     - sum log p(y | x) - h sum log p(x, y) - log prior,   p(y | x) = p(x, y) / p(x),
 *
 * with the prior of `em`, and p(y in A | x) for partial labels. The tables remain distributions: L-BFGS optimises the
 * free parameters of `TableParameters` (logarithms of probabilities up to a constant, means, and triangular factors of
 * precisions), starting from the counted tables. The set of words with entries does not change. Cost of an iteration:
 * usually one forward-backward pass over the corpus, and O(all weights). Needs float64. Bahl, Brown, de Souza and
 * Mercer (1986); the criterion and its mixture with the joint likelihood as in Gales' lecture.
 */
export class Mmi implements Trainer {
  readonly name = 'mmi';
  readonly #options: MmiOptions;
  readonly #objective: Objective;
  readonly #chains: RowChains;
  readonly #writer: TableWriter;
  readonly #sums: Plane;
  /** Weights of the initial tables, and which rows had entries. */
  #start: Float64Array | undefined;
  #entries = new Uint8Array(0);
  #lbfgs: Lbfgs | undefined;

  /** @throws TagstreamError `config` if the parameters are not tables, or in float32 */
  constructor(chosen: MmiOptions, objective: Objective) {
    const { chains, counts, writer } = countedTables(this.name, objective, chosen);
    this.#options = chosen;
    this.#objective = objective;
    this.#chains = chains;
    this.#sums = counts;
    this.#writer = writer;
  }

  iterate(): Iteration {
    this.#lbfgs ??= this.#begin();
    return this.#lbfgs.iterate();
  }

  /** Counts the known labels, and runs the requested number of EM iterations. */
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

/** The catalogue entry of `Mmi`. */
export const mmi: TrainerComponent<MmiOptions> = {
  name: 'mmi',
  summary:
    'trains a hidden Markov model for the conditional likelihood of its labels (maximum mutual information), by L-BFGS',
  options,
  // A prior on the tables.
  penalty: () => ({ others: true }),
  example: 'optimize: { mmi: { k: 0.001, joint: 0.1 } }',
  losses: ['joint'],
  needs: onlyLoss('joint'),
  makes: () => 'hmm',
  create: (chosen, { objective }) => new Mmi(chosen, objective(0)),
};

/**
 * The log loss of tables, -log p(y | x) = -log p(x, y) + log p(x). Not available in pipeline files: its gradient keeps
 * tables distributions only if they are parametrised.
 */
const conditionalLoss: Loss = { ...logLoss, name: 'conditional', scorers: ['hmm'] };

/**
 * The objective of `Mmi` as a function of `TableParameters`: the conditional loss plus `joint` times the joint loss
 * minus the log prior. Cost of an evaluation: a forward-backward pass over the corpus, and another for the joint loss
 * of sentences without full labels.
 */
export class TableObjective implements SmoothObjective {
  evaluations = 0;
  readonly #objective: Objective;
  readonly #joint: number;
  readonly #tables: TableParameters;
  readonly #sums: Plane;
  readonly #weights: Float64Array;
  readonly #gradient: Float64Array;

  /** @param sums a plane for sums of residuals */
  constructor(objective: Objective, tables: TableParameters, joint: number, sums: Plane) {
    this.#objective = objective;
    this.#tables = tables;
    this.#joint = joint;
    this.#sums = sums;
    this.#weights = new Float64Array(objective.free.size);
    this.#gradient = new Float64Array(objective.free.size);
  }

  get space(): VectorSpace {
    return this.#objective.space;
  }

  owns(vector: Float64Array): boolean {
    return this.#objective.owns(vector);
  }

  weights(): Float64Array {
    return this.#tables.start;
  }

  place(parameters: Float64Array): void {
    this.#tables.place(parameters, this.#weights);
    this.#objective.place(this.#weights);
  }

  settle(): void {
    this.#objective.settle();
  }

  evaluate(parameters: Float64Array, gradient: Float64Array): number {
    this.evaluations += 1;
    const logPrior = this.#tables.place(parameters, this.#weights);
    this.#objective.place(this.#weights);
    this.#sums.state.view.fill(0);
    this.#sums.edges.view.fill(0);
    let value = addResiduals(this.#objective, this.#sums, conditionalLoss, 1);
    if (this.#joint > 0) {
      value += this.#joint * addResiduals(this.#objective, this.#sums, jointLoss, this.#joint);
    }
    this.#objective.free.gather(this.#sums, this.#gradient);
    this.#tables.pull(parameters, this.#gradient, gradient);
    return value - logPrior;
  }

  /** Returns the negative log prior. */
  penalty(parameters: Float64Array): number {
    return -this.#tables.place(parameters, this.#weights);
  }
}

/** Adds a corpus's residuals under a loss, times a factor, to a plane; returns the loss. */
function addResiduals(objective: Objective, sums: Plane, loss: Loss, factor: number): number {
  const { kernel, parameters, corpus } = objective;
  let value = 0;
  for (const minibatch of corpus) {
    const contribution = objective.contribute(minibatch, loss);
    for (let s = 0; s < minibatch.sentences.length; s += 1) {
      kernel.accumulate(parameters, sums, contribution, s, factor);
    }
    value += contribution.loss;
  }
  return value;
}
