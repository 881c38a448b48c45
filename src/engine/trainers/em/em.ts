import * as z from 'zod';
import { Random } from '../../core/random.js';
import type { State } from '../../core/training/state.js';
import type { Iteration, Trainer } from '../../core/training/trainer.js';
import type { Plane } from '../../kernels/memory/plane.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import type { RowChains } from '../../optimizers/tables/row-chains.js';
import { smoothingShape, type TableWriter } from '../../optimizers/tables/table-writer.js';
import type { Objective } from '../objective.js';
import { onlyLoss } from '../requirements.js';
import { TrainerProgress } from '../stopping/trainer-progress.js';
import type { TrainerComponent } from '../trainer-component.js';
import { negateInto, norm, savedVector } from '../vectors/vectors.js';
import { countedTables, countKnown } from './count-known.js';

const options = z.strictObject({
  ...smoothingShape,
  start: z
    .enum(['labels', 'random'])
    .default('labels')
    .describe(
      'initial tables; labels: counts of the sentences with a known label; random: equal tables with random noise, seeded by train.seed',
    ),
  decrease: z
    .number()
    .min(0)
    .default(1e-5)
    .describe('stop when the objective falls by less than this share over `period` iterations'),
  period: z.int().min(1).default(1).describe('iterations over which `decrease` is measured'),
});

/** Options of `em`, with their defaults. */
export type EmOptions = z.infer<typeof options>;

/**
 * Expectation maximisation of a hidden Markov model (Baum and Welch), from fully, partially and unlabelled sentences. An
 * iteration replaces the tables by those of the expected counts under the previous tables,
 *
 *     n(o, y) = sum over tokens of p(y_t = y | x, y in A) [x_t is emitted as o],
 *     n(y, y') = sum over tokens of p(y_{t-1} = y, y_t = y' | x, y in A),
 *
 * smoothed as in `counts`; A is the set of label sequences allowed by the known labels, so known labels are clamped. The
 * objective is the negative logarithm of likelihood times prior,
 *
 *     - sum log p(x, y in A) - k sum log p(o | y) - K sum log p(y' | y) - K sum log p(y),
 *
 * which never rises (beyond rounding; `shrinkage` above 0 may raise it). If labels have components, p(x | y) is the
 * mixture sum over m of c(m | y) N(x; y, m), the expected counts are p(y_t = y, m_t = m | x, y in A), and K sum log c(m
 * | y) is part of the prior; components start from means drawn around their label's mean, with the seed of `hidden`.
 * `gradientNorm` is the norm of the change in the expected counts. With only fully labelled sentences, one iteration
 * gives the tables of `counts`. Cost of an iteration: one forward-backward pass over the corpus and O(all weights).
 * Needs float64. Rabiner (1989); the update of Gaussian densities as in Gales' lecture.
 */
export class ExpectationMaximisation implements Trainer {
  readonly name = 'em';
  readonly #options: EmOptions;
  readonly #objective: Objective;
  readonly #progress: TrainerProgress;
  readonly #seed: number;
  readonly #chains: RowChains;
  readonly #writer: TableWriter;
  readonly #counts: Plane;
  /** The loss's gradient: the negated expected counts at the current tables. */
  #gradient: Float64Array;

  /** @throws TagstreamError `config` if the parameters are not tables, or in float32 */
  constructor(chosen: EmOptions, objective: Objective, seed: number) {
    const { chains, counts, writer } = countedTables(this.name, objective, chosen);
    this.#options = chosen;
    this.#objective = objective;
    this.#progress = new TrainerProgress(objective, { ...chosen, tolerance: 0 });
    this.#seed = seed;
    this.#chains = chains;
    this.#counts = counts;
    this.#writer = writer;
    this.#gradient = new Float64Array(objective.free.size);
  }

  iterate(): Iteration {
    const objective = this.#objective;
    const progress = this.#progress;
    if (progress.iteration === 0) this.#begin();
    const before = this.#gradient.slice();
    const logPrior = this.#maximise();
    const weights = objective.weights();
    progress.value = objective.evaluate(weights, this.#gradient) - logPrior;
    progress.iteration += 1;
    for (let i = 0; i < before.length; i += 1) before[i]! -= this.#gradient[i]!;
    const moved = norm(before);
    return progress.result(weights, moved, progress.ending(moved, weights), -logPrior);
  }

  /** Computes the first expected counts, under the initial tables. */
  #begin(): void {
    const { parameters } = this.#objective;
    if (this.#options.start === 'labels') {
      countKnown(this.#objective, this.#counts);
      this.#write();
    } else {
      this.#expect();
      this.#maximise();
      perturbTables(parameters, this.#chains, this.#seed);
    }
    this.#expect();
  }

  #expect(): void {
    this.#objective.evaluate(this.#objective.weights(), this.#gradient);
  }

  /** Writes the tables of the expected counts; returns the tables' log prior. */
  #maximise(): number {
    const counts = new Float64Array(this.#gradient.length);
    negateInto(this.#gradient, counts);
    this.#objective.free.scatter(counts, this.#counts);
    return this.#write();
  }

  #write(): number {
    const { parameters } = this.#objective;
    parameters.version += 1;
    return this.#writer.write(this.#counts, parameters.weights);
  }

  save(): State {
    return {
      json: this.#progress.save(),
      arrays: { gradient: this.#gradient, weights: this.#objective.weights() },
    };
  }

  restore(state: State): void {
    const { length } = this.#gradient;
    this.#gradient = savedVector(state, 'gradient', length);
    this.#progress.restore(state);
    this.#objective.place(savedVector(state, 'weights', length));
  }
}

/** The catalogue entry of `ExpectationMaximisation`. */
export const em: TrainerComponent<EmOptions> = {
  name: 'em',
  summary: 'hidden Markov model from records with and without labels, by expectation maximisation',
  options,
  // A prior on the tables.
  penalty: () => ({ others: true }),
  example: 'optimize: { em: { k: 0.001, minCount: 2 } }',
  losses: ['joint'],
  needs: onlyLoss('joint'),
  makes: () => 'hmm',
  unlabelled: true,
  create: (chosen, { objective, order }) =>
    new ExpectationMaximisation(chosen, objective(0), order?.seed ?? 1),
};

/**
 * Perturbs tables with equal labels, to break the symmetry: adds a standard normal number to each label's weight of each
 * word or class, and moves each mean of a Gaussian density by a normal number times its standard deviation (with
 * covariances, the conditional one). Components share words. The result is not a distribution, but its expected counts
 * yield one. Cost O(all weights).
 */
function perturbTables(parameters: ParameterStore, chains: RowChains, seed: number): void {
  const { labels, width, layout } = parameters;
  const { tables = [] } = layout;
  const components = layout.components?.count ?? 1;
  const state = parameters.weights.state.view;
  const random = new Random(seed);
  for (const row of chains.ordered().rows) {
    for (let y = 0; y < labels; y += components) {
      const moved = random.normal();
      for (let m = y; m < y + components; m += 1) state[row * width + m]! += moved;
    }
  }
  const constant = chains.rowOf('constant') * width;
  for (const role of tables) {
    if (role.kind !== 'value') continue;
    const value = chains.rowOf('value', role.column) * width;
    const square = chains.rowOf('square', role.column) * width;
    // A column whose numbers are all 0 produces no feature.
    if (value < 0 || square < 0) continue;
    const others = tables.flatMap(each => {
      if (each.kind !== 'product') return [];
      if (each.column !== role.column && each.other !== role.column) return [];
      const other = each.column === role.column ? each.other : each.column;
      const product = chains.productRow(role.column, other) * width;
      const sum = chains.rowOf('value', other) * width;
      return product < 0 || sum < 0 ? [] : [{ product, sum }];
    });
    for (let y = 0; y < labels; y += 1) {
      const variance = -1 / (2 * state[square + y]!);
      const mean = state[value + y]! * variance;
      const moved = mean + Math.sqrt(variance) * random.normal();
      state[value + y] = moved / variance;
      state[constant + y]! += (mean * mean - moved * moved) / (2 * variance);
      // The mean moves along its axis, so S^-1 m also changes in the rows of the other columns.
      for (const { product, sum } of others)
        state[sum + y]! -= state[product + y]! * (moved - mean);
    }
  }
  parameters.version += 1;
}
