// Types that occur in signatures of the package and that no other entry exports. They are internal,
// and may change.

export type { Precision, Reals } from '../engine/core/arrays.js';
export type {
  Penalties,
  Refusal,
  SettingRefusal,
  TrainingSettings,
} from '../engine/core/component.js';
export type { Holding } from '../engine/core/delivery/flow-ledger.js';
export type { Figure } from '../engine/core/figures.js';
export type {
  CompactFeatures,
  FeaturePlaces,
  PlacedRows,
} from '../engine/core/minibatch/minibatch.js';
export type { PackedRows } from '../engine/core/minibatch/packed-rows.js';
export type { Registry } from '../engine/core/registry.js';
export type { DeploymentComparison, Durations } from '../engine/core/run-status.js';
export type { TableRole } from '../engine/core/scorer.js';
export type { LateLabels, Origin } from '../engine/core/sentence/document.js';
export type { ContextColumns } from '../engine/core/sentence/sentence.js';
export type { Confidence, PrunedResiduals } from '../engine/core/training/contribution.js';
export type {
  Ending,
  Iteration,
  PassMargin,
  PathPoint,
  Trainer,
} from '../engine/core/training/trainer.js';
export type { MergeLosses } from '../engine/features/clusters/merge-losses.js';
export type { KnownWords, Lexicon, StoredLexicon } from '../engine/features/context/lexicon.js';
export type { ContextWindow, Predictions } from '../engine/features/context/predictions.js';
export type { Atom } from '../engine/features/extraction/atom.js';
export type {
  ExtractionPlan,
  PlannedPiece,
  PlannedTemplate,
  PlannedVector,
} from '../engine/features/extraction/extraction-plan.js';
export type {
  FeatureExtractor,
  LocatedRows,
} from '../engine/features/extraction/feature-extractor.js';
export type { FeatureKind } from '../engine/features/extraction/feature-names.js';
export type { ContentTable } from '../engine/features/fingerprints/content-table.js';
export type { Fingerprint, TextRecorder } from '../engine/features/fingerprints/fingerprint.js';
export type { FingerprintList } from '../engine/features/fingerprints/fingerprint-list.js';
export type { FeatureIndex } from '../engine/features/index/feature-index.js';
export type { RowList } from '../engine/features/index/row-list.js';
export type { EncodedLinks, Link, LinkEncoder } from '../engine/features/links/link-encoder.js';
export type { GraphSpec, SameWordLinks } from '../engine/features/links/link-feature.js';
export type { TokenLookup } from '../engine/features/resources/token-lookup.js';
export type { SegmentEncoder } from '../engine/features/segments/segment-encoder.js';
export type { SegmentFeature, SegmentSpec } from '../engine/features/segments/segment-feature.js';
export type { TemplateSet } from '../engine/features/template/parse-templates.js';
export type {
  CustomFunction,
  Macro,
  Piece,
  Template,
  TokenFunction,
} from '../engine/features/template/template.js';
export type {
  FoundInToken,
  TokenFunctionComponent,
} from '../engine/features/template/token-function.js';
export type { StringSentence } from '../engine/features/texts/string-features.js';
export type { TransitionMask } from '../engine/inference/mask-scores.js';
export type { RankedPath } from '../engine/inference/n-best.js';
export type { ClusterOptions, ClusterReport } from '../engine/interfaces/cluster-options.js';
export type {
  CodecComponent,
  LoadedPlugin,
  MessageTarget,
  PluginModule,
  PluginStage,
  TransportComponent,
} from '../engine/interfaces/loaded-plugin.js';
export type { TransportSetting } from '../engine/interfaces/messages.js';
export type { RegisteredVersion } from '../engine/interfaces/registered-models.js';
export type { CompactPlane } from '../engine/kernels/compact/compact-store.js';
export type { FurtherScores } from '../engine/kernels/further-scores.js';
export type { GraphLayout, GraphScores, GraphTally } from '../engine/kernels/graph/graph-scores.js';
export type {
  Command as GroupCommand,
  GroupSignals,
} from '../engine/kernels/group/group-signals.js';
export type {
  CorpusArray,
  CorpusNumbers,
  CorpusPlaces,
} from '../engine/kernels/group/placed-corpus.js';
export type { StepPlaces } from '../engine/kernels/group/step-memory.js';
export type { PenaltyState } from '../engine/kernels/kernel.js';
export type { ResultPlaces } from '../engine/kernels/lattice.js';
export type { LinearMemory, WasmMemory } from '../engine/kernels/memory/linear-memory.js';
export type { PlanePlaces, TablePlace } from '../engine/kernels/memory/plane.js';
export type { RealTable } from '../engine/kernels/memory/real-table.js';
export type { AddChain, ListedLattice, PairLists } from '../engine/kernels/pairs/pair-lists.js';
export type { Candidates, ColumnsOfLabels, Pruning } from '../engine/kernels/pruning/candidates.js';
export type {
  AdaptiveSteps,
  CompositeOptions,
  CompositePenalty,
} from '../engine/kernels/rows/adaptive-steps.js';
export type { AveragedRows } from '../engine/kernels/rows/averaged-rows.js';
export type { CoalescedGradient, GradientRows } from '../engine/kernels/rows/coalesced-gradient.js';
export type { RowNumbers, TableName } from '../engine/kernels/rows/row-numbers.js';
export type { SegmentLayout, SegmentScores } from '../engine/kernels/segments/segment-scores.js';
export type { BoundaryPairs, SegmentTables } from '../engine/kernels/segments/segment-tables.js';
export type { SimdKernel } from '../engine/kernels/simd/simd-kernel.js';
export type {
  CompressedRows,
  SumsOfRows,
  SupportedPairs,
} from '../engine/kernels/store/compressed-rows.js';
export type { CreationTimes } from '../engine/kernels/store/creation-times.js';
export type {
  CodeDecoder,
  LabelLayers,
  LabelParts,
  OutputCodes,
} from '../engine/kernels/store/label-columns.js';
export type { PairChains } from '../engine/kernels/store/pair-chains.js';
export type {
  AddedScores,
  PairPlaces,
  ParameterCounts,
  ParameterLayout,
  ParameterStore,
  ReusedRows,
  TokenScores,
  VotingWeights,
} from '../engine/kernels/store/parameter-store.js';
export type { StorePlaces } from '../engine/kernels/store/placed-store.js';
export type { RegressionTree } from '../engine/kernels/store/regression-tree.js';
export type { StatePairs } from '../engine/kernels/store/state-pairs.js';
export type { Support } from '../engine/kernels/store/support.js';
export type { Similarity } from '../engine/kernels/vectors/support-vectors.js';
export type { LabelCosts } from '../engine/losses/label-costs.js';
export type { SharedLoss } from '../engine/losses/loss.js';
export type {
  BoundedExponential,
  BoundedLoss,
} from '../engine/losses/residuals/bounded-exponential.js';
export type { ConfusionCell } from '../engine/metrics/evaluation/confusion.js';
export type { Spread } from '../engine/metrics/evaluation/cross-validation.js';
export type { RankedTags } from '../engine/metrics/evaluation/rank-loss.js';
export type { MatchCounts, MatchScores } from '../engine/metrics/scores/match-counts.js';
export type { TagPair } from '../engine/metrics/scores/tagging-scores.js';
export type { BundledLayers, StoredLayer, StoredLayers } from '../engine/models/bundled-layers.js';
export type { PruningLoss } from '../engine/models/decoding/pruning-loss.js';
export type { ShardExecutor } from '../engine/models/group/mixing/shard-executor.js';
export type {
  MinibatchLimits,
  MixedPlanes,
  PlaneNumbers,
  ShardJob,
  ShardPredictions,
  ShardResult,
  StreamRound,
} from '../engine/models/group/mixing/shard-job.js';
export type { GroupJob } from '../engine/models/group/worker-group.js';
export type { MostFeatures } from '../engine/models/growth-limit.js';
export type {
  ListSummary,
  SplitFeature,
  TreeStep,
  TreesSummary,
  VectorsSummary,
} from '../engine/models/inspection/model-summary.js';
export type { NamesKept } from '../engine/models/inspection/note-model.js';
export type {
  ChosenCode,
  CodeChoice,
  CodeColumns,
  CodeSpec,
  GivenCode,
} from '../engine/models/labels/code-columns.js';
export type { CountedWords, LearnedWords } from '../engine/models/labels/dictionary-counts.js';
export type { MadeColumns } from '../engine/models/labels/label-set.js';
export type { LayerColumns } from '../engine/models/labels/layer-columns.js';
export type { PartColumns } from '../engine/models/labels/part-columns.js';
export type { SeenTransitions } from '../engine/models/labels/seen-transitions.js';
export type { CreateOptimizer } from '../engine/models/learning/learner.js';
export type { FreshState, SeedMean, SeedOptions } from '../engine/models/learning/seed-mean.js';
export type { TrainingHistory } from '../engine/models/learning/training-history.js';
export type { JoinedPositions } from '../engine/models/learning/waiting-records.js';
export type { ModelParts, ModelTokenizer } from '../engine/models/model.js';
export type {
  HiddenStates,
  InformationSelection,
  UsedPlugin,
} from '../engine/models/model-spec.js';
export type { TakenWeights } from '../engine/models/start/add-weights.js';
export type { Mixing, OptimizerSizes } from '../engine/optimizers/optimizer.js';
export type { DividedText } from '../engine/text/divide-text.js';
export type {
  ColumnToken,
  LabelCodec,
  LabelCodecKind,
  ValuedToken,
} from '../engine/text/labels/label-codec.js';
export type { TakeRange } from '../engine/text/patterns/linear-pattern.js';
export type { TextPattern } from '../engine/text/patterns/text-pattern.js';
export type {
  BundledTokenizer,
  StoredExpander,
  StoredTokenizer,
} from '../engine/text/tokenizers/bundled-tokenizer.js';
export type { WordRules } from '../engine/text/tokenizers/tokenizer.js';
export type { InductionOptions } from '../engine/trainers/boosting/induction/feature-induction.js';
export type { ObjectiveOptions } from '../engine/trainers/objective.js';
export type { PathOptions } from '../engine/trainers/regularisation-path.js';
export type {
  ExchangePlaces,
  ObjectiveGroup,
  ObjectiveJob,
  RemoteSums,
  ShardSums,
  SumsJob,
} from '../engine/trainers/shards/objective-group.js';
export type { SpacePlaces } from '../engine/trainers/space/member-pieces.js';
export type {
  SmoothObjective,
  Together,
  VectorSpace,
} from '../engine/trainers/space/vector-space.js';
export type {
  NarrowTable,
  SparseTable,
  SparseVector,
} from '../engine/trainers/space/vector-tables.js';
export type { OnlineOptions } from '../engine/trainers/switching/online-passes.js';
export type { SwitchOptions } from '../engine/trainers/switching/switched-trainer.js';
export type { PassOrder } from '../engine/trainers/trainer-component.js';
export type { FreeParameters } from '../engine/trainers/vectors/free-parameters.js';
export type { FaultPolicies } from '../formats/bad-records/bad-record.js';
export type { ErrorRateLimit } from '../formats/bad-records/error-rate.js';
export type {
  OpenRecord,
  PassedRecord,
  PassedRecords,
} from '../formats/bad-records/passed-records.js';
export type { ReadContext, RecordFiles } from '../formats/codecs/codec.js';
export type { FormatTraits } from '../formats/codecs/format-traits.js';
export type { OnDropped, OnReplaced } from '../formats/codecs/writing.js';
export type { FileUse } from '../formats/files/require-apart.js';
export type { IntoLines, LineMaker, StreamStart } from '../formats/lines/line-splitter.js';
export type { Input, InputStream } from '../formats/reading/open-input.js';
export type {
  ShownAxis,
  ShownBoxes,
  ShownCell,
  ShownExpectation,
  ShownHead,
  ShownLine,
  ShownMark,
  ShownPlot,
  ShownPoint,
  ShownTable,
} from '../reports/study/shown-study.js';
export type { Dropped, Replaced } from '../runtime/io/convert.js';
export type { DeadLetterPlace } from '../runtime/io/dead-letters/dead-letters.js';
export type { FileLock, Locked } from '../runtime/io/locks/file-lock.js';
export type { Budget } from '../runtime/io/sources/gate.js';
export type { InFlightNote, NotedRecord } from '../runtime/io/sources/in-flight-note.js';
export type { Selection as RecordSelection } from '../runtime/io/sources/select-records.js';
export type { OutputStream } from '../runtime/io/writing/open-output.js';
export type { OutputNote, OutputNotes, OutputState } from '../runtime/io/writing/output-place.js';
export type {
  OutputRotation,
  ResumableFile,
  ResumableOptions,
} from '../runtime/io/writing/resumable-file.js';
export type { Components } from '../runtime/pipeline/catalogue/components.js';
export type { Check as ModelCheck } from '../runtime/pipeline/definition/check-options.js';
export type { PipelineParts } from '../runtime/pipeline/definition/pipeline.js';
export type {
  ItemKind,
  StageComponent,
  StageFile,
} from '../runtime/pipeline/definition/stage-component.js';
export type { Path as ConfigPath } from '../runtime/pipeline/file/yaml-document.js';
export type { TrainerGroup } from '../runtime/pipeline/learners/learner-of.js';
export type { ChallengeOptions } from '../runtime/pipeline/options/challenge-options.js';
export type { ColumnsOptions } from '../runtime/pipeline/options/column-options.js';
export type { DeadLetterSection } from '../runtime/pipeline/options/dead-letter-options.js';
export type { DeployOptions } from '../runtime/pipeline/options/deploy-options.js';
export type {
  FeaturizeOptions,
  ModelFileChoice,
} from '../runtime/pipeline/options/feature-options.js';
export type { ModelChoice } from '../runtime/pipeline/options/model-option.js';
export type {
  Chosen as ChosenComponent,
  Named as NamedComponent,
} from '../runtime/pipeline/options/one-of.js';
export type { TagStageOptions } from '../runtime/pipeline/options/rule-options.js';
export type { SinkOptions } from '../runtime/pipeline/options/sink-options.js';
export type {
  AskOptions as AskStageOptions,
  BatchOptions as BatchStageOptions,
  CheckpointOptions as CheckpointStageOptions,
  EvaluateOptions as EvaluateStageOptions,
  JoinOptions as JoinStageOptions,
  ReplayOptions as ReplayStageOptions,
} from '../runtime/pipeline/options/stage-options.js';
export type {
  CodeRequest,
  GraphChoice,
  SegmentChoice,
  StructureChoice,
} from '../runtime/pipeline/options/structure-options.js';
export type { TokenizeStageOptions } from '../runtime/pipeline/options/tokenize-options.js';
export type { TrainOptions } from '../runtime/pipeline/options/train-options.js';
export type { NamedStage, PlanSections } from '../runtime/pipeline/plan/make-plan.js';
export type {
  AddedPart,
  AnyPlan,
  BatchPart,
  BatchTrainerPart,
  ChallengePart,
  Challenger,
  CheckpointPart,
  ClusterPart,
  EvaluationPart,
  FeaturesPart,
  JoinPart,
  LearningPlan,
  LearnPlan,
  LossPart,
  OnlinePart,
  OptimizerPart,
  Part as PlanPart,
  Plan,
  SourcePart,
  TagPlan,
  TrainPlan,
} from '../runtime/pipeline/plan/plan.js';
export type { DivergedFold } from '../runtime/pipeline/run/folds/cross-validate.js';
export type { DivergedSetting } from '../runtime/pipeline/run/folds/penalty-grid.js';
export type { RegistryChoice, WrittenModel } from '../runtime/pipeline/setup/run-options.js';
export type {
  ChosenSource,
  SourceComponent,
} from '../runtime/pipeline/sources/source-component.js';
export type { BatchParts } from '../runtime/pipeline/trainers/batch-learner-of.js';
export type { ColumnRequest } from '../runtime/pipeline/training/train-request.js';
export type { TrainingJob } from '../runtime/workers/thread-group.js';
export type { Frozen, KnownMembers } from '../service/serve/schemas.js';
export type {
  CoursePoint,
  QuantityName,
  RunMeasures,
  Values as MeasuredValues,
} from '../studies/measures/quantities.js';
export type { TestCounts } from '../studies/measures/test-counts.js';
export type { StudyFile } from '../studies/study-schema.js';
