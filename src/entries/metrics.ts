// The entry `tagstream/metrics`: scores of tags, evaluation of models, drift.

// metrics

export { Adwin } from '../metrics/detectors/adwin.js';
export { Ddm } from '../metrics/detectors/ddm.js';
export { PageHinkley } from '../metrics/detectors/page-hinkley.js';
export { DriftWatch } from '../metrics/drift-watch.js';
export { Calibration } from '../metrics/evaluation/calibration.js';
export { Confusion } from '../metrics/evaluation/confusion.js';
export { Evaluation } from '../metrics/evaluation/evaluation.js';
export { pairedBootstrap } from '../metrics/evaluation/paired-bootstrap.js';
export { RankLoss } from '../metrics/evaluation/rank-loss.js';
export { UnseenWords } from '../metrics/evaluation/unseen-words.js';
export { DecayedScores } from '../metrics/scores/decayed-scores.js';
export { ProgressiveScores } from '../metrics/scores/progressive-scores.js';
export { SampledScores } from '../metrics/scores/sampled-scores.js';
export { ScoreDetails } from '../metrics/scores/score-details.js';
export { SpanScores } from '../metrics/scores/span-scores.js';
export { TaggingScores } from '../metrics/scores/tagging-scores.js';
export { TokenAccuracy } from '../metrics/scores/token-accuracy.js';
export { SequentialTest } from '../metrics/sequential-test.js';

// types

export type { SampleEstimate, ScoreInterval } from '../core/run-status.js';
export type { Baselines, DetailedScores, LabelOfLate } from '../core/training/detailed-scores.js';
export type { DdmOptions } from '../metrics/detectors/ddm.js';
export type { DriftDetector } from '../metrics/detectors/drift-detector.js';
export type { PageHinkleyOptions } from '../metrics/detectors/page-hinkley.js';
export type { DriftOptions, DriftWarning } from '../metrics/drift-watch.js';
export type { CalibrationBin, CalibrationSummary } from '../metrics/evaluation/calibration.js';
export type {
  EvaluationOptions,
  EvaluationReport,
  LabelScores,
  ModelComparison,
  ScoredSentence,
} from '../metrics/evaluation/evaluation.js';
export type {
  BootstrapDifference,
  BootstrapOptions,
  BootstrapResult,
  SentenceCounts,
} from '../metrics/evaluation/paired-bootstrap.js';
export type { WordAccuracy } from '../metrics/evaluation/unseen-words.js';
export type { DivergedPoint, LearningCurve, LearningPoint } from '../metrics/learning-curve.js';
export type { DecayedSummary } from '../metrics/scores/decayed-scores.js';
export type { RecordCounts } from '../metrics/scores/sampled-scores.js';
export type { SequentialTestOptions } from '../metrics/sequential-test.js';
