import * as z from 'zod';
import { type State, stateCount, wrongState } from '../../core/training/state.js';
import type { Iteration, Trainer } from '../../core/training/trainer.js';
import type { Objective } from '../objective.js';
import { TrainerProgress } from '../stopping/trainer-progress.js';
import type { MarginSpace } from './margin-space.js';
import { SentenceDual } from './sentence-dual.js';

/** Options shared by trainers on the max-margin dual. */
export const dualShape = {
  l2: z.number().positive().default(1).describe('L2 penalty: l2 * sum w^2 over the corpus'),
  steps: z
    .int()
    .min(1)
    .default(100)
    .describe(
      'maximum steps per visit of a sentence: balanced pairs of label sequences, or gradient steps',
    ),
  rounds: z
    .int()
    .min(1)
    .default(200)
    .describe('maximum visits to each sentence between two searches for label sequences'),
  share: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe('share of the violations of a visit and of a search that may stay unbalanced'),
  tolerance: z
    .number()
    .min(0)
    .default(1e-4)
    .describe('convergence threshold on the duality gap, relative to the objective'),
};

const options = z.strictObject(dualShape);

type DualOptions = z.infer<typeof options>;

/**
 * The dual of max-margin training, over a distribution a_i of label sequences for each sentence of a space:
 *
 *     D(a) = sum_i E_a[wrong] - l2 |w(a)|^2,   w(a) = sum_i (F(y*_i) - E_a[F]) / (2 l2)
 */
class MarginDuals {
  readonly of: readonly SentenceDual[];
  readonly #space: MarginSpace;

  constructor(space: MarginSpace) {
    this.#space = space;
    this.of = Array.from({ length: space.size }, (_, i) => new SentenceDual(space, i));
  }

  /** Returns D(a). */
  value(l2: number): number {
    return this.of.reduce((sum, { cost }) => sum + cost, 0) - l2 * this.#space.squaredNorm();
  }

  /** Recomputes w from the dual variables, so that rounding errors do not accumulate. */
  settle(l2: number): void {
    this.#space.clear();
    for (const { sequences, alphas } of this.of) {
      this.#space.move(
        sequences,
        Float64Array.from(alphas, alpha => -alpha / (2 * l2)),
      );
    }
  }

  save(): Pick<State, 'arrays'> {
    const all = this.of.flatMap(({ sequences }) => sequences);
    const labels = new Int32Array(all.reduce((sum, each) => sum + each.labels.length, 0));
    let from = 0;
    for (const each of all) {
      labels.set(each.labels, from);
      from += each.labels.length;
    }
    const counts = Int32Array.from(this.of, ({ sequences }) => sequences.length);
    const alphas = Float64Array.from(this.of.flatMap(each => each.alphas));
    return { arrays: { counts, labels, alphas } };
  }

  /** @throws TagstreamError `checkpoint` if the state does not fit the corpus */
  restore({ arrays: { counts, labels, alphas } }: State): void {
    if (!(counts instanceof Int32Array && labels instanceof Int32Array)) throw inconsistent();
    if (!(alphas instanceof Float64Array) || counts.length !== this.of.length) throw inconsistent();
    let from = 0;
    let next = 0;
    for (const [i, dual] of this.of.entries()) {
      const { length } = this.#space.gold(i);
      const count = counts[i]!;
      if (!(count > 0 && labels.length >= from + count * length)) throw inconsistent();
      const own = Array.from({ length: count }, (_, k) =>
        labels.slice(from + k * length, from + (k + 1) * length),
      );
      dual.restore(own, [...alphas.subarray(next, next + count)]);
      from += count * length;
      next += count;
    }
    if (from !== labels.length || next !== alphas.length) throw inconsistent();
  }
}

function inconsistent() {
  return wrongState('the label sequences do not match the corpus');
}

/**
 * Common base of trainers on the max-margin dual. An iteration searches each sentence for the label sequence with
 * the greatest cost plus score, by Viterbi over all sequences, and adds it to the working set. Rounds of steps over
 * the working set follow until at most `share` of the violations found by the search is left. `gradientNorm` is the
 * gap at the end of the iteration, primal - D(a), which bounds the distance of both from the optimum. Training ends
 * at a gap of `tolerance * max(1, primal)`. Training always starts from zero weights.
 */
export abstract class DualTrainer implements Trainer {
  readonly name: string;
  protected readonly options: DualOptions;
  protected readonly space: MarginSpace;
  protected readonly duals: MarginDuals;
  readonly #progress: TrainerProgress;
  #passes = 0;

  constructor(name: string, options: DualOptions, objective: Objective, space: MarginSpace) {
    this.name = name;
    this.options = options;
    this.space = space;
    this.duals = new MarginDuals(space);
    const { tolerance } = options;
    this.#progress = new TrainerProgress(objective, { tolerance, decrease: 0, period: 1 });
  }

  /** Searches all sentences and makes a first round; returns the sum of the violations found. */
  protected abstract search(): number;

  /**
   * Makes a round of steps; returns the sum of the violations within the working set.
   *
   * @param least minimum violation for which a sentence's steps are made
   */
  protected abstract round(least: number): number;

  /** Returns the sum of a function over all sentences. */
  protected sum(of: (dual: SentenceDual) => number): number {
    let sum = 0;
    for (const dual of this.duals.of) sum += of(dual);
    return sum;
  }

  iterate(): Iteration {
    const progress = this.#progress;
    const { l2, share, rounds, tolerance } = this.options;
    progress.iteration += 1;
    const violation = this.search();
    this.#passes += 1;
    const least = (share * violation) / (2 * this.duals.of.length);
    for (let round = 1; round < rounds; round += 1) {
      if (this.round(least) <= share * violation) break;
    }
    for (const dual of this.duals.of) dual.shrink();
    this.duals.settle(l2);
    progress.value = this.space.primal();
    const gap = Math.max(0, progress.value - this.duals.value(l2));
    const relative = gap / Math.max(1, Math.abs(progress.value));
    const ending = relative <= tolerance ? 'gap' : violation > 0 ? undefined : 'precision';
    const result = progress.result(none, gap, ending, l2 * this.space.squaredNorm());
    const { active } = this.space;
    return { ...result, gap: relative, active, evaluations: result.evaluations + this.#passes };
  }

  save(): State {
    const json = { ...this.#progress.save(), passes: this.#passes };
    return { json, ...this.duals.save() };
  }

  restore(state: State): void {
    this.duals.restore(state);
    this.#passes = stateCount(state, 'passes');
    this.#progress.restore(state);
    this.duals.settle(this.options.l2);
    this.space.settle();
  }

  settle(): void {
    this.space.settle();
  }
}

const none = new Float64Array(0);
