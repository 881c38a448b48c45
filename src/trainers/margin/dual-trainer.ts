import { stateCount } from '../../core/training/read-state.js';
import type { State } from '../../core/training/state.js';
import type { Iteration, Trainer } from '../../core/training/trainer.js';
import type { Objective } from '../objective.js';
import { TrainerProgress } from '../stopping/trainer-progress.js';
import type { DualOptions } from './dual-options.js';
import { MarginDuals } from './margin-duals.js';
import type { MarginSpace } from './margin-space.js';
import type { SentenceDual } from './sentence-dual.js';

/**
 * What trainers on the max-margin dual share. An iteration searches every sentence for the label sequence with the
 * greatest cost plus score, by Viterbi over all sequences, and keeps it beside those that have a dual variable. Rounds of
 * steps over what is known follow, until `share` of the violations that the search found is left. The iteration ends
 * with the gap between primal and dual, primal - D(a), which bounds how far both are from the optimum; `gradientNorm`
 * holds it. Training ends at a gap of `tolerance * max(1, primal)`. Weights are 0 at first, whatever they were.
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

  /** Searches all sentences, and makes a first round; the violations that there were. */
  protected abstract search(): number;

  /**
   * A round of steps; the violations that there were, as far as the sequences are known.
   *
   * @param least violation of a sentence to do anything about
   */
  protected abstract round(least: number): number;

  /** Sum over the sentences of what is done with each. */
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
    const result = progress.result(none, gap, ending);
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
