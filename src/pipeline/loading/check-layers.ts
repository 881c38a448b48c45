import { batchTrainer } from '../definition/batch-trainer.js';
import type { Pipeline } from '../definition/pipeline.js';
import type { Checker } from '../file/check.js';
import { chosenHidden } from '../options/chosen-hidden.js';
import { chosenLayers } from '../options/chosen-layers.js';
import { chosenScorer } from '../options/chosen-scorer.js';
import { unfitForLayers } from '../trainers/unfit-for-layers.js';

/**
 * Checks that a pipeline with tags of two layers trains them, by what can.
 *
 * @throws TagstreamError `config` at the setting that does not go with them
 */
export function checkLayers(pipeline: Pipeline, checker: Checker): void {
  const { config, trains, stages, train } = pipeline;
  if (chosenLayers(config) === undefined) return;
  if (!trains) {
    throw checker.fail(
      ['model', 'layers'],
      'the pipeline trains nothing: the model for tagging has its layers',
      'leave layers out',
    );
  }
  const optimize = stages.findIndex(({ component }) => component.name === 'optimize');
  const unfit = unfitForLayers({
    scorer: chosenScorer(config),
    hidden: chosenHidden(config),
    trainer: batchTrainer(pipeline),
    optimizer: Object.keys(stages[optimize]!.options)[0]!,
    hasCorpus: train?.epochs !== undefined,
    workers: train?.workers ?? 1,
  });
  if (unfit === undefined) return;
  const paths = {
    scorer: ['model', 'scorer'],
    hidden: ['model', 'hidden'],
    optimize: ['stages', optimize, 'optimize'],
    epochs: ['model', 'layers'],
    workers: ['train', 'workers'],
  };
  throw checker.fail(paths[unfit.setting], unfit.problem, unfit.fix);
}
