import { batchTrainer } from '../definition/batch-trainer.js';
import type { Pipeline } from '../definition/pipeline.js';
import type { Checker } from '../file/check.js';
import { chosenScorer } from '../options/chosen-scorer.js';
import { growsTrees, unfitForTrees } from '../trainers/grows-trees.js';
import { unfitGrowing } from '../trainers/unfit-training.js';

/**
 * Checks that a pipeline with the scorer trees grows them, that no other does, and that it asks for nothing that trees do
 * not have.
 *
 * @throws TagstreamError `config` at the setting that does not go with it
 */
export function checkTrees(pipeline: Pipeline, checker: Checker): void {
  const { config, trains, stages, train } = pipeline;
  if (!trains) return;
  const optimize = stages.findIndex(({ component }) => component.name === 'optimize');
  const [name] = Object.keys(stages[optimize]!.options);
  const scorer = chosenScorer(config) ?? 'linear';
  const unfit = unfitForTrees(name!, scorer, growsTrees(batchTrainer(pipeline)));
  if (unfit !== undefined) {
    throw checker.fail(['stages', optimize, 'optimize'], unfit.problem, unfit.fix);
  }
  if (scorer !== 'trees') return;
  const refused = unfitGrowing(train ?? {});
  if (refused === undefined) return;
  throw checker.fail(['train', refused.setting], refused.problem, refused.fix);
}
