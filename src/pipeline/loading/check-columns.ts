import type { Pipeline } from '../definition/pipeline.js';
import type { Checker } from '../file/check.js';
import { batchOptimizer } from '../plan/plan.js';
import { unfitForColumns } from '../trainers/unfit-for-columns.js';

/**
 * Checks that a pipeline with tags of two layers, or tags that are words of a code, trains them by what can.
 *
 * @throws TagstreamError `config` at the setting that does not go with them
 */
export function checkColumns(pipeline: Pipeline, checker: Checker): void {
  const { plan, trains, stages, train } = pipeline;
  const { layers, codes } = plan.features.structure;
  const made = codes === undefined ? 'layers' : 'codes';
  if (layers === undefined && codes === undefined) return;
  if (!trains) {
    throw checker.fail(
      ['model', made],
      `the pipeline trains nothing: the model for tagging has its ${made}`,
      `leave ${made} out`,
    );
  }
  const optimize = stages.findIndex(({ component }) => component.name === 'optimize');
  const unfit = unfitForColumns({
    ...{ layers, codes },
    scorer: plan.features.scorer,
    hidden: plan.features.hidden,
    trainer: batchOptimizer(pipeline.plan),
    optimizer: Object.keys(stages[optimize]!.options)[0]!,
    hasCorpus: train?.epochs !== undefined,
    workers: train?.workers ?? 1,
  });
  if (unfit === undefined) return;
  const paths = {
    scorer: ['model', 'scorer'],
    hidden: ['model', 'hidden'],
    layers: ['model', 'layers'],
    optimize: ['stages', optimize, 'optimize'],
    epochs: ['model', made],
    workers: ['train', 'workers'],
  };
  throw checker.fail(paths[unfit.setting], unfit.problem, unfit.fix);
}
