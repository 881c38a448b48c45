import type { LossComponent } from '../../losses/loss-component.js';
import { lossComponents } from '../../losses/loss-components.js';
import type { OptimizerComponent } from '../../optimizers/optimizer.js';
import type { TrainerComponent } from '../../trainers/trainer-component.js';
import type { SourceComponent } from '../sources/source-component.js';
import { batchStage } from '../stages/batch.js';
import { checkpointStage } from '../stages/checkpoint.js';
import { contributeStage } from '../stages/contribute.js';
import { evaluateStage } from '../stages/evaluate.js';
import { featurizeStage } from '../stages/featurize.js';
import { optimizeStage } from '../stages/optimize.js';
import type { StageComponent } from '../stages/stage-component.js';
import { tagStage } from '../stages/tag.js';
import { tokenizeStage } from '../stages/tokenize.js';
import { optimizers } from './optimizers.js';
import { sources } from './sources.js';
import { trainers } from './trainers.js';

/** The components that stages can name. */
export interface NamedInStages {
  readonly losses: readonly LossComponent<never>[];
  readonly optimizers: readonly OptimizerComponent<never>[];
  readonly trainers: readonly TrainerComponent<never>[];
  readonly sources: readonly SourceComponent[];
}

/** Every stage, in the order in which they usually follow each other, by the components that they can name. */
export function stagesOf(known: NamedInStages): readonly StageComponent[] {
  return [
    tokenizeStage,
    featurizeStage,
    batchStage,
    contributeStage(known.losses),
    optimizeStage(known.optimizers, known.trainers),
    evaluateStage(known.sources),
    checkpointStage,
    tagStage,
  ];
}

/** Every stage that a pipeline file can name without plug-ins. */
export const stages = stagesOf({ losses: lossComponents, optimizers, trainers, sources });
