// The entry `tagstream/pipeline`: pipeline files, studies that compare them, threads; for Node.

// pipeline

export { RunStatus } from '../engine/core/run-status.js';
export { replayed } from '../runtime/pipeline/definition/replayed.js';
export { loadPipeline, parsePipeline } from '../runtime/pipeline/loading/load-pipeline.js';
export { readRulesFile } from '../runtime/pipeline/options/rule-options.js';
export { crossValidateGrid } from '../runtime/pipeline/run/folds/penalty-grid.js';
export { runPipeline } from '../runtime/pipeline/run/run-pipeline.js';
export { TaggerPool } from '../runtime/pipeline/tagging/service/tagger-pool.js';
export { ThreadGroup } from '../runtime/workers/thread-group.js';

// studies

export { studyText } from '../reports/study/study-text.js';
export { loadStudy, parseStudy } from '../studies/load-study.js';
export { runStudy } from '../studies/run-study.js';
export { shownStudyOf } from '../studies/shown/shown-study-of.js';

// types

export type {
  AnnotatorCounts,
  BadRecordCounts,
  ContestStatus,
  DeploymentCounts,
  InFlight,
  MessagesOnTheWay,
  ProgressiveResults,
  QuestionCounts,
  QuestionStatus,
  RejectedSample,
  RunPhase,
  SampledEstimates,
  SampleEstimate,
  ScoreInterval,
  Standing,
} from '../engine/core/run-status.js';
export type { TagRule } from '../engine/models/decoding/tag-rules.js';
export type { ShownStudy } from '../reports/study/shown-study.js';
export type { NamedModel } from '../runtime/io/read-model-bytes.js';
export type { DataWarning, RunEvents } from '../runtime/pipeline/definition/events.js';
export type { Pipeline } from '../runtime/pipeline/definition/pipeline.js';
export type { LoadOptions } from '../runtime/pipeline/loading/load-pipeline.js';
export type {
  GridSetting,
  PenaltyGrid,
  PenaltyGridOptions,
  PenaltyName,
  PenaltyValues,
} from '../runtime/pipeline/run/folds/penalty-grid.js';
export type { RunOptions, RunResult } from '../runtime/pipeline/setup/run-options.js';
export type { TaggerRequestOptions } from '../runtime/pipeline/tagging/service/request-options.js';
export type {
  ModelPaths,
  TaggerPoolOptions,
} from '../runtime/pipeline/tagging/service/tagger-pool.js';
export type { StudyOptions } from '../studies/load-study.js';
export type { MeasuredRun, StudyRunOptions } from '../studies/run-study.js';
export type { RowDifference, Significance } from '../studies/shown/significance.js';
export type { Study, StudyRun } from '../studies/study-schema.js';
