import * as z from 'zod';
import type { Minibatch } from '../core/minibatch/minibatch.js';
import type { Contribution } from '../core/training/contribution.js';
import {
  type State,
  stateArray,
  stateCount,
  stateNumber,
  wrongState,
} from '../core/training/state.js';
import type { Plane } from '../kernels/memory/plane.js';
import type { Optimizer, OptimizerComponent, OptimizerContext } from './optimizer.js';
import { planeArrays, restorePlane } from './planes/planes.js';
import { RowChains } from './tables/row-chains.js';
import { countableTables, smoothingShape, TableWriter } from './tables/table-writer.js';

const options = z.strictObject({
  ...smoothingShape,
  power: z
    .number()
    .min(0)
    .max(1)
    .default(0.7)
    .describe(
      'a of the step size (k + 2)^-a, k the steps so far; above 0.5 it converges; at 0 each minibatch replaces all earlier expected counts',
    ),
  warmUp: z
    .int()
    .min(0)
    .default(100)
    .describe(
      'fully labelled sentences to count in the first pass before learning from others; 0 for dictionaries of possible labels',
    ),
});

/** Options of `stepwiseEm`, with their defaults. */
export type StepwiseEmOptions = z.infer<typeof options>;

/** Scale below which it is multiplied into U. */
const leastScale = 1e-100;

/**
 * Stepwise expectation maximisation of a hidden Markov model: online, from fully, partially and unlabelled sentences. Each
 * minibatch makes one step. With u the weighted mean, under the current tables, of the expected counts of its sentences
 * without full labels (see `partialJointLoss`),
 *
 *     U <- (1 - eta_k) U + eta_k u,   eta_k = (k + 2)^-a,
 *
 * and the tables become those of the counts S + M U, smoothed as in `counts`: S are the counts of the fully labelled
 * sentences, which do not decay, M the total weight of the other sentences, in the first pass or so far on a stream. A
 * word has an entry if it occurred at least `minCount` times. A single minibatch of the whole corpus with a = 0 is one
 * iteration of `em`.
 *
 * If densities are mixtures, no sentence is fully labelled because its components are unknown: expectations are taken for
 * all sentences, with known labels clamped, and training need not wait for labelled ones.
 *
 * A step costs O(active features * L) plus O(all weights): use large minibatches. Memory: four planes. Needs float64.
 * Cappe and Moulines (2009), Liang and Klein (2009).
 */
export class StepwiseEm implements Optimizer {
  readonly name = 'stepwise-em';
  readonly #options: StepwiseEmOptions;
  readonly #context: OptimizerContext;
  readonly #chains: RowChains;
  readonly #writer: TableWriter;
  /** S. */
  readonly #labelled: Plane;
  /** U / scale. */
  readonly #expected: Plane;
  /** S + M U, while tables are written. */
  readonly #sum: Plane;
  /** Weighted token count of each row in the first pass. */
  #seen = new Float64Array(0);
  #scale = 1;
  /** M. */
  #mass = 0;
  #steps = 0;
  /** Number of fully labelled sentences so far. */
  #counted = 0;
  /** Number of labels in the tables; 0 if they must be written before anything is scored. */
  #labels = 0;
  /** Whether a whole pass has been seen. */
  #complete = false;

  /** @throws TagstreamError `config` if the parameters are not tables, or in float32 */
  constructor(chosen: StepwiseEmOptions, context: OptimizerContext) {
    const { parameters } = context;
    const tables = countableTables(this.name, parameters);
    this.#options = chosen;
    this.#context = context;
    this.#labelled = parameters.addPlane();
    this.#expected = parameters.addPlane();
    this.#sum = parameters.addPlane();
    this.#chains = new RowChains(tables);
    this.#writer = new TableWriter(tables, chosen, parameters, this.#chains);
  }

  get stepSize(): number {
    return (this.#steps + 2) ** -this.#options.power;
  }

  prepare(minibatch?: Minibatch): void {
    const { parameters } = this.#context;
    this.#chains.reserve(parameters.stateRows);
    if (this.#seen.length < parameters.stateRows) {
      const seen = new Float64Array(2 * parameters.stateRows);
      seen.set(this.#seen);
      this.#seen = seen;
    }
    if (minibatch !== undefined && !this.#complete) {
      for (const [s, sentence] of minibatch.sentences.entries()) {
        if (minibatch.labelled[s] === 1) this.#chains.note(sentence);
      }
    }
    if (this.#labels !== parameters.labels) this.#write();
  }

  apply(contribution: Contribution): void {
    const { minibatch } = contribution;
    this.#context.parameters.version += 1;
    const counted = this.#count(contribution);
    const stepped = this.#isWarm && this.#step(contribution);
    if (minibatch.passEnd !== undefined) this.#complete = true;
    if (counted || stepped) this.#write();
  }

  /** Whether enough labels were seen for tables from which expectations can be computed. */
  get #isWarm(): boolean {
    // Components are never observed, so there are no labelled sentences to wait for.
    const { components } = this.#context.parameters.layout;
    return this.#complete || components !== undefined || this.#counted >= this.#options.warmUp;
  }

  /** Counts the fully labelled sentences of the first pass; returns whether there were any. */
  #count(contribution: Contribution): boolean {
    if (this.#complete) return false;
    const { kernel, parameters } = this.#context;
    const { labelled, sentences, weights } = contribution.minibatch;
    let found = false;
    for (let s = 0; s < labelled.length; s += 1) {
      if (labelled[s] === 0) continue;
      const weight = weights?.[s] ?? 1;
      for (const row of sentences[s]!.stateRows) this.#seen[row]! += weight;
      if (sentences[s]!.gold === undefined) {
        this.#mass += weight;
        continue;
      }
      kernel.accumulate(parameters, this.#labelled, contribution, s, -1);
      this.#counted += 1;
      found = true;
    }
    return found;
  }

  /** Moves U towards the expectations of the other sentences; returns whether there were any. */
  #step(contribution: Contribution): boolean {
    const { kernel, parameters } = this.#context;
    const { labelled, sentences, weights } = contribution.minibatch;
    const isOther = (s: number) => labelled[s] === 1 && sentences[s]!.gold === undefined;
    let sum = 0;
    for (let s = 0; s < labelled.length; s += 1) if (isOther(s)) sum += weights?.[s] ?? 1;
    if (sum === 0) return false;
    const eta = this.stepSize;
    this.#scale *= 1 - eta;
    if (this.#scale < leastScale) {
      kernel.scalePlane(this.#expected, this.#scale);
      this.#scale = 1;
    }
    const factor = -eta / (sum * this.#scale);
    for (let s = 0; s < labelled.length; s += 1) {
      if (isOther(s)) kernel.accumulate(parameters, this.#expected, contribution, s, factor);
    }
    this.#steps += 1;
    return true;
  }

  #write(): void {
    this.deploy(this.#context.parameters.weights);
    this.#labels = this.#context.parameters.labels;
  }

  deploy(target: Plane): void {
    addScaled(this.#labelled, this.#mass * this.#scale, this.#expected, this.#sum);
    this.#writer.write(this.#sum, target, this.#seen);
  }

  kept(): number[] {
    return this.#chains.single();
  }

  /** Forgets rows: the tokens of forgotten words then count for their classes. */
  forget(stateRows: Uint32Array): void {
    this.#chains.forget(stateRows);
    for (const row of stateRows) this.#seen[row] = 0;
    this.#labels = 0;
  }

  save(): State {
    return {
      json: {
        ...{ scale: this.#scale, mass: this.#mass, steps: this.#steps, counted: this.#counted },
        ...{ labels: this.#labels, complete: this.#complete },
      },
      arrays: {
        ...planeArrays('labelled', this.#labelled),
        ...planeArrays('expected', this.#expected),
        seen: this.#seen,
        ...this.#chains.save(),
      },
    };
  }

  restore(state: State): void {
    this.#scale = stateNumber(state, 'scale');
    this.#mass = stateNumber(state, 'mass');
    this.#steps = stateCount(state, 'steps');
    this.#counted = stateCount(state, 'counted');
    this.#labels = stateCount(state, 'labels');
    if (typeof state.json.complete !== 'boolean') throw wrongState('complete is missing');
    this.#complete = state.json.complete;
    restorePlane('labelled', this.#labelled, state);
    restorePlane('expected', this.#expected, state);
    this.#seen = stateArray(state, 'seen', [Float64Array]).slice() as Float64Array<ArrayBuffer>;
    this.#chains.restore(state);
  }
}

/** The catalogue entry of `StepwiseEm`. */
export const stepwiseEm: OptimizerComponent<StepwiseEmOptions> = {
  name: 'stepwise-em',
  summary: 'stepwise EM: trains a hidden Markov model online, from records with and without labels',
  options,
  // A prior on the tables.
  penalty: () => ({ others: true }),
  example: 'optimize: { stepwise-em: { power: 0.7, warmUp: 100 } }',
  losses: ['joint'],
  makes: 'hmm',
  unlabelled: true,
  create: (chosen, context) => new StepwiseEm(chosen, context),
};

/** Computes into = one + factor * other, for the state features and transitions of planes with the same rows. */
function addScaled(one: Plane, factor: number, other: Plane, into: Plane): void {
  for (const table of ['state', 'edges'] as const) {
    const a = one[table].view;
    const b = other[table].view;
    const sum = into[table].view;
    for (let i = 0; i < sum.length; i += 1) sum[i] = a[i]! + factor * b[i]!;
  }
}
