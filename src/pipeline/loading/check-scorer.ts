import { scorerOf, scorersWith } from '../../inference/scorers/scorers.js';
import { losses } from '../../losses/losses.js';
import { fitsScorer, fittingChoice } from '../../losses/require-fitting.js';
import type { Pipeline } from '../definition/pipeline.js';
import type { Checker } from '../file/check.js';
import { batchOptimizer } from '../plan/plan.js';
import { logLinear } from '../trainers/log-linear.js';

/**
 * Checks that the scorer of the model has what the other settings ask of it.
 *
 * @throws TagstreamError `config` at the setting that does not go with it
 */
export function checkScorer(pipeline: Pipeline, checker: Checker): void {
  const { plan, trains, stages, train } = pipeline;
  const scorer = scorerOf(plan.features.scorer);
  if (!trains) {
    if (scorer.name === 'linear') return;
    throw checker.fail(
      ['model', 'scorer'],
      'the pipeline trains nothing: the model for tagging has its scorer',
      'leave scorer out',
    );
  }
  const at = stages.findIndex(({ component }) => component.name === 'contribute');
  const loss = losses.find(({ name }) => name === stages[at]?.options.loss);
  if (loss !== undefined && !fitsScorer(loss, scorer.name)) {
    throw checker.fail(
      ['stages', at, 'contribute', 'loss'],
      `the loss ${loss.name} does not train models with the scorer ${scorer.name}`,
      fittingChoice(loss, scorer.name),
    );
  }
  const trainer = batchOptimizer(pipeline.plan);
  if (trainer !== undefined && logLinear(trainer) && !scorer.capabilities.includes('log-linear')) {
    throw checker.fail(
      ['stages', stages.findIndex(({ component }) => component.name === 'optimize'), 'optimize'],
      `the batch optimizer ${trainer.component.name} needs scores that are linear in the weights, and those of ${scorer.name} are not`,
      `use lbfgs, owl-qn, cg, rprop or an online optimizer, or model: { scorer: ${scorersWith('log-linear').join(' or ')} }`,
    );
  }
  if (train !== undefined && train.workers > 1 && !scorer.capabilities.includes('workers')) {
    throw checker.fail(
      ['train', 'workers'],
      `models with the scorer ${scorer.name} are trained by one thread`,
      `leave workers out, or use the scorer ${scorersWith('workers').join(' or ')}`,
    );
  }
}
