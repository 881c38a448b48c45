import type { Pipeline } from '../definition/pipeline.js';
import type { Checker } from '../file/check.js';
import { batchOptimizer } from '../plan/plan.js';
import { unfitForStates } from '../trainers/unfit-for-states.js';

/**
 * Checks that a pipeline with hidden states trains them, by what can.
 *
 * @throws TagstreamError `config` at the setting that does not go with them
 */
export function checkHidden(pipeline: Pipeline, checker: Checker): void {
  const { plan, trains, stages, train } = pipeline;
  if (plan.features.hidden === undefined) return;
  if (!trains) {
    throw checker.fail(
      ['model', 'hidden'],
      'the pipeline trains nothing: the model for tagging has its hidden states',
      'leave hidden out',
    );
  }
  const optimize = stages.findIndex(({ component }) => component.name === 'optimize');
  const unfit = unfitForStates({
    scorer: plan.features.scorer,
    name: Object.keys(stages[optimize]!.options)[0]!,
    trainer: batchOptimizer(pipeline.plan),
    hasCorpus: train?.epochs !== undefined,
  });
  if (unfit === undefined) return;
  const paths = {
    optimize: ['stages', optimize, 'optimize'],
    epochs: ['model', 'hidden'],
  };
  throw checker.fail(paths[unfit.setting], unfit.problem, unfit.fix);
}
