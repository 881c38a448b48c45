import type { ModelSpec } from '../../models/model-spec.js';
import {
  covarianceWithoutTables,
  presetWithoutTables,
  unfitForTables,
} from '../../models/unfit-for-tables.js';
import type { Pipeline } from '../definition/pipeline.js';
import type { Checker } from '../file/check.js';
import { type IndexChoice, indexSpecOf } from '../options/feature-options.js';
import { countedOptimizers, unlabelledWithoutEm } from '../trainers/counted-optimizers.js';
import { unfitTraining } from '../trainers/unfit-training.js';

/**
 * Checks that a pipeline that trains a hidden Markov model counts it, and that nothing of it is for weights that are
 * learned step by step.
 *
 * @throws TagstreamError `config` at the setting that does not go with it
 */
export function checkHmm(pipeline: Pipeline, checker: Checker): void {
  const { plan, trains, stages, train } = pipeline;
  const optimize = stages.findIndex(({ component }) => component.name === 'optimize');
  if (plan.features.covariance !== undefined && (!trains || plan.features.scorer !== 'hmm')) {
    const { problem, fix } = covarianceWithoutTables;
    throw checker.fail(['model', 'covariance'], problem, fix);
  }
  if (!trains) return;
  const [name] = Object.keys(stages[optimize]!.options);
  const scorer = plan.features.scorer;
  const at = ['stages', optimize, 'optimize'];
  const isCounted = countedOptimizers.includes(name!);
  const featurize = stages.findIndex(({ component }) => component.name === 'featurize');
  const unlabelledUnused = () => {
    const { problem, fix } = unlabelledWithoutEm;
    return checker.fail(['stages', featurize, 'featurize', 'unlabelled'], problem, fix);
  };
  if (scorer !== 'hmm') {
    if (stages[featurize]?.options.unlabelled !== undefined) throw unlabelledUnused();
    if (!isCounted) return;
    throw checker.fail(
      at,
      `the optimizer ${name} does not train models with the scorer ${scorer ?? 'linear'}`,
      'use model: { scorer: hmm } with contribute: { loss: joint }, or another optimizer',
    );
  }
  if (!isCounted) {
    throw checker.fail(
      at,
      `the optimizer ${name} does not train models with the scorer hmm, whose tables are counted`,
      'use optimize: { counts: {} } (or em, stepwise-em, mmi), or model: { scorer: linear } with another loss',
    );
  }
  if (
    (name === 'counts' || name === 'mmi') &&
    stages[featurize]!.options.unlabelled !== undefined
  ) {
    throw unlabelledUnused();
  }
  const features = stages[featurize]!.options as unknown as IndexChoice &
    Pick<ModelSpec, 'support'>;
  if (stages[featurize]!.options.preset !== undefined) {
    const { problem, fix } = presetWithoutTables;
    throw checker.fail(['stages', featurize, 'featurize', 'preset'], problem, fix);
  }
  const unfit = unfitForTables({ index: indexSpecOf(features), support: features.support });
  if (unfit !== undefined) {
    const path = ['stages', featurize, 'featurize', unfit.setting];
    throw checker.fail(path, unfit.problem, unfit.fix);
  }
  const refused = unfitTraining(train ?? {}, name);
  if (refused !== undefined) {
    throw checker.fail(['train', refused.setting], refused.problem, refused.fix);
  }
}
