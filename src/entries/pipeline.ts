// The entry `tagstream/pipeline`: pipeline files, studies that compare them, threads; for Node.

// pipeline

export { RunStatus } from '../core/run-status.js';
export { replayed } from '../pipeline/definition/replayed.js';
export { loadPipeline, parsePipeline } from '../pipeline/loading/load-pipeline.js';
export { readRulesFile } from '../pipeline/options/rule-options.js';
export { crossValidateGrid } from '../pipeline/run/folds/penalty-grid.js';
export { runPipeline } from '../pipeline/run/run-pipeline.js';
export { TaggerPool } from '../pipeline/tagging/service/tagger-pool.js';
export { ThreadGroup } from '../workers/thread-group.js';

// studies

export { loadStudy, parseStudy } from '../pipeline/study/load-study.js';
export { runStudy } from '../pipeline/study/run-study.js';
export { shownStudyOf } from '../pipeline/study/shown/shown-study-of.js';
export { studyText } from '../reports/study/study-text.js';

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
} from '../core/run-status.js';
export type { NamedModel } from '../io/read-model-bytes.js';
export type { TagRule } from '../models/decoding/tag-rules.js';
export type { DataWarning, RunEvents } from '../pipeline/definition/events.js';
export type { Pipeline } from '../pipeline/definition/pipeline.js';
export type { LoadOptions } from '../pipeline/loading/load-pipeline.js';
export type {
  GridSetting,
  PenaltyGrid,
  PenaltyGridOptions,
  PenaltyName,
  PenaltyValues,
} from '../pipeline/run/folds/penalty-grid.js';
export type { RunOptions, RunResult } from '../pipeline/setup/run-options.js';
export type { StudyOptions } from '../pipeline/study/load-study.js';
export type { MeasuredRun, StudyRunOptions } from '../pipeline/study/run-study.js';
export type { RowDifference, Significance } from '../pipeline/study/shown/significance.js';
export type { Study, StudyRun } from '../pipeline/study/study-schema.js';
export type { TaggerRequestOptions } from '../pipeline/tagging/service/request-options.js';
export type { ModelPaths, TaggerPoolOptions } from '../pipeline/tagging/service/tagger-pool.js';
export type { ShownStudy } from '../reports/study/shown-study.js';
