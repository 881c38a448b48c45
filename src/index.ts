// core: what travels through a pipeline
export type { AllowedLabels } from './core/allowed-labels.js';
export type { Alternative } from './core/alternative.js';
export type { CheckpointParts, CheckpointStore } from './core/checkpoint-store.js';
export type { Component } from './core/component.js';
export type { Constraints, TokenConstraint } from './core/constraints.js';
export type { Contribution } from './core/contribution.js';
export type { Delivery, Position } from './core/delivery.js';
export type { Column, Document, Range } from './core/document.js';
export type { EncodedSentence } from './core/encoded-sentence.js';
export type { ErrorCode, ErrorPlace } from './core/errors.js';
export { TagstreamError } from './core/errors.js';
export type { Evaluator } from './core/evaluator.js';
export { FlowLedger } from './core/flow-ledger.js';
export type { Minibatch } from './core/minibatch.js';
export { packMinibatch } from './core/pack-minibatch.js';
export type { PartialTag } from './core/partial-tag.js';
export { Random } from './core/random.js';
export type { BadRecordCounts, InFlight, ProgressiveResults, RunPhase } from './core/run-status.js';
export { RunStatus } from './core/run-status.js';
export type { Sentence, TaggedSentence } from './core/sentence.js';
export { shareDelivery } from './core/share-delivery.js';
export type { Span } from './core/span.js';
export type { State, Stateful } from './core/state.js';
export type { TaggedDocument } from './core/tagged-document.js';
export type { Scores, TrainingStep } from './core/training-step.js';
// features
export { ClusterCorpus } from './features/clusters/cluster-corpus.js';
export type { ClusteredWord, LearnedClusters } from './features/clusters/learn-clusters.js';
export { learnClusters } from './features/clusters/learn-clusters.js';
export { presetTemplates } from './features/presets/preset-templates.js';
export { gazetteer } from './features/resources/gazetteer.js';
export type { Gazetteer, Resources, WordClusters } from './features/resources/resources.js';
export { wordClusters } from './features/resources/word-clusters.js';
// io
export type { BadRecord } from './io/bad-record.js';
export type { Codec } from './io/codec.js';
export { conllCodec } from './io/conll/conll-codec.js';
export { conlluCodec } from './io/conllu/conllu-codec.js';
export { convert } from './io/convert.js';
export type { DeadLetterOptions } from './io/dead-letters.js';
export { DeadLetters } from './io/dead-letters.js';
export { writeDocuments } from './io/document-sink.js';
export { documentSource } from './io/document-source.js';
export type { Fault } from './io/faults/fault.js';
export type { Policy } from './io/faults/policy.js';
export { replayCodec } from './io/faults/replay-codec.js';
export { FileCheckpointStore } from './io/file-checkpoint-store.js';
export { FileTagger as Tagger } from './io/file-tagger.js';
export { lettersCodec } from './io/letters/letters-codec.js';
export { ndjsonCodec } from './io/ndjson/ndjson-codec.js';
export type { Output } from './io/open-output.js';
export { openOutput } from './io/open-output.js';
// losses and optimizers
export { exponentialLoss } from './losses/exponential-loss.js';
export { hingeLoss } from './losses/hinge-loss.js';
export { logLoss } from './losses/log-loss.js';
export type { Loss } from './losses/loss.js';
export { perceptronLoss } from './losses/perceptron-loss.js';
export { pointwiseExponentialLoss } from './losses/pointwise-exponential-loss.js';
export { pointwiseLogLoss } from './losses/pointwise-log-loss.js';
export type { SoftmaxMarginOptions } from './losses/softmax-margin.js';
export { SoftmaxMargin } from './losses/softmax-margin.js';
export { softmaxMarginLoss } from './losses/softmax-margin-loss.js';
// metrics
export type { CalibrationBin, CalibrationSummary } from './metrics/calibration.js';
export { Calibration } from './metrics/calibration.js';
export { Confusion } from './metrics/confusion.js';
export type { DecayedSummary } from './metrics/decayed-scores.js';
export { DecayedScores } from './metrics/decayed-scores.js';
export type { DriftOptions, DriftWarning } from './metrics/drift-watch.js';
export { DriftWatch } from './metrics/drift-watch.js';
export type { EvaluationOptions, ScoredSentence } from './metrics/evaluation.js';
export { Evaluation } from './metrics/evaluation.js';
export type {
  EvaluationReport,
  LabelScores,
  ModelComparison,
} from './metrics/evaluation-report.js';
export type { LearningCurve, LearningPoint } from './metrics/learning-curve.js';
export type {
  BootstrapDifference,
  BootstrapOptions,
  BootstrapResult,
} from './metrics/paired-bootstrap.js';
export { pairedBootstrap } from './metrics/paired-bootstrap.js';
export { ProgressiveScores } from './metrics/progressive-scores.js';
export type { SentenceCounts } from './metrics/sentence-counts.js';
export { SpanScores } from './metrics/span-scores.js';
export { TaggingScores } from './metrics/tagging-scores.js';
export { TokenAccuracy } from './metrics/token-accuracy.js';
export type { WordAccuracy } from './metrics/unseen-words.js';
export { UnseenWords } from './metrics/unseen-words.js';
// models
export { createModel } from './models/create-model.js';
export type { Crew, CrewMode } from './models/crew/crew.js';
export type { ParallelOptions } from './models/crew/parallel-learner.js';
export { ParallelLearner } from './models/crew/parallel-learner.js';
export type { DecodeOptions } from './models/decode-options.js';
export type { Decoded, RankedLabels } from './models/decoded.js';
export { Decoder } from './models/decoder.js';
export type { DecodingRules } from './models/decoding-rules.js';
export { EarlyStopping } from './models/early-stopping.js';
export type { ContributionKind, ScoreContribution, TokenExplanation } from './models/explain.js';
export { explainSentence } from './models/explain.js';
export { HeldOutEvaluator } from './models/held-out-evaluator.js';
export type { InspectOptions } from './models/inspection/inspect-model.js';
export { inspectModel } from './models/inspection/inspect-model.js';
export type { ModelNotes, TemplateSize } from './models/inspection/model-notes.js';
export type {
  FoundFeature,
  LabelFeatures,
  LabelSummary,
  ModelSummary,
  StrongFeature,
  TemplateSummary,
  TransitionSummary,
} from './models/inspection/model-summary.js';
export type { InspectedModel } from './models/inspection/read-inspected.js';
export { readInspected } from './models/inspection/read-inspected.js';
export { LabelSet } from './models/label-set.js';
export type { LearnerOptions } from './models/learner.js';
export { createLearner, Learner } from './models/learner.js';
export { Model } from './models/model.js';
export { readModel, writeModel } from './models/model-file.js';
export type { IndexSpec, ModelSpec } from './models/model-spec.js';
export { restoreModelState, saveModelState } from './models/model-state.js';
export { parseDictionary } from './models/parse-dictionary.js';
export type { DictionaryEntries } from './models/tag-dictionary.js';
export { TagDictionary } from './models/tag-dictionary.js';
export type { Analysis, AnalyzeOptions } from './models/tagger.js';
export type { PassRecord } from './models/training-history.js';
export type { TransitionRules } from './models/transition-rules.js';
// operators
export type { AssembleOptions } from './operators/assemble.js';
export { assemble } from './operators/assemble.js';
export type { BatchOptions } from './operators/batch.js';
export { batch } from './operators/batch.js';
export type { CheckpointOptions } from './operators/checkpoint.js';
export { checkpoint } from './operators/checkpoint.js';
export type { ContributeOptions } from './operators/contribute.js';
export { contribute } from './operators/contribute.js';
export type { EvaluateOptions } from './operators/evaluate.js';
export { evaluate } from './operators/evaluate.js';
export type { ProgressiveOptions } from './operators/evaluate-progressive.js';
export { evaluateProgressive } from './operators/evaluate-progressive.js';
export { featurize } from './operators/featurize.js';
export type { MergeOrderedOptions } from './operators/merge-ordered.js';
export { mergeOrdered } from './operators/merge-ordered.js';
export { optimize } from './operators/optimize.js';
export type { PassesOptions } from './operators/passes.js';
export { passes } from './operators/passes.js';
export { replaceable } from './operators/replaceable.js';
export { tag } from './operators/tag.js';
export type { TokenizeOptions } from './operators/tokenize.js';
export { tokenize } from './operators/tokenize.js';
export type { TrackedOptions } from './operators/tracked.js';
export { tracked } from './operators/tracked.js';
export { adagrad } from './optimizers/adagrad.js';
export { arow } from './optimizers/arow.js';
export type { Optimizer, OptimizerComponent, OptimizerContext } from './optimizers/optimizer.js';
export { passiveAggressive } from './optimizers/passive-aggressive.js';
export { perceptron } from './optimizers/perceptron.js';
export { constant } from './optimizers/schedules/constant.js';
export { exponential } from './optimizers/schedules/exponential.js';
export { inverse } from './optimizers/schedules/inverse.js';
export type { Schedule } from './optimizers/schedules/schedule.js';
export { sgd } from './optimizers/sgd.js';
export { sgdL1 } from './optimizers/sgd-l1.js';
export { votedPerceptron } from './optimizers/voted-perceptron.js';
// pipeline
export type { RunEvents } from './pipeline/events.js';
export { loadPipeline, parsePipeline } from './pipeline/load-pipeline.js';
export type { Pipeline } from './pipeline/pipeline.js';
export { replayed } from './pipeline/replayed.js';
export type { RunOptions, RunResult } from './pipeline/run-options.js';
export { runPipeline } from './pipeline/run-pipeline.js';
// text
export { characterTokenizer } from './text/character-tokenizer.js';
export { convertTags } from './text/convert-tags.js';
export { detectScheme } from './text/detect-scheme.js';
export { regexTokenizer } from './text/regex-tokenizer.js';
export { splitSentences } from './text/sentence-splitter.js';
export { spansOf } from './text/spans.js';
export type { TagScheme } from './text/tag-scheme.js';
export { isSpanScheme } from './text/tag-scheme.js';
export type { Tokenizer } from './text/tokenizer.js';
export { treebankTokenizer } from './text/treebank-tokenizer.js';
export { unicodeTokenizer } from './text/unicode-tokenizer.js';
export { whitespaceTokenizer } from './text/whitespace-tokenizer.js';
// workers
export { TrainingCrew } from './workers/training-crew.js';
