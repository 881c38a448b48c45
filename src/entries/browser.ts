// Everything that needs nothing of Node: the package's entry `tagstream/browser`. `src/index.ts` passes it all on.

export type * from './named-types.js';
export * from './operators.js';

// core: what travels through a pipeline

export type { Component } from '../core/component.js';
export type { Delivery, Position } from '../core/delivery/delivery.js';
export { FlowLedger } from '../core/delivery/flow-ledger.js';
export { shareDelivery } from '../core/delivery/share-delivery.js';
export type { ErrorCode, ErrorPlace } from '../core/errors.js';
export { TagstreamError } from '../core/errors.js';
export type { AllowedLabels } from '../core/minibatch/allowed-labels.js';
export type { EncodedSentence, TokenLinks } from '../core/minibatch/encoded-sentence.js';
export type { Minibatch } from '../core/minibatch/minibatch.js';
export { packMinibatch } from '../core/minibatch/pack-minibatch.js';
export { Random } from '../core/random.js';
export type {
  BadRecordCounts,
  InFlight,
  MessagesOnTheWay,
  ProgressiveResults,
  RunPhase,
} from '../core/run-status.js';
export { RunStatus } from '../core/run-status.js';
export type { ScorerName } from '../core/scorer-name.js';
export type { Alternative } from '../core/sentence/alternative.js';
export type { Constraints, TokenConstraint } from '../core/sentence/constraints.js';
export type { Column, Document, Range } from '../core/sentence/document.js';
export type { LabelMarginals } from '../core/sentence/label-marginals.js';
export type { PartialTag } from '../core/sentence/partial-tag.js';
export type { Sentence, TaggedSentence } from '../core/sentence/sentence.js';
export type { Span } from '../core/sentence/span.js';
export type { TaggedDocument } from '../core/sentence/tagged-document.js';
export type { Misaligned, Overlaps, TextSpan } from '../core/sentence/text-span.js';
export type { CheckpointParts, CheckpointStore } from '../core/training/checkpoint-store.js';
export type { Contribution } from '../core/training/contribution.js';
export type { Evaluator } from '../core/training/evaluator.js';
export type { State, Stateful } from '../core/training/state.js';
export type { Scores, TrainingStep } from '../core/training/training-step.js';

// text

export type { RedactedSpan } from '../text/redact.js';
export { redact } from '../text/redact.js';
export { splitSentences } from '../text/sentences/sentence-splitter.js';
export { convertTags } from '../text/tags/convert-tags.js';
export type { DifferentSchemes } from '../text/tags/detect-scheme.js';
export { describeSchemes, detectScheme, SchemeCounts } from '../text/tags/detect-scheme.js';
export { SpanOpenings } from '../text/tags/span-openings.js';
export { spansOf } from '../text/tags/spans.js';
export type { TagForm } from '../text/tags/tag-form.js';
export type { SpanScheme, TagScheme } from '../text/tags/tag-scheme.js';
export { isSpanScheme, schemeNamed, spanSchemes } from '../text/tags/tag-scheme.js';
export { characterTokenizer } from '../text/tokenizers/character-tokenizer.js';
export { regexTokenizer } from '../text/tokenizers/regex-tokenizer.js';
export type { Tokenizer } from '../text/tokenizers/tokenizer.js';
export { treebankTokenizer } from '../text/tokenizers/treebank-tokenizer.js';
export { unicodeTokenizer } from '../text/tokenizers/unicode-tokenizer.js';
export { whitespaceTokenizer } from '../text/tokenizers/whitespace-tokenizer.js';

// features

export { ClusterCorpus } from '../features/clusters/cluster-corpus.js';
export type { ClusteredWord, LearnedClusters } from '../features/clusters/learn-clusters.js';
export { learnClusters } from '../features/clusters/learn-clusters.js';
export { presetTemplates } from '../features/presets/preset-templates.js';
export { gazetteer } from '../features/resources/gazetteer.js';
export { quantisedVectors } from '../features/resources/quantised-vectors.js';
export type {
  Gazetteer,
  QuantisedVectors,
  Resources,
  WordClusters,
} from '../features/resources/resources.js';
export { wordClusters } from '../features/resources/word-clusters.js';
export type { WordVectors } from '../features/vectors/word-vectors.js';

// metrics

export type { DriftOptions, DriftWarning } from '../metrics/drift-watch.js';
export { DriftWatch } from '../metrics/drift-watch.js';
export type { CalibrationBin, CalibrationSummary } from '../metrics/evaluation/calibration.js';
export { Calibration } from '../metrics/evaluation/calibration.js';
export { Confusion } from '../metrics/evaluation/confusion.js';
export type { EvaluationOptions, ScoredSentence } from '../metrics/evaluation/evaluation.js';
export { Evaluation } from '../metrics/evaluation/evaluation.js';
export type {
  EvaluationReport,
  LabelScores,
  ModelComparison,
} from '../metrics/evaluation/evaluation-report.js';
export type {
  BootstrapDifference,
  BootstrapOptions,
  BootstrapResult,
} from '../metrics/evaluation/paired-bootstrap.js';
export { pairedBootstrap } from '../metrics/evaluation/paired-bootstrap.js';
export type { SentenceCounts } from '../metrics/evaluation/sentence-counts.js';
export type { WordAccuracy } from '../metrics/evaluation/unseen-words.js';
export { UnseenWords } from '../metrics/evaluation/unseen-words.js';
export type { LearningCurve, LearningPoint } from '../metrics/learning-curve.js';
export type { DecayedSummary } from '../metrics/scores/decayed-scores.js';
export { DecayedScores } from '../metrics/scores/decayed-scores.js';
export { ProgressiveScores } from '../metrics/scores/progressive-scores.js';
export { SpanScores } from '../metrics/scores/span-scores.js';
export { TaggingScores } from '../metrics/scores/tagging-scores.js';
export { TokenAccuracy } from '../metrics/scores/token-accuracy.js';

// losses

export { ExponentialLoss, exponentialLoss } from '../losses/exponential-loss.js';
export { hingeLoss } from '../losses/hinge-loss.js';
export { jointLoss } from '../losses/joint-loss.js';
export { localLogLoss } from '../losses/local-log-loss.js';
export { logLoss } from '../losses/log-loss.js';
export type { Loss } from '../losses/loss.js';
export type { LossComponent, LossContext } from '../losses/loss-component.js';
export { losses } from '../losses/losses.js';
export { perceptronLoss } from '../losses/perceptron-loss.js';
export {
  PointwiseExponentialLoss,
  pointwiseExponentialLoss,
} from '../losses/pointwise/pointwise-exponential-loss.js';
export { pointwiseLogLoss } from '../losses/pointwise/pointwise-log-loss.js';
export { scaleResiduals } from '../losses/residuals/scale-residuals.js';
export type { SoftmaxMarginOptions } from '../losses/softmax-margin.js';
export { SoftmaxMargin } from '../losses/softmax-margin.js';
export { softmaxMarginLoss } from '../losses/softmax-margin-loss.js';

// optimizers

export { adagrad } from '../optimizers/adagrad.js';
export { arow } from '../optimizers/arow.js';
export { counts } from '../optimizers/counts.js';
export type { Optimizer, OptimizerComponent, OptimizerContext } from '../optimizers/optimizer.js';
export { optimizers } from '../optimizers/optimizers.js';
export { passiveAggressive } from '../optimizers/passive-aggressive.js';
export { perceptron } from '../optimizers/perceptron.js';
export { copyPlane } from '../optimizers/planes/copy-plane.js';
export { constant } from '../optimizers/schedules/constant.js';
export { exponential } from '../optimizers/schedules/exponential.js';
export { inverse } from '../optimizers/schedules/inverse.js';
export type { Schedule } from '../optimizers/schedules/schedule.js';
export { sgd } from '../optimizers/sgd.js';
export { sgdL1 } from '../optimizers/sgd-l1.js';
export { stepwiseEm } from '../optimizers/stepwise-em.js';
export { votedPerceptron } from '../optimizers/voted-perceptron.js';

// models

export { createModel } from '../models/create-model.js';
export type { ConfidenceOptions, DecodeOptions } from '../models/decoding/decode-options.js';
export type { Decoded, RankedLabels } from '../models/decoding/decoded.js';
export { Decoder } from '../models/decoding/decoder.js';
export type { DecodingRules } from '../models/decoding/decoding-rules.js';
export type {
  CountRule,
  OrderRule,
  SequenceRule,
} from '../models/decoding/sequence-rules.js';
export type { AppliedRule, RuleEffect, TagRule } from '../models/decoding/tag-rules.js';
export { readModel, writeModel } from '../models/files/model-file.js';
export type { ModelNotes, TemplateSize, TrainingNote } from '../models/files/model-notes.js';
export type { ParallelOptions } from '../models/group/parallel-learner.js';
export { ParallelLearner } from '../models/group/parallel-learner.js';
export type { GroupMode, WorkerGroup } from '../models/group/worker-group.js';
export type { GrowthLimit } from '../models/growth-limit.js';
export { explainSentence } from '../models/inspection/explain.js';
export type {
  ContributionKind,
  ScoreContribution,
  TokenExplanation,
} from '../models/inspection/explanation.js';
export type { InspectOptions } from '../models/inspection/inspect-model.js';
export { inspectModel } from '../models/inspection/inspect-model.js';
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
export type { ExplainOptions } from '../models/inspection/ruled-sentence.js';
export type { KernelName } from '../models/kernels.js';
export { kernels } from '../models/kernels.js';
export { LabelSet } from '../models/labels/label-set.js';
export { parseDictionary } from '../models/labels/parse-dictionary.js';
export type { DictionaryEntries } from '../models/labels/tag-dictionary.js';
export { TagDictionary } from '../models/labels/tag-dictionary.js';
export type { TransitionRules } from '../models/labels/transition-rules.js';
export { BatchLearner } from '../models/learning/batch-learner.js';
export { EarlyStopping } from '../models/learning/early-stopping.js';
export { HeldOutEvaluator } from '../models/learning/held-out-evaluator.js';
export type { LearnerOptions } from '../models/learning/learner.js';
export { createLearner, Learner } from '../models/learning/learner.js';
export type { PassRecord } from '../models/learning/training-history.js';
export { Model } from '../models/model.js';
export type { IndexSpec, ModelSpec } from '../models/model-spec.js';
export { restoreModelState, saveModelState } from '../models/state/model-state.js';
export type {
  Analysis,
  AnalyzeOptions,
  FoundSpan,
  TaggedText,
  TaggerOptions,
  TaggerSentence,
  TagTextOptions,
} from '../models/tagger.js';
export { Tagger } from '../models/tagger.js';

// trainers

export { batchPerceptron } from '../trainers/batch-perceptron.js';
export { FeatureInduction } from '../trainers/boosting/induction/feature-induction.js';
export { sequenceBoosting } from '../trainers/boosting/sequence-boosting.js';
export { treeBoosting } from '../trainers/boosting/trees/tree-boosting.js';
export { conjugateGradient } from '../trainers/conjugate/conjugate-gradient.js';
export { bcd } from '../trainers/descent/bcd.js';
export { cd } from '../trainers/descent/cd.js';
export { em } from '../trainers/em/em.js';
export { mmi } from '../trainers/em/mmi.js';
export { lbfgs } from '../trainers/lbfgs/lbfgs.js';
export { owlQn } from '../trainers/lbfgs/owl-qn.js';
export { cuttingPlanes } from '../trainers/margin/cutting-planes.js';
export { eg } from '../trainers/margin/eg.js';
export { smo } from '../trainers/margin/smo.js';
export { supportVectors } from '../trainers/margin/support-vectors.js';
export { Objective } from '../trainers/objective.js';
export { RegularisationPath } from '../trainers/regularisation-path.js';
export { rprop } from '../trainers/rprop.js';
export { gis } from '../trainers/scaling/gis.js';
export { iis } from '../trainers/scaling/iis.js';
export { SwitchedTrainer } from '../trainers/switching/switched-trainer.js';
export type { TrainerComponent, TrainerContext } from '../trainers/trainer-component.js';

// training

export { trainers } from '../pipeline/catalogue/trainers.js';
export type { Pooled, PoolRequest } from '../pipeline/pool/pool.js';
export { pool } from '../pipeline/pool/pool.js';
export type { HeldOutLosses } from '../pipeline/pool/pooled-models.js';
export type { BatchLearnerOptions } from '../pipeline/trainers/create-batch-learner.js';
export { createBatchLearner } from '../pipeline/trainers/create-batch-learner.js';
export type { InductionChoice } from '../pipeline/trainers/induction.js';
export type { PathChoice } from '../pipeline/trainers/path.js';
export type { SwitchChoice } from '../pipeline/trainers/switch.js';
export type { Task } from '../pipeline/training/recipe.js';
export type { Trained } from '../pipeline/training/train.js';
export { train } from '../pipeline/training/train.js';
export type { FeatureRequest, TrainRequest } from '../pipeline/training/train-request.js';
export type { TrainerChoice, TrainerOptions } from '../pipeline/training/trainer-choice.js';
