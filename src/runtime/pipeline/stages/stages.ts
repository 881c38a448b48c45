import type { TransportComponent } from '../../../engine/interfaces/loaded-plugin.js';
import { type LossComponent, lossComponents } from '../../../engine/losses/loss-components.js';
import type { OptimizerComponent } from '../../../engine/optimizers/optimizer.js';
import { optimizers } from '../../../engine/optimizers/optimizers.js';
import type { TrainerComponent } from '../../../engine/trainers/trainer-component.js';
import { builtInComponents } from '../catalogue/components.js';
import { sources } from '../catalogue/sources.js';
import { trainers } from '../catalogue/trainers.js';
import type { StageComponent } from '../definition/stage-component.js';
import type { SourceComponent } from '../sources/source-component.js';
import { askStage } from './ask.js';
import { batchStage } from './batch.js';
import { checkpointStage } from './checkpoint.js';
import { contributeStage } from './contribute.js';
import { evaluateStage } from './evaluate.js';
import { featurizeStage } from './featurize.js';
import { joinStage } from './join.js';
import { optimizeStage } from './optimize.js';
import { replayStage } from './replay.js';
import { tagStage } from './tag.js';
import { tokenizeStage } from './tokenize.js';

/** The components that stages can name. */
export interface NamedInStages {
  readonly losses: readonly LossComponent<never>[];
  readonly optimizers: readonly OptimizerComponent<never>[];
  readonly trainers: readonly TrainerComponent<never>[];
  readonly sources: readonly SourceComponent[];
  /** The sources whose records may also come as messages. */
  readonly inputs: readonly SourceComponent[];
  readonly transports: readonly TransportComponent[];
}

/** Returns every stage, in the usual order, with the components that stages can name. */
export function stagesOf(known: NamedInStages): readonly StageComponent[] {
  return [
    joinStage(known.inputs),
    tokenizeStage,
    featurizeStage,
    batchStage,
    replayStage,
    contributeStage(known.losses),
    optimizeStage(known.optimizers, known.trainers),
    evaluateStage(known.sources),
    askStage(known.transports),
    checkpointStage,
    tagStage,
  ];
}

/** Every stage that a pipeline file can name without plug-ins. */
export const stages = stagesOf({
  ...{ losses: lossComponents, optimizers, trainers, sources },
  inputs: builtInComponents.sources.items,
  transports: builtInComponents.transports.items,
});
