// The entry `tagstream/training`: `train` and the learners, which do not need Node.

// training

export type { ErrorCode, ErrorPlace } from '../core/errors.js';
export { TagstreamError } from '../core/errors.js';
export { createModel } from '../models/create-model.js';
export { readModel, writeModel } from '../models/files/model-file.js';
export { ParallelLearner } from '../models/group/parallel-learner.js';
export { kernels } from '../models/kernels.js';
export { BatchLearner } from '../models/learning/batch-learner.js';
export { EarlyStopping, HeldOutEvaluator } from '../models/learning/held-out-evaluator.js';
export { Learner } from '../models/learning/learner.js';
export { Tagger } from '../models/tagger.js';
export { createLearner } from '../pipeline/learners/create-learner.js';
export { pool } from '../pipeline/pool/pool.js';
export { train } from '../pipeline/training/train.js';

// types

export type { TokenFunctions } from '../features/template/token-function.js';
export type { Kernel } from '../kernels/kernel.js';
export type { ParallelOptions } from '../models/group/parallel-learner.js';
export type { GroupMode, WorkerGroup } from '../models/group/worker-group.js';
export type { GrowthLimit } from '../models/growth-limit.js';
export type { PassRecord } from '../models/learning/training-history.js';
export type { Model } from '../models/model.js';
export type { ModelSpec } from '../models/model-spec.js';
export type { WeightSelection } from '../models/selection/drop-small-weights.js';
export type { BatchLearnerOptions, LearnerOptions } from '../pipeline/learners/create-learner.js';
export type { Pooled, PoolRequest } from '../pipeline/pool/pool.js';
export type { HeldOutLosses } from '../pipeline/pool/pooled-models.js';
export type { Task } from '../pipeline/training/recipe.js';
export type { Trained } from '../pipeline/training/train.js';
export type { FeatureRequest, TrainRequest } from '../pipeline/training/train-request.js';
