import type { Pipeline } from '../definition/pipeline.js';
import type { Checker } from '../file/check.js';
import { batchOptimizer } from '../plan/plan.js';
import { madeScorer, unfitForScorer } from '../trainers/made-scorer.js';
import { unfitGrowing } from '../trainers/unfit-training.js';

/**
 * Checks that a pipeline with a scorer whose models one optimizer makes, as trees, has that one, and that it asks for
 * nothing that such models do not have.
 *
 * @throws TagstreamError `config` at the setting that does not go with it
 */
export function checkMade(pipeline: Pipeline, checker: Checker): void {
  const { plan, trains, stages, train } = pipeline;
  if (!trains) return;
  const optimize = stages.findIndex(({ component }) => component.name === 'optimize');
  const [name] = Object.keys(stages[optimize]!.options);
  const scorer = plan.features.scorer ?? 'linear';
  const unfit = unfitForScorer(name!, scorer, madeScorer(batchOptimizer(pipeline.plan)));
  if (unfit !== undefined) {
    throw checker.fail(['stages', optimize, 'optimize'], unfit.problem, unfit.fix);
  }
  const refused = unfitGrowing(scorer, train ?? {});
  if (refused === undefined) return;
  throw checker.fail(['train', refused.setting], refused.problem, refused.fix);
}
