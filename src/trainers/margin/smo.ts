import * as z from 'zod';
import { stateCount } from '../../core/training/read-state.js';
import type { State } from '../../core/training/state.js';
import type { Iteration, Trainer } from '../../core/training/trainer.js';
import type { Objective } from '../objective.js';
import { onlyLoss } from '../only-loss.js';
import { TrainerProgress } from '../stopping/trainer-progress.js';
import type { TrainerComponent } from '../trainer-component.js';
import { dualShape } from './dual-options.js';
import { LinearSpace } from './linear-space.js';
import { MarginDuals } from './margin-duals.js';
import type { MarginSpace } from './margin-space.js';
import { singleSentences } from './single-sentences.js';

const options = z.strictObject(dualShape);

export type SmoOptions = z.infer<typeof options>;

/**
 * Sequential minimal optimization of the max-margin dual. Primal: the summed hinge losses with Hamming cost and
 * l2 * sum w^2; dual, over a distribution a_i of label sequences for each sentence,
 *
 *     D(a) = sum_i E_a[wrong] - l2 |w(a)|^2,   w(a) = sum_i (F(y*_i) - E_a[F]) / (2 l2)
 *
 * An iteration searches every sentence once for the sequence with the greatest h(y) = wrong(y) + w . (F(y) - F(y*)), by
 * Viterbi over all sequences, and keeps it beside those with a > 0. Then it visits the sentences round after round
 * and balances pairs of the sequences that they have, until `share` of the violations that the search found is left. The
 * first of a pair is the sequence y with the greatest h(y), the second the one that gains most among those with
 * a(z) > 0 and h(z) < h(y), which violate the conditions of Karush, Kuhn and Tucker; mass moves from z to y, as much as is
 * best:
 *
 *     delta = min(a(z), 2 l2 (h(y) - h(z)) / |F(y) - F(z)|^2)
 *     gain  = delta (h(y) - h(z)) - delta^2 |F(y) - F(z)|^2 / (4 l2)
 *
 * Pairs cost next to nothing, as products of the sequences of a sentence are kept, and the gap
 * closes in few of them. Sequences stand for themselves, so that no marginals have to be turned into
 * some, for which Gupta's report, section 2.4.1, takes those of maximum entropy. The gap between primal and dual bounds
 * how far both are from the optimum; `gradientNorm` holds it. Weights are 0 at first, whatever they were. Cost of an
 * iteration: Viterbi over the corpus twice, and the rounds, O(parts of the sequences) each. Taskar, Guestrin and Koller
 * (2003); Platt (1998); second choice of Fan, Chen and Lin (2005).
 */
export class Smo implements Trainer {
  readonly name: string;
  readonly #options: SmoOptions;
  readonly #progress: TrainerProgress;
  readonly #space: MarginSpace;
  readonly #duals: MarginDuals;
  #passes = 0;

  /**
   * @param objective with the hinge loss, and the penalty of the options
   * @param space where w lives: by default that of linear scores
   * @throws TagstreamError `config` if a sentence is partially labelled
   */
  constructor(chosen: SmoOptions, objective: Objective, space?: MarginSpace, name = 'smo') {
    this.name = name;
    this.#options = chosen;
    const { tolerance } = chosen;
    this.#progress = new TrainerProgress(objective, { tolerance, decrease: 0, period: 1 });
    this.#space = space ?? new LinearSpace(objective, singleSentences(name, objective.corpus));
    this.#duals = new MarginDuals(this.#space);
  }

  iterate(): Iteration {
    const progress = this.#progress;
    const { l2, steps, share, rounds, tolerance } = this.#options;
    progress.iteration += 1;
    let violation = 0;
    for (const dual of this.#duals.of) {
      dual.addWorst();
      violation += dual.balance(l2, steps, share);
    }
    this.#passes += 1;
    const least = (share * violation) / (2 * this.#duals.of.length);
    for (let round = 1; round < rounds; round += 1) {
      let left = 0;
      for (const dual of this.#duals.of) left += dual.balance(l2, steps, share, least);
      if (left <= share * violation) break;
    }
    for (const dual of this.#duals.of) dual.shrink();
    this.#duals.settle(l2);
    progress.value = this.#space.primal();
    const gap = Math.max(0, progress.value - this.#duals.value(l2));
    const done = gap <= tolerance * Math.max(1, Math.abs(progress.value));
    const ending = done ? 'gap' : violation > 0 ? undefined : 'precision';
    const result = progress.result(none, gap, ending);
    const { active } = this.#space;
    return { ...result, active, evaluations: result.evaluations + this.#passes };
  }

  save(): State {
    const json = { ...this.#progress.save(), passes: this.#passes };
    return { json, ...this.#duals.save() };
  }

  restore(state: State): void {
    this.#duals.restore(state);
    this.#passes = stateCount(state, 'passes');
    this.#progress.restore(state);
    this.#duals.settle(this.#options.l2);
    this.#space.settle();
  }

  settle(): void {
    this.#space.settle();
  }
}

const none = new Float64Array(0);

/** `Smo` as pipeline files name it. */
export const smo: TrainerComponent<SmoOptions> = {
  name: 'smo',
  summary: 'sequential minimal optimization of the max-margin dual over the whole corpus, with L2',
  options,
  example: 'optimize: { smo: { l2: 1 } }',
  needs: onlyLoss('hinge'),
  logLinear: () => true,
  oneThread: () => true,
  create: (chosen, context) => new Smo(chosen, context.objective(chosen.l2)),
};
