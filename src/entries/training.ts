// The entry `tagstream/training`: `train` and the learners, which do not need Node.

// training

export type { ErrorCode, ErrorPlace } from '../engine/core/errors.js';
export { TagstreamError } from '../engine/core/errors.js';
export { createModel } from '../engine/models/create-model.js';
export { readModel, writeModel } from '../engine/models/files/model-file.js';
export { ParallelLearner } from '../engine/models/group/parallel-learner.js';
export { kernels } from '../engine/models/kernels.js';
export { BatchLearner } from '../engine/models/learning/batch-learner.js';
export { EarlyStopping, HeldOutEvaluator } from '../engine/models/learning/held-out-evaluator.js';
export { Learner } from '../engine/models/learning/learner.js';
export { Tagger } from '../engine/models/tagger.js';
export { createLearner } from '../runtime/pipeline/learners/create-learner.js';
export { pool } from '../runtime/pipeline/pool/pool.js';
export { train } from '../runtime/pipeline/training/train.js';

// types

export type { TokenFunctions } from '../engine/features/template/token-function.js';
export type { Kernel } from '../engine/kernels/kernel.js';
export type { ParallelOptions } from '../engine/models/group/parallel-learner.js';
export type { GroupMode, WorkerGroup } from '../engine/models/group/worker-group.js';
export type { GrowthLimit } from '../engine/models/growth-limit.js';
export type { PassRecord } from '../engine/models/learning/training-history.js';
export type { Model } from '../engine/models/model.js';
export type { ModelSpec } from '../engine/models/model-spec.js';
export type { WeightSelection } from '../engine/models/selection/drop-small-weights.js';
export type {
  BatchLearnerOptions,
  LearnerOptions,
} from '../runtime/pipeline/learners/create-learner.js';
export type { Pooled, PoolRequest } from '../runtime/pipeline/pool/pool.js';
export type { HeldOutLosses } from '../runtime/pipeline/pool/pooled-models.js';
export type { Task } from '../runtime/pipeline/training/recipe.js';
export type { Trained } from '../runtime/pipeline/training/train.js';
export type { FeatureRequest, TrainRequest } from '../runtime/pipeline/training/train-request.js';
