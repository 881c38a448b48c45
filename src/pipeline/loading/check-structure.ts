import { losses } from '../../losses/losses.js';
import { unfitForStructure } from '../../models/structures/unfit-for-structure.js';
import type { Pipeline } from '../definition/pipeline.js';
import type { Checker } from '../file/check.js';
import { type IndexChoice, indexSpecOf } from '../options/feature-options.js';
import { columnsSpecOf } from '../options/structure-options.js';
import { batchOptimizer } from '../plan/plan.js';
import { logLinear } from '../trainers/log-linear.js';

const ofModel: ReadonlySet<string> = new Set(['scorer', 'hidden', 'layers', 'codes']);

/**
 * Checks that what trains a model with the structure segments or graph can do so.
 *
 * @throws TagstreamError `config` at the setting that needs a chain
 */
export function checkStructure(pipeline: Pipeline, checker: Checker): void {
  const { plan, trains, stages, train } = pipeline;
  const chosen = plan.features.structure;
  const { structure = 'chain' } = chosen;
  if (structure === 'chain') return;
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
  const scorer = plan.features.scorer;
  const { support } = features;
  const index = indexSpecOf(features);
  const hidden = plan.features.hidden;
  const unfit = unfitForStructure(structure, {
    ...{ index, support },
    ...(scorer && { scorer }),
    ...(hidden && { hidden }),
    ...columnsSpecOf(chosen),
  });
  if (unfit !== undefined) {
    const path = ofModel.has(unfit.setting)
      ? ['model', unfit.setting]
      : ['stages', featurize, 'featurize', unfit.setting];
    throw checker.fail(path, unfit.problem, unfit.fix);
  }
  const contribute = placeOf('contribute');
  const loss = losses.find(({ name }) => name === stages[contribute]?.options.loss);
  if (loss !== undefined && loss.anyStructure !== true) {
    const names = losses
      .filter(({ anyStructure }) => anyStructure === true)
      .map(({ name }) => name);
    throw checker.fail(
      ['stages', contribute, 'contribute', 'loss'],
      `the loss ${loss.name} does not train models with the structure ${structure}`,
      `use one of the losses ${names.join(', ')}, or structure: chain`,
    );
  }
  const trainer = batchOptimizer(pipeline.plan);
  if (trainer !== undefined && logLinear(trainer)) {
    throw checker.fail(
      ['stages', placeOf('optimize'), 'optimize'],
      `the batch optimizer ${trainer.component.name} does not train models with the structure ${structure}`,
      'use lbfgs, owl-qn, cg, rprop or an online optimizer, or structure: chain',
    );
  }
  if (train !== undefined && train.workers > 1) {
    throw checker.fail(
      ['train', 'workers'],
      `models with the structure ${structure} are trained by one thread`,
      'leave workers out, or use structure: chain',
    );
  }
  if (train?.cluster !== undefined) {
    throw checker.fail(
      ['train', 'cluster'],
      `models with the structure ${structure} are trained on one machine`,
      'leave cluster out, or use structure: chain',
    );
  }
}
