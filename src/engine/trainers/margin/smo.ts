import * as z from 'zod';
import type { Objective } from '../objective.js';
import { onlyLoss } from '../requirements.js';
import type { TrainerComponent } from '../trainer-component.js';
import { DualTrainer, dualShape } from './dual-trainer.js';
import { LinearSpace } from './linear-space.js';
import type { MarginSpace } from './margin-space.js';

const options = z.strictObject(dualShape);

/** Options of `smo`, with their defaults. */
export type SmoOptions = z.infer<typeof options>;

/**
 * Sequential minimal optimization of the max-margin dual. Primal: the summed hinge losses with Hamming cost plus l2 * sum
 * w^2. Dual, over a distribution a_i of label sequences for each sentence:
 *
 *     D(a) = sum_i E_a[wrong] - l2 |w(a)|^2,   w(a) = sum_i (F(y*_i) - E_a[F]) / (2 l2)
 *
 * An iteration searches each sentence once for the sequence with the greatest h(y) = wrong(y) + w . (F(y) - F(y*)), by
 * Viterbi over all sequences, and adds it to the sequences with a > 0. It then visits the sentences in rounds and
 * balances pairs of their sequences, until at most `share` of the violations found by the search is left. A pair consists
 * of the sequence y with the greatest h(y) and the sequence z that gains most among those with a(z) > 0 and h(z) < h(y),
 * which violate the KKT conditions; the optimal mass moves from z to y:
 *
 *     delta = min(a(z), 2 l2 (h(y) - h(z)) / |F(y) - F(z)|^2)
 *     gain  = delta (h(y) - h(z)) - delta^2 |F(y) - F(z)|^2 / (4 l2)
 *
 * Pairs are cheap because products of a sentence's sequences are cached, and a few of them close the gap. Sequences are
 * stored explicitly, so they need not be recovered from marginals, for which Gupta's report, section 2.4.1, uses maximum
 * entropy. `gradientNorm` is the gap between primal and dual, which bounds the distance of both from the optimum.
 * Training always starts from zero weights. Cost of an iteration: Viterbi over the corpus twice, and the rounds, O(parts
 * of the sequences) each. Taskar, Guestrin and Koller (2003); Platt (1998); second choice of Fan, Chen and Lin (2005).
 */
export class Smo extends DualTrainer {
  /**
   * @param objective an objective with the hinge loss, and the penalty of the options
   * @param space the space of w; default: the space of linear scores
   * @throws TagstreamError `config` if a sentence is partially labelled
   */
  constructor(chosen: SmoOptions, objective: Objective, space?: MarginSpace, name = 'smo') {
    super(name, chosen, objective, space ?? LinearSpace.of(name, objective));
  }

  protected search(): number {
    const { l2, steps, share } = this.options;
    return this.sum(dual => {
      dual.addWorst(l2);
      return dual.balance(l2, { steps, share });
    });
  }

  protected round(least: number): number {
    const { l2, steps, share } = this.options;
    return this.sum(dual => dual.balance(l2, { steps, share, least }));
  }
}

/** The catalogue entry of `Smo`. */
export const smo: TrainerComponent<SmoOptions> = {
  name: 'smo',
  summary: 'sequential minimal optimization of the max-margin dual over the whole corpus, with L2',
  options,
  penalty: ({ l2 }) => ({ l2 }),
  example: 'optimize: { smo: { l2: 1 } }',
  losses: ['hinge'],
  needs: onlyLoss('hinge'),
  logLinear: () => true,
  oneThread: () => true,
  create: (chosen, context) => new Smo(chosen, context.objective(chosen.l2)),
};
