import { losses } from '../../losses/losses.js';
import { unfitForSegments } from '../../models/segments/unfit-for-segments.js';
import { batchTrainer } from '../definition/batch-trainer.js';
import type { Pipeline } from '../definition/pipeline.js';
import type { Checker } from '../file/check.js';
import { chosenHidden } from '../options/chosen-hidden.js';
import { chosenLayers } from '../options/chosen-layers.js';
import { chosenScorer } from '../options/chosen-scorer.js';
import { chosenSegments } from '../options/chosen-segments.js';
import { chosenCodes } from '../options/codes-option.js';
import { type IndexChoice, indexSpecOf } from '../options/feature-options.js';
import { logLinear } from '../trainers/log-linear.js';

const ofModel: ReadonlySet<string> = new Set(['scorer', 'hidden', 'layers', 'codes']);

/**
 * Checks that what trains a model with the structure segments can do so.
 *
 * @throws TagstreamError `config` at the setting that needs a chain
 */
export function checkSegments(pipeline: Pipeline, checker: Checker): void {
  const { config, trains, stages, train } = pipeline;
  if (chosenSegments(config).structure !== 'segments') return;
  if (!trains) {
    throw checker.fail(
      ['model', 'structure'],
      'the pipeline trains nothing: the model for tagging has its structure',
      'leave structure out',
    );
  }
  const placeOf = (name: string) => stages.findIndex(({ component }) => component.name === name);
  const featurize = placeOf('featurize');
  const features = stages[featurize]!.options as unknown as IndexChoice & {
    readonly support: 'all' | 'observed';
  };
  const scorer = chosenScorer(config);
  const { support } = features;
  const index = indexSpecOf(features);
  const hidden = chosenHidden(config);
  const layers = chosenLayers(config);
  const codes = chosenCodes(config);
  const unfit = unfitForSegments({
    ...{ index, support },
    ...(scorer && { scorer }),
    ...(hidden && { hidden }),
    ...(layers && { layers }),
    ...(codes && { codes }),
  });
  if (unfit !== undefined) {
    const path = ofModel.has(unfit.setting)
      ? ['model', unfit.setting]
      : ['stages', featurize, 'featurize', unfit.setting];
    throw checker.fail(path, unfit.problem, unfit.fix);
  }
  const contribute = placeOf('contribute');
  const loss = losses.find(({ name }) => name === stages[contribute]?.options.loss);
  if (loss !== undefined && loss.segments !== true) {
    const names = losses.filter(({ segments }) => segments === true).map(({ name }) => name);
    throw checker.fail(
      ['stages', contribute, 'contribute', 'loss'],
      `the loss ${loss.name} does not train models with the structure segments`,
      `use one of the losses ${names.join(', ')}, or structure: chain`,
    );
  }
  const trainer = batchTrainer(pipeline);
  if (trainer !== undefined && logLinear(trainer)) {
    throw checker.fail(
      ['stages', placeOf('optimize'), 'optimize'],
      `the batch optimizer ${trainer.component.name} does not train models with the structure segments`,
      'use lbfgs, owl-qn, cg, rprop or an online optimizer, or structure: chain',
    );
  }
  if (train !== undefined && train.workers > 1) {
    throw checker.fail(
      ['train', 'workers'],
      'models with the structure segments are trained by one thread',
      'leave workers out, or use structure: chain',
    );
  }
}
