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

export type { ErrorCode, ErrorPlace } from './core/errors.js';
export { TagstreamError } from './core/errors.js';
export type { LoadTaggerOptions } from './io/load-tagger.js';
export { loadTagger } from './io/load-tagger.js';
export { createModel } from './models/create-model.js';
export { readModel, writeModel } from './models/files/model-file.js';
export { kernels } from './models/kernels.js';
export { Tagger } from './models/tagger.js';
export { createLearner } from './pipeline/learners/create-learner.js';
export { TaggerPool } from './pipeline/tagging/service/tagger-pool.js';
export { train } from './pipeline/training/train.js';
export { ThreadGroup } from './workers/thread-group.js';

// pipeline files

export { loadPipeline, parsePipeline } from './pipeline/loading/load-pipeline.js';
export { runPipeline } from './pipeline/run/run-pipeline.js';

// operators, the others of which are in `tagstream/operators`

export { assemble } from './operators/assemble.js';
export { batch } from './operators/batch.js';
export { checkpoint } from './operators/checkpoint.js';
export { contribute } from './operators/contribute.js';
export { evaluate } from './operators/evaluate.js';
export { evaluateProgressive } from './operators/evaluate-progressive.js';
export { featurize } from './operators/featurize.js';
export { iterate } from './operators/iterate.js';
export { optimize } from './operators/optimize.js';
export { passes } from './operators/passes.js';
export { tag } from './operators/tag.js';
export { tokenize } from './operators/tokenize.js';

// types

export type { FlowLedger } from './core/delivery/flow-ledger.js';
export type { ProgressiveScores } from './metrics/scores/progressive-scores.js';
