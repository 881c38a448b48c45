// All types that signatures of the package name and that need nothing of Node. Many are of the inside, and may change.

export type { Precision, Reals } from '../core/arrays.js';
export type { Component, Refusal, SettingRefusal, TrainingSettings } from '../core/component.js';
export type { Delivery, Position } from '../core/delivery/delivery.js';
export type { Holding } from '../core/delivery/flow-ledger.js';
export type { ErrorCode, ErrorPlace } from '../core/errors.js';
export type {
  AllowedLabels,
  EncodedSentence,
  TokenLinks,
} from '../core/minibatch/encoded-sentence.js';
export type {
  CompactFeatures,
  FeaturePlaces,
  Minibatch,
  PlacedRows,
} from '../core/minibatch/minibatch.js';
export type { PackedRows } from '../core/minibatch/packed-rows.js';
export type { Registry } from '../core/registry.js';
export type {
  BadRecordCounts,
  Durations,
  InFlight,
  LabelCounts,
  MessagesOnTheWay,
  ProgressiveResults,
  RunPhase,
} from '../core/run-status.js';
export type { ScorerName, TableRole } from '../core/scorer.js';
export type {
  Column,
  Constraints,
  Document,
  LateLabels,
  Misaligned,
  Origin,
  Overlaps,
  Range,
  TextSpan,
  TokenConstraint,
} from '../core/sentence/document.js';
export type { PartialTag } from '../core/sentence/partial-tag.js';
export type {
  Alternative,
  ContextColumns,
  LabelMarginals,
  Sentence,
  Span,
  TaggedSentence,
} from '../core/sentence/sentence.js';
export type { TaggedDocument } from '../core/sentence/tagged-document.js';
export type { Confidence, Contribution, PrunedResiduals } from '../core/training/contribution.js';
export type { CheckpointParts, CheckpointStore, State, Stateful } from '../core/training/state.js';
export type { Ending, Iteration, PathPoint, Trainer } from '../core/training/trainer.js';
export type { Evaluator, Scores, TrainingStep } from '../core/training/training-step.js';
export type { ClusterWords } from '../features/clusters/cluster-corpus.js';
export type {
  ClusteredWord,
  LearnedClusters,
  LearnOptions,
} from '../features/clusters/learn-clusters.js';
export type { MergeLosses } from '../features/clusters/merge-losses.js';
export type { KnownWords, Lexicon, StoredLexicon } from '../features/context/lexicon.js';
export type { ContextWindow, Predictions } from '../features/context/predictions.js';
export type { Atom } from '../features/extraction/atom.js';
export type {
  ExtractionPlan,
  PlannedPiece,
  PlannedTemplate,
  PlannedVector,
} from '../features/extraction/extraction-plan.js';
export type { FeatureExtractor, LocatedRows } from '../features/extraction/feature-extractor.js';
export type { FeatureKind } from '../features/extraction/feature-names.js';
export type { ContentTable } from '../features/fingerprints/content-table.js';
export type { Fingerprint, TextRecorder } from '../features/fingerprints/fingerprint.js';
export type { FingerprintList } from '../features/fingerprints/fingerprint-list.js';
export type { FeatureIndex } from '../features/index/feature-index.js';
export type { RowList } from '../features/index/row-list.js';
export type { EncodedLinks, Link, LinkEncoder } from '../features/links/link-encoder.js';
export type { GraphSpec, SameWordLinks } from '../features/links/link-feature.js';
export type {
  Gazetteer,
  QuantisedVectors,
  Resources,
  WordClusters,
  WordVectors,
} from '../features/resources/resources.js';
export type { TokenLookup } from '../features/resources/token-lookup.js';
export type { SegmentEncoder } from '../features/segments/segment-encoder.js';
export type { SegmentFeature, SegmentSpec } from '../features/segments/segment-feature.js';
export type { TemplateSet } from '../features/template/parse-templates.js';
export type {
  CustomFunction,
  Macro,
  Piece,
  Template,
  TokenFunction,
} from '../features/template/template.js';
export type {
  FoundInToken,
  TokenFunctionComponent,
  TokenFunctions,
} from '../features/template/token-function.js';
export type { TransitionMask } from '../inference/mask-scores.js';
export type { RankedPath } from '../inference/n-best.js';
export type { CompactPlane } from '../kernels/compact/compact-store.js';
export type { FurtherScores } from '../kernels/further-scores.js';
export type { GraphLayout, GraphScores, GraphTally } from '../kernels/graph/graph-scores.js';
export type { Command as GroupCommand, GroupSignals } from '../kernels/group/group-signals.js';
export type { CorpusArray, CorpusNumbers, CorpusPlaces } from '../kernels/group/placed-corpus.js';
export type { StepPlaces } from '../kernels/group/step-memory.js';
export type { Kernel, PenaltyState } from '../kernels/kernel.js';
export type { Lattice, ResultPlaces } from '../kernels/lattice.js';
export type { LinearMemory, WasmMemory } from '../kernels/memory/linear-memory.js';
export type { Plane, PlanePlaces, TablePlace } from '../kernels/memory/plane.js';
export type { RealTable } from '../kernels/memory/real-table.js';
export type { AddChain, ListedLattice, PairLists } from '../kernels/pairs/pair-lists.js';
export type { Candidates, Pruning } from '../kernels/pruning/candidates.js';
export type { SegmentLayout, SegmentScores } from '../kernels/segments/segment-scores.js';
export type { BoundaryPairs, SegmentTables } from '../kernels/segments/segment-tables.js';
export type { SimdKernel } from '../kernels/simd/simd-kernel.js';
export type {
  CompressedRows,
  SumsOfRows,
  SupportedPairs,
} from '../kernels/store/compressed-rows.js';
export type { CreationTimes } from '../kernels/store/creation-times.js';
export type { CodeDecoder, LayerPairs, OutputCodes } from '../kernels/store/label-columns.js';
export type { PairChains } from '../kernels/store/pair-chains.js';
export type {
  AddedScores,
  ParameterCounts,
  ParameterLayout,
  ParameterStore,
  ReusedRows,
  TokenScores,
  VotingWeights,
} from '../kernels/store/parameter-store.js';
export type { StorePlaces } from '../kernels/store/placed-store.js';
export type { RegressionTree } from '../kernels/store/regression-tree.js';
export type { StatePairs } from '../kernels/store/state-pairs.js';
export type { Support } from '../kernels/store/support.js';
export type { Similarity } from '../kernels/vectors/support-vectors.js';
export type { ExponentialLoss } from '../losses/exponential-loss.js';
export type { LabelCosts } from '../losses/label-costs.js';
export type { Loss, LossContext, SharedLoss } from '../losses/loss.js';
export type { LossComponent } from '../losses/loss-components.js';
export type { PointwiseExponentialLoss } from '../losses/pointwise/pointwise-exponential-loss.js';
export type { BoundedExponential, BoundedLoss } from '../losses/residuals/bounded-exponential.js';
export type { SoftmaxMargin, SoftmaxMarginOptions } from '../losses/softmax-margin.js';
export type { DriftOptions, DriftWarning } from '../metrics/drift-watch.js';
export type { CalibrationBin, CalibrationSummary } from '../metrics/evaluation/calibration.js';
export type { ConfusionCell } from '../metrics/evaluation/confusion.js';
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
export type { LearningCurve, LearningPoint } from '../metrics/learning-curve.js';
export type { DecayedSummary } from '../metrics/scores/decayed-scores.js';
export type { MatchCounts, MatchScores } from '../metrics/scores/match-counts.js';
export type { TagPair } from '../metrics/scores/tagging-scores.js';
export type {
  ConfidenceOptions,
  DecodeOptions,
  DecodingRules,
} from '../models/decoding/decode-options.js';
export type { Decoded, RankedLabels } from '../models/decoding/decoded.js';
export type { CountRule, OrderRule, SequenceRule } from '../models/decoding/sequence-rules.js';
export type { AppliedRule, RuleEffect, TagRule } from '../models/decoding/tag-rules.js';
export type { ModelNotes, TemplateSize, TrainingNote } from '../models/files/model-notes.js';
export type { ShardExecutor } from '../models/group/mixing/shard-executor.js';
export type {
  MinibatchLimits,
  MixedPlanes,
  PlaneNumbers,
  ShardJob,
  ShardPredictions,
  ShardResult,
  StreamRound,
} from '../models/group/mixing/shard-job.js';
export type { ParallelOptions } from '../models/group/parallel-learner.js';
export type { GroupJob, GroupMode, WorkerGroup } from '../models/group/worker-group.js';
export type { GrowthLimit, MostFeatures } from '../models/growth-limit.js';
export type {
  ContributionKind,
  ExplainOptions,
  ScoreContribution,
  TokenExplanation,
} from '../models/inspection/explanation.js';
export type { InspectOptions } from '../models/inspection/inspect-model.js';
export type {
  FoundFeature,
  LabelFeatures,
  LabelSummary,
  ListSummary,
  ModelSummary,
  SplitFeature,
  StrongFeature,
  TemplateSummary,
  TransitionSummary,
  TreeStep,
  TreesSummary,
  VectorsSummary,
} from '../models/inspection/model-summary.js';
export type { InspectedModel } from '../models/inspection/read-inspected.js';
export type { KernelName } from '../models/kernels.js';
export type { CodeChoice, CodeColumns, CodeSpec } from '../models/labels/code-columns.js';
export type { CountedWords, LearnedWords } from '../models/labels/dictionary-counts.js';
export type { LayerColumns } from '../models/labels/layer-columns.js';
export type { SeenTransitions } from '../models/labels/seen-transitions.js';
export type { DictionaryEntries } from '../models/labels/tag-dictionary.js';
export type { TransitionRules } from '../models/labels/transition-rules.js';
export type { BatchLearner } from '../models/learning/batch-learner.js';
export type { Learner } from '../models/learning/learner.js';
export type {
  AskedUnit,
  ChosenTokens,
  QuestionOptions,
} from '../models/learning/question-budget.js';
export type { ReplayFrom, ReplayMemoryOptions } from '../models/learning/replay-memory.js';
export type { FreshState, SeedMean, SeedOptions } from '../models/learning/seed-mean.js';
export type { PassRecord } from '../models/learning/training-history.js';
export type { JoinedPositions, WaitingOptions } from '../models/learning/waiting-records.js';
export type { Model, ModelParts } from '../models/model.js';
export type {
  HiddenStates,
  IndexSpec,
  InformationSelection,
  ModelSpec,
  UsedPlugin,
} from '../models/model-spec.js';
export type { WeightSelection } from '../models/selection/drop-small-weights.js';
export type {
  Analysis,
  AnalyzeOptions,
  FoundSpan,
  TaggedText,
  TaggerOptions,
  TaggerReadOptions,
  TaggerSentence,
  TagTextOptions,
} from '../models/tagger.js';
export type { Question } from '../operators/ask.js';
export type { AssembleOptions } from '../operators/assemble.js';
export type { BatchOptions } from '../operators/batch.js';
export type { CheckpointOptions } from '../operators/checkpoint.js';
export type { ContributeOptions } from '../operators/contribute.js';
export type { EvaluateOptions } from '../operators/evaluate.js';
export type { ProgressiveOptions } from '../operators/evaluate-progressive.js';
export type { IterateOptions } from '../operators/iterate.js';
export type { JoinOptions } from '../operators/join-labels.js';
export type { Deliverable, MergeOrderedOptions } from '../operators/merge-ordered.js';
export type { PassesOptions } from '../operators/passes.js';
export type { ReplayOptions } from '../operators/replay.js';
export type { TokenizeOptions } from '../operators/tokenize.js';
export type { TrackedOptions } from '../operators/tracked.js';
export type { AdagradOptions } from '../optimizers/adagrad.js';
export type { ArowOptions } from '../optimizers/arow.js';
export type { CountsOptions } from '../optimizers/counts.js';
export type {
  Mixing,
  OnlineOptimizer,
  Optimizer,
  OptimizerComponent,
  OptimizerContext,
} from '../optimizers/optimizer.js';
export type { PassiveAggressiveOptions } from '../optimizers/passive-aggressive.js';
export type { PerceptronOptions } from '../optimizers/perceptron.js';
export type { Schedule } from '../optimizers/schedules/schedules.js';
export type { SgdOptions } from '../optimizers/sgd.js';
export type { SgdL1Options } from '../optimizers/sgd-l1.js';
export type { StepwiseEmOptions } from '../optimizers/stepwise-em.js';
export type { VotedPerceptronOptions } from '../optimizers/voted-perceptron.js';
export type { BatchLearnerOptions, LearnerOptions } from '../pipeline/learners/create-learner.js';
export type { TrainerGroup } from '../pipeline/learners/learner-of.js';
export type { CodeRequest } from '../pipeline/options/structure-options.js';
export type { Pooled, PoolRequest } from '../pipeline/pool/pool.js';
export type { HeldOutLosses } from '../pipeline/pool/pooled-models.js';
export type { BatchParts } from '../pipeline/trainers/batch-learner-of.js';
export type { InductionChoice } from '../pipeline/trainers/induction.js';
export type { PathChoice } from '../pipeline/trainers/path.js';
export type { SwitchChoice } from '../pipeline/trainers/switch.js';
export type {
  FeatureInductionOptions,
  OptimizerSwitchOptions,
  RegularisationPathOptions,
} from '../pipeline/training/composite-optimizers.js';
export type { Task } from '../pipeline/training/recipe.js';
export type { Trained } from '../pipeline/training/train.js';
export type { FeatureRequest, TrainRequest } from '../pipeline/training/train-request.js';
export type {
  OptimizerChoice,
  TrainerChoice,
  TrainerOptions,
} from '../pipeline/training/trainer-choice.js';
export type { DividedText } from '../text/divide-text.js';
export type { TakeRange } from '../text/patterns/linear-pattern.js';
export type { TextPattern } from '../text/patterns/text-pattern.js';
export type { RedactedSpan } from '../text/redact.js';
export type { DifferentSchemes } from '../text/tags/detect-scheme.js';
export type { TagForm } from '../text/tags/tag-form.js';
export type { SpanScheme, TagScheme } from '../text/tags/tag-scheme.js';
export type { Tokenizer, WordRules } from '../text/tokenizers/tokenizer.js';
export type { BatchPerceptronOptions } from '../trainers/batch-perceptron.js';
export type { InductionOptions } from '../trainers/boosting/induction/feature-induction.js';
export type { SequenceBoostingOptions } from '../trainers/boosting/sequence-boosting.js';
export type { TreeBoostingOptions } from '../trainers/boosting/trees/tree-boosting.js';
export type { ConjugateGradientOptions } from '../trainers/conjugate/conjugate-gradient.js';
export type { BlockOptions, DescentOptions } from '../trainers/descent/coordinate-descent.js';
export type { EmOptions } from '../trainers/em/em.js';
export type { MmiOptions } from '../trainers/em/mmi.js';
export type { LbfgsOptions } from '../trainers/lbfgs/lbfgs.js';
export type { OwlQnOptions } from '../trainers/lbfgs/owl-qn.js';
export type { CuttingPlaneOptions } from '../trainers/margin/cutting-planes.js';
export type { EgOptions } from '../trainers/margin/eg.js';
export type { SmoOptions } from '../trainers/margin/smo.js';
export type { SupportVectorOptions } from '../trainers/margin/support-vectors.js';
export type { ObjectiveOptions } from '../trainers/objective.js';
export type { PathOptions } from '../trainers/regularisation-path.js';
export type { RpropOptions } from '../trainers/rprop.js';
export type { GisOptions } from '../trainers/scaling/gis.js';
export type { IisOptions } from '../trainers/scaling/iis.js';
export type {
  ExchangePlaces,
  ObjectiveGroup,
  ObjectiveJob,
  RemoteSums,
  ShardSums,
  SumsJob,
} from '../trainers/shards/objective-group.js';
export type { SpacePlaces } from '../trainers/space/member-pieces.js';
export type { SmoothObjective, Together, VectorSpace } from '../trainers/space/vector-space.js';
export type { NarrowTable, SparseTable, SparseVector } from '../trainers/space/vector-tables.js';
export type { OnlineOptions } from '../trainers/switching/online-passes.js';
export type { SwitchOptions } from '../trainers/switching/switched-trainer.js';
export type {
  BatchOptimizer,
  PassOrder,
  TrainerComponent,
  TrainerContext,
} from '../trainers/trainer-component.js';
export type { FreeParameters } from '../trainers/vectors/free-parameters.js';
