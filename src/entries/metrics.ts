// The entry `tagstream/metrics`: scores of tags, evaluation of models, drift.

// metrics

export { Adwin } from '../engine/metrics/detectors/adwin.js';
export { Ddm } from '../engine/metrics/detectors/ddm.js';
export { PageHinkley } from '../engine/metrics/detectors/page-hinkley.js';
export { DriftWatch } from '../engine/metrics/drift-watch.js';
export { Calibration } from '../engine/metrics/evaluation/calibration.js';
export { Confusion } from '../engine/metrics/evaluation/confusion.js';
export { Evaluation } from '../engine/metrics/evaluation/evaluation.js';
export { pairedBootstrap } from '../engine/metrics/evaluation/paired-bootstrap.js';
export { RankLoss } from '../engine/metrics/evaluation/rank-loss.js';
export { UnseenWords } from '../engine/metrics/evaluation/unseen-words.js';
export { DecayedScores } from '../engine/metrics/scores/decayed-scores.js';
export { ProgressiveScores } from '../engine/metrics/scores/progressive-scores.js';
export { SampledScores } from '../engine/metrics/scores/sampled-scores.js';
export { ScoreDetails } from '../engine/metrics/scores/score-details.js';
export { SpanScores } from '../engine/metrics/scores/span-scores.js';
export { TaggingScores } from '../engine/metrics/scores/tagging-scores.js';
export { TokenAccuracy } from '../engine/metrics/scores/token-accuracy.js';
export { SequentialTest } from '../engine/metrics/sequential-test.js';

// types

export type { SampleEstimate, ScoreInterval } from '../engine/core/run-status.js';
export type {
  Baselines,
  DetailedScores,
  LabelOfLate,
} from '../engine/core/training/detailed-scores.js';
export type { DdmOptions } from '../engine/metrics/detectors/ddm.js';
export type { DriftDetector } from '../engine/metrics/detectors/drift-detector.js';
export type { PageHinkleyOptions } from '../engine/metrics/detectors/page-hinkley.js';
export type { DriftOptions, DriftWarning } from '../engine/metrics/drift-watch.js';
export type {
  CalibrationBin,
  CalibrationSummary,
} from '../engine/metrics/evaluation/calibration.js';
export type {
  EvaluationOptions,
  EvaluationReport,
  LabelScores,
  ModelComparison,
  ScoredSentence,
} from '../engine/metrics/evaluation/evaluation.js';
export type {
  BootstrapDifference,
  BootstrapOptions,
  BootstrapResult,
  SentenceCounts,
} from '../engine/metrics/evaluation/paired-bootstrap.js';
export type { WordAccuracy } from '../engine/metrics/evaluation/unseen-words.js';
export type {
  DivergedPoint,
  LearningCurve,
  LearningPoint,
} from '../engine/metrics/learning-curve.js';
export type { DecayedSummary } from '../engine/metrics/scores/decayed-scores.js';
export type { RecordCounts } from '../engine/metrics/scores/sampled-scores.js';
export type { SequentialTestOptions } from '../engine/metrics/sequential-test.js';
