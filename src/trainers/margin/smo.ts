import * as z from 'zod';
import { TagstreamError } from '../../core/errors.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import { stateCount } from '../../core/training/read-state.js';
import type { State } from '../../core/training/state.js';
import type { Iteration, Trainer } from '../../core/training/trainer.js';
import { isPartial } from '../../losses/partial/is-partial.js';
import type { Objective } from '../objective.js';
import { onlyLoss } from '../only-loss.js';
import { TrainerProgress } from '../stopping/trainer-progress.js';
import type { TrainerComponent } from '../trainer-component.js';
import { LinearSpace } from './linear-space.js';
import { MarginDuals } from './margin-duals.js';

const options = z.strictObject({
  l2: z.number().positive().default(1).describe('L2 penalty: l2 * sum w^2 over the corpus'),
  steps: z
    .int()
    .min(1)
    .default(100)
    .describe('most pairs of label sequences of a sentence that are balanced at each visit'),
  rounds: z
    .int()
    .min(1)
    .default(200)
    .describe('most visits to each sentence between two searches for label sequences'),
  share: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe('share of the violations of a visit, and of a search, that need not be balanced'),
  tolerance: z
    .number()
    .min(0)
    .default(1e-4)
    .describe('convergence threshold on the duality gap, relative to the objective'),
});

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
  readonly name = 'smo';
  readonly #options: SmoOptions;
  readonly #objective: Objective;
  readonly #progress: TrainerProgress;
  readonly #space: LinearSpace;
  readonly #duals: MarginDuals;
  #passes = 0;

  /**
   * @param objective with the hinge loss, and the penalty of the options
   * @throws TagstreamError `config` if a sentence is partially labelled
   */
  constructor(chosen: SmoOptions, objective: Objective) {
    this.#options = chosen;
    this.#objective = objective;
    const { tolerance } = chosen;
    this.#progress = new TrainerProgress(objective, { tolerance, decrease: 0, period: 1 });
    this.#space = new LinearSpace(objective, singly(objective));
    this.#duals = new MarginDuals(this.#space);
  }

  iterate(): Iteration {
    const progress = this.#progress;
    const objective = this.#objective;
    const { l2, steps, share, rounds, tolerance } = this.#options;
    progress.iteration += 1;
    let violation = 0;
    for (const dual of this.#duals.of) {
      dual.addWorst();
      violation += dual.balance(l2, steps, share);
    }
    this.#passes += 1;
    for (let round = 1; round < rounds; round += 1) {
      let left = 0;
      for (const dual of this.#duals.of) left += dual.balance(l2, steps, share);
      if (left <= share * violation) break;
    }
    for (const dual of this.#duals.of) dual.shrink();
    this.#duals.settle(l2);
    const { weights } = this.#space;
    progress.value = objective.evaluate(weights, new Float64Array(weights.length));
    const gap = Math.max(0, progress.value - this.#duals.value(l2));
    const done = gap <= tolerance * Math.max(1, Math.abs(progress.value));
    const ending = done ? 'gap' : violation > 0 ? undefined : 'precision';
    const { evaluations, ...result } = progress.result(weights, gap, ending);
    return { ...result, evaluations: evaluations + this.#passes };
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
    this.#objective.place(this.#space.weights);
  }
}

/** The labelled sentences, each by itself. */
function singly({ corpus }: Objective): Minibatch[] {
  const minibatches = corpus.flatMap(({ sentences, labelled }) =>
    sentences.flatMap((sentence, s) => (labelled[s] === 1 ? [packMinibatch([sentence])] : [])),
  );
  if (minibatches.some(minibatch => isPartial(minibatch, 0))) throw needsGold();
  return minibatches;
}

function needsGold(): TagstreamError {
  return new TagstreamError('config', 'smo does not support partially labelled sentences', {
    fix: 'omit them, or use sgd with the loss hinge',
  });
}

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
