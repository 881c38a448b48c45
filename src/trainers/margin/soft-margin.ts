import { TagstreamError } from '../../core/errors.js';
import { logLoss } from '../../losses/log-loss.js';
import type { Loss } from '../../losses/loss.js';
import { isPartial } from '../../losses/partial/is-partial.js';
import { keepingScores } from '../../losses/residuals/keeping-scores.js';

/**
 * The distributions that exponentiated gradient keeps of the label sequences of each sentence,
 *
 *     a(y) proportional to exp(score(y) + factor * wrong(y)),   wrong(y) the number of y_t != y*_t,
 *
 * as a loss: its residuals are E_a[F] - F(y*). What they cost is summed along the way.
 */
export class SoftMargin implements Loss {
  readonly name = 'hinge';
  readonly summary = 'expected features under cost-augmented distributions';
  readonly example = 'optimize: { eg: {} }';
  readonly predicts = false;
  readonly smooth = true;
  factor = 0;
  /** Sum of E_a[wrong] over the sentences since it was set to 0 last, each as often as its weight says. */
  cost = 0;

  apply: Loss['apply'] = (kernel, lattice, s, gold, predicted) => {
    const { sentenceStarts, weights } = lattice.batch!;
    if (isPartial(lattice.batch!, s)) throw needsGold();
    const { labels, width } = lattice;
    const first = sentenceStarts[s]!;
    const end = sentenceStarts[s + 1]!;
    return keepingScores(lattice, s, () => {
      const scores = lattice.emissionScores.view;
      for (let t = first; t < end; t += 1) {
        for (let y = 0; y < labels; y += 1) {
          if (y !== gold[t]!) scores[t * width + y]! += this.factor;
        }
      }
      const loss = logLoss.apply(kernel, lattice, s, gold, predicted);
      const residual = lattice.nodes.view;
      let right = 0;
      for (let t = first; t < end; t += 1) right += residual[t * width + gold[t]!]!;
      this.cost -= right * (weights?.[s] ?? 1);
      return loss;
    });
  };
}

function needsGold(): TagstreamError {
  return new TagstreamError('config', 'eg does not support partially labelled sentences', {
    fix: 'omit them, or use sgd with the loss hinge',
  });
}
