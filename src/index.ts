// The package's entry `tagstream`: what most programs need. All else is in the entries of `entries/`.

export type * from './entries/client.js';
export type * from './entries/features.js';
export type * from './entries/io.js';
export type * from './entries/losses.js';
export type * from './entries/metrics.js';
export type * from './entries/models.js';
export type * from './entries/named-types.js';
export type * from './entries/operators.js';
export type * from './entries/optimizers.js';
export type * from './entries/pipeline.js';
export type * from './entries/plugin.js';
export type * from './entries/serve.js';
export type * from './entries/text.js';
export type * from './entries/training.js';

// training and tagging

export type { ErrorCode, ErrorPlace } from './engine/core/errors.js';
export { TagstreamError } from './engine/core/errors.js';
export { createModel } from './engine/models/create-model.js';
export { readModel, writeModel } from './engine/models/files/model-file.js';
export { kernels } from './engine/models/kernels.js';
export { Tagger } from './engine/models/tagger.js';
export type { LoadTaggerOptions } from './runtime/io/load-tagger.js';
export { loadTagger } from './runtime/io/load-tagger.js';
export { createLearner } from './runtime/pipeline/learners/create-learner.js';
export { TaggerPool } from './runtime/pipeline/tagging/service/tagger-pool.js';
export { train } from './runtime/pipeline/training/train.js';
export { ThreadGroup } from './runtime/workers/thread-group.js';

// pipeline files

export { loadPipeline, parsePipeline } from './runtime/pipeline/loading/load-pipeline.js';
export { runPipeline } from './runtime/pipeline/run/run-pipeline.js';

// operators, the others of which are in `tagstream/operators`

export { assemble } from './engine/operators/assemble.js';
export { batch } from './engine/operators/batch.js';
export { checkpoint } from './engine/operators/checkpoint.js';
export { contribute } from './engine/operators/contribute.js';
export { evaluate } from './engine/operators/evaluate.js';
export { evaluateProgressive } from './engine/operators/evaluate-progressive.js';
export { featurize } from './engine/operators/featurize.js';
export { iterate } from './engine/operators/iterate.js';
export { optimize } from './engine/operators/optimize.js';
export { passes } from './engine/operators/passes.js';
export { tag } from './engine/operators/tag.js';
export { tokenize } from './engine/operators/tokenize.js';

// types

export type { FlowLedger } from './engine/core/delivery/flow-ledger.js';
export type { ProgressiveScores } from './engine/metrics/scores/progressive-scores.js';
