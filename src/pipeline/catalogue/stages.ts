import { batchStage } from '../stages/batch.js';
import { checkpointStage } from '../stages/checkpoint.js';
import { contributeStage } from '../stages/contribute.js';
import { evaluateStage } from '../stages/evaluate.js';
import { featurizeStage } from '../stages/featurize.js';
import { optimizeStage } from '../stages/optimize.js';
import type { StageComponent } from '../stages/stage-component.js';
import { tagStage } from '../stages/tag.js';
import { tokenizeStage } from '../stages/tokenize.js';

/** Every stage that a pipeline file can name, in the order in which they usually follow each other. */
export const stages: readonly StageComponent[] = [
  tokenizeStage,
  featurizeStage,
  batchStage,
  contributeStage,
  optimizeStage,
  evaluateStage,
  checkpointStage,
  tagStage,
];
