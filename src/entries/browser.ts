// Everything that needs nothing of Node: the package's entry `tagstream/browser`. `src/index.ts` passes it all on.

// core: what travels through a pipeline
export type { AllowedLabels } from '../core/allowed-labels.js';
export type { Alternative } from '../core/alternative.js';
export type { CheckpointParts, CheckpointStore } from '../core/checkpoint-store.js';
export type { Component } from '../core/component.js';
export type { Constraints, TokenConstraint } from '../core/constraints.js';
export type { Contribution } from '../core/contribution.js';
export type { Delivery, Position } from '../core/delivery.js';
export type { Column, Document, Range } from '../core/document.js';
export type { EncodedSentence } from '../core/encoded-sentence.js';
export type { ErrorCode, ErrorPlace } from '../core/errors.js';
export { TagstreamError } from '../core/errors.js';
export type { Evaluator } from '../core/evaluator.js';
export { FlowLedger } from '../core/flow-ledger.js';
export type { Minibatch } from '../core/minibatch.js';
export { packMinibatch } from '../core/pack-minibatch.js';
export type { PartialTag } from '../core/partial-tag.js';
export { Random } from '../core/random.js';
export type {
  BadRecordCounts,
  InFlight,
  ProgressiveResults,
  RunPhase,
} from '../core/run-status.js';
export { RunStatus } from '../core/run-status.js';
export type { ScorerName } from '../core/scorer-name.js';
export type { Sentence, TaggedSentence } from '../core/sentence.js';
export { shareDelivery } from '../core/share-delivery.js';
export type { Span } from '../core/span.js';
export type { State, Stateful } from '../core/state.js';
export type { TaggedDocument } from '../core/tagged-document.js';
export type { Scores, TrainingStep } from '../core/training-step.js';
// features
export { ClusterCorpus } from '../features/clusters/cluster-corpus.js';
export type { ClusteredWord, LearnedClusters } from '../features/clusters/learn-clusters.js';
export { learnClusters } from '../features/clusters/learn-clusters.js';
export { presetTemplates } from '../features/presets/preset-templates.js';
export { gazetteer } from '../features/resources/gazetteer.js';
export type { Gazetteer, Resources, WordClusters } from '../features/resources/resources.js';
export { wordClusters } from '../features/resources/word-clusters.js';
// losses
export { exponentialLoss } from '../losses/exponential-loss.js';
export { hingeLoss } from '../losses/hinge-loss.js';
export { jointLoss } from '../losses/joint-loss.js';
export { localLogLoss } from '../losses/local-log-loss.js';
export { logLoss } from '../losses/log-loss.js';
export type { Loss } from '../losses/loss.js';
export type { LossComponent, LossContext } from '../losses/loss-component.js';
// training
export { losses } from '../losses/losses.js';
export { perceptronLoss } from '../losses/perceptron-loss.js';
export { pointwiseExponentialLoss } from '../losses/pointwise-exponential-loss.js';
export { pointwiseLogLoss } from '../losses/pointwise-log-loss.js';
export { scaleResiduals } from '../losses/scale-residuals.js';
export type { SoftmaxMarginOptions } from '../losses/softmax-margin.js';
export { SoftmaxMargin } from '../losses/softmax-margin.js';
export { softmaxMarginLoss } from '../losses/softmax-margin-loss.js';
// metrics
export type { CalibrationBin, CalibrationSummary } from '../metrics/calibration.js';
export { Calibration } from '../metrics/calibration.js';
export { Confusion } from '../metrics/confusion.js';
export type { DecayedSummary } from '../metrics/decayed-scores.js';
export { DecayedScores } from '../metrics/decayed-scores.js';
export type { DriftOptions, DriftWarning } from '../metrics/drift-watch.js';
export { DriftWatch } from '../metrics/drift-watch.js';
export type { EvaluationOptions, ScoredSentence } from '../metrics/evaluation.js';
export { Evaluation } from '../metrics/evaluation.js';
export type {
  EvaluationReport,
  LabelScores,
  ModelComparison,
} from '../metrics/evaluation-report.js';
export type { LearningCurve, LearningPoint } from '../metrics/learning-curve.js';
export type {
  BootstrapDifference,
  BootstrapOptions,
  BootstrapResult,
} from '../metrics/paired-bootstrap.js';
export { pairedBootstrap } from '../metrics/paired-bootstrap.js';
export { ProgressiveScores } from '../metrics/progressive-scores.js';
export type { SentenceCounts } from '../metrics/sentence-counts.js';
export { SpanScores } from '../metrics/span-scores.js';
export { TaggingScores } from '../metrics/tagging-scores.js';
export { TokenAccuracy } from '../metrics/token-accuracy.js';
export type { WordAccuracy } from '../metrics/unseen-words.js';
export { UnseenWords } from '../metrics/unseen-words.js';
export { BatchLearner } from '../models/batch-learner.js';
// models
export { createModel } from '../models/create-model.js';
export type { Crew, CrewMode } from '../models/crew/crew.js';
export type { ParallelOptions } from '../models/crew/parallel-learner.js';
export { ParallelLearner } from '../models/crew/parallel-learner.js';
export type { DecodeOptions } from '../models/decode-options.js';
export type { Decoded, RankedLabels } from '../models/decoded.js';
export { Decoder } from '../models/decoder.js';
export type { DecodingRules } from '../models/decoding-rules.js';
export { EarlyStopping } from '../models/early-stopping.js';
export type { ContributionKind, ScoreContribution, TokenExplanation } from '../models/explain.js';
export { explainSentence } from '../models/explain.js';
export type { GrowthLimit } from '../models/growth-limit.js';
export { HeldOutEvaluator } from '../models/held-out-evaluator.js';
export type { InspectOptions } from '../models/inspection/inspect-model.js';
export { inspectModel } from '../models/inspection/inspect-model.js';
export type { ModelNotes, TemplateSize } from '../models/inspection/model-notes.js';
export type {
  FoundFeature,
  LabelFeatures,
  LabelSummary,
  ModelSummary,
  StrongFeature,
  TemplateSummary,
  TransitionSummary,
} from '../models/inspection/model-summary.js';
export type { InspectedModel } from '../models/inspection/read-inspected.js';
export { readInspected } from '../models/inspection/read-inspected.js';
export type { KernelName } from '../models/kernels.js';
export { kernels } from '../models/kernels.js';
export { LabelSet } from '../models/label-set.js';
export type { LearnerOptions } from '../models/learner.js';
export { createLearner, Learner } from '../models/learner.js';
export { Model } from '../models/model.js';
export { readModel, writeModel } from '../models/model-file.js';
export type { IndexSpec, ModelSpec } from '../models/model-spec.js';
export { restoreModelState, saveModelState } from '../models/model-state.js';
export { parseDictionary } from '../models/parse-dictionary.js';
export type { DictionaryEntries } from '../models/tag-dictionary.js';
export { TagDictionary } from '../models/tag-dictionary.js';
export type { Analysis, AnalyzeOptions } from '../models/tagger.js';
export { Tagger } from '../models/tagger.js';
export type { PassRecord } from '../models/training-history.js';
export type { TransitionRules } from '../models/transition-rules.js';
// optimizers
export { adagrad } from '../optimizers/adagrad.js';
export { arow } from '../optimizers/arow.js';
export { copyPlane } from '../optimizers/copy-plane.js';
export { counts } from '../optimizers/counts.js';
export type { Optimizer, OptimizerComponent, OptimizerContext } from '../optimizers/optimizer.js';
export { optimizers } from '../optimizers/optimizers.js';
export { passiveAggressive } from '../optimizers/passive-aggressive.js';
export { perceptron } from '../optimizers/perceptron.js';
export { constant } from '../optimizers/schedules/constant.js';
export { exponential } from '../optimizers/schedules/exponential.js';
export { inverse } from '../optimizers/schedules/inverse.js';
export type { Schedule } from '../optimizers/schedules/schedule.js';
export { sgd } from '../optimizers/sgd.js';
export { sgdL1 } from '../optimizers/sgd-l1.js';
export { votedPerceptron } from '../optimizers/voted-perceptron.js';
export { trainers } from '../pipeline/catalogue/trainers.js';
export type { BatchLearnerOptions } from '../pipeline/trainers/create-batch-learner.js';
export { createBatchLearner } from '../pipeline/trainers/create-batch-learner.js';
export type { PathChoice } from '../pipeline/trainers/path.js';
export type { SwitchChoice } from '../pipeline/trainers/switch.js';
export type { Trained } from '../pipeline/training/train.js';
export { train } from '../pipeline/training/train.js';
export type { FeatureRequest, TrainRequest } from '../pipeline/training/train-request.js';
export type { TrainerChoice, TrainerOptions } from '../pipeline/training/trainer-choice.js';
// text
export { characterTokenizer } from '../text/character-tokenizer.js';
export { convertTags } from '../text/convert-tags.js';
export { detectScheme } from '../text/detect-scheme.js';
export { regexTokenizer } from '../text/regex-tokenizer.js';
export { splitSentences } from '../text/sentence-splitter.js';
export { spansOf } from '../text/spans.js';
export type { TagScheme } from '../text/tag-scheme.js';
export { isSpanScheme } from '../text/tag-scheme.js';
export type { Tokenizer } from '../text/tokenizer.js';
export { treebankTokenizer } from '../text/treebank-tokenizer.js';
export { unicodeTokenizer } from '../text/unicode-tokenizer.js';
export { whitespaceTokenizer } from '../text/whitespace-tokenizer.js';
// trainers
export { bcd } from '../trainers/bcd.js';
export { cd } from '../trainers/cd.js';
export { conjugateGradient } from '../trainers/conjugate-gradient.js';
export { eg } from '../trainers/eg.js';
export { gis } from '../trainers/gis.js';
export { iis } from '../trainers/iis.js';
export { lbfgs } from '../trainers/lbfgs.js';
export { Objective } from '../trainers/objective.js';
export { owlQn } from '../trainers/owl-qn.js';
export { RegularisationPath } from '../trainers/regularisation-path.js';
export { rprop } from '../trainers/rprop.js';
export { sequenceBoosting } from '../trainers/sequence-boosting.js';
export { SwitchedTrainer } from '../trainers/switched-trainer.js';
export type { TrainerComponent, TrainerContext } from '../trainers/trainer-component.js';
export type * from './named-types.js';
export * from './operators.js';
