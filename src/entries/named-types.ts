// Types that occur in signatures of the package and that no other entry exports. They are internal,
// and may change.

export type { Precision, Reals } from '../core/arrays.js';
export type { Penalties, Refusal, SettingRefusal, TrainingSettings } from '../core/component.js';
export type { Holding } from '../core/delivery/flow-ledger.js';
export type { Figure } from '../core/figures.js';
export type { CompactFeatures, FeaturePlaces, PlacedRows } from '../core/minibatch/minibatch.js';
export type { PackedRows } from '../core/minibatch/packed-rows.js';
export type { Registry } from '../core/registry.js';
export type { DeploymentComparison, Durations } from '../core/run-status.js';
export type { TableRole } from '../core/scorer.js';
export type { LateLabels, Origin } from '../core/sentence/document.js';
export type { ContextColumns } from '../core/sentence/sentence.js';
export type { Confidence, PrunedResiduals } from '../core/training/contribution.js';
export type {
  Ending,
  Iteration,
  PassMargin,
  PathPoint,
  Trainer,
} from '../core/training/trainer.js';
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
export type { FoundInToken, TokenFunctionComponent } from '../features/template/token-function.js';
export type { StringSentence } from '../features/texts/string-features.js';
export type { TransitionMask } from '../inference/mask-scores.js';
export type { RankedPath } from '../inference/n-best.js';
export type { ClusterOptions, ClusterReport } from '../interfaces/cluster-options.js';
export type {
  CodecComponent,
  LoadedPlugin,
  MessageTarget,
  PluginModule,
  PluginStage,
  TransportComponent,
} from '../interfaces/loaded-plugin.js';
export type { TransportSetting } from '../interfaces/messages.js';
export type { RegisteredVersion } from '../interfaces/registered-models.js';
export type { FaultPolicies } from '../io/bad-records/bad-record.js';
export type { ErrorRateLimit } from '../io/bad-records/error-rate.js';
export type { OpenRecord, PassedRecord, PassedRecords } from '../io/bad-records/passed-records.js';
export type { ReadContext, RecordFiles } from '../io/codecs/codec.js';
export type { FormatTraits } from '../io/codecs/format-traits.js';
export type { OnDropped, OnReplaced } from '../io/codecs/writing.js';
export type { Dropped, Replaced } from '../io/convert.js';
export type { DeadLetterPlace } from '../io/dead-letters/dead-letters.js';
export type { FileUse } from '../io/files/require-apart.js';
export type { IntoLines, LineMaker, StreamStart } from '../io/lines/line-splitter.js';
export type { FileLock, Locked } from '../io/locks/file-lock.js';
export type { Input, InputStream } from '../io/reading/open-input.js';
export type { Budget } from '../io/sources/gate.js';
export type { InFlightNote, NotedRecord } from '../io/sources/in-flight-note.js';
export type { Selection as RecordSelection } from '../io/sources/select-records.js';
export type { OutputStream } from '../io/writing/open-output.js';
export type { OutputNote, OutputNotes, OutputState } from '../io/writing/output-place.js';
export type {
  OutputRotation,
  ResumableFile,
  ResumableOptions,
} from '../io/writing/resumable-file.js';
export type { CompactPlane } from '../kernels/compact/compact-store.js';
export type { FurtherScores } from '../kernels/further-scores.js';
export type { GraphLayout, GraphScores, GraphTally } from '../kernels/graph/graph-scores.js';
export type { Command as GroupCommand, GroupSignals } from '../kernels/group/group-signals.js';
export type { CorpusArray, CorpusNumbers, CorpusPlaces } from '../kernels/group/placed-corpus.js';
export type { StepPlaces } from '../kernels/group/step-memory.js';
export type { PenaltyState } from '../kernels/kernel.js';
export type { ResultPlaces } from '../kernels/lattice.js';
export type { LinearMemory, WasmMemory } from '../kernels/memory/linear-memory.js';
export type { PlanePlaces, TablePlace } from '../kernels/memory/plane.js';
export type { RealTable } from '../kernels/memory/real-table.js';
export type { AddChain, ListedLattice, PairLists } from '../kernels/pairs/pair-lists.js';
export type { Candidates, ColumnsOfLabels, Pruning } from '../kernels/pruning/candidates.js';
export type {
  AdaptiveSteps,
  CompositeOptions,
  CompositePenalty,
} from '../kernels/rows/adaptive-steps.js';
export type { AveragedRows } from '../kernels/rows/averaged-rows.js';
export type { CoalescedGradient, GradientRows } from '../kernels/rows/coalesced-gradient.js';
export type { RowNumbers, TableName } from '../kernels/rows/row-numbers.js';
export type { SegmentLayout, SegmentScores } from '../kernels/segments/segment-scores.js';
export type { BoundaryPairs, SegmentTables } from '../kernels/segments/segment-tables.js';
export type { SimdKernel } from '../kernels/simd/simd-kernel.js';
export type {
  CompressedRows,
  SumsOfRows,
  SupportedPairs,
} from '../kernels/store/compressed-rows.js';
export type { CreationTimes } from '../kernels/store/creation-times.js';
export type {
  CodeDecoder,
  LabelLayers,
  LabelParts,
  OutputCodes,
} from '../kernels/store/label-columns.js';
export type { PairChains } from '../kernels/store/pair-chains.js';
export type {
  AddedScores,
  PairPlaces,
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
export type { LabelCosts } from '../losses/label-costs.js';
export type { SharedLoss } from '../losses/loss.js';
export type { BoundedExponential, BoundedLoss } from '../losses/residuals/bounded-exponential.js';
export type { ConfusionCell } from '../metrics/evaluation/confusion.js';
export type { Spread } from '../metrics/evaluation/cross-validation.js';
export type { RankedTags } from '../metrics/evaluation/rank-loss.js';
export type { MatchCounts, MatchScores } from '../metrics/scores/match-counts.js';
export type { TagPair } from '../metrics/scores/tagging-scores.js';
export type { BundledLayers, StoredLayer, StoredLayers } from '../models/bundled-layers.js';
export type { PruningLoss } from '../models/decoding/pruning-loss.js';
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
export type { GroupJob } from '../models/group/worker-group.js';
export type { MostFeatures } from '../models/growth-limit.js';
export type {
  ListSummary,
  SplitFeature,
  TreeStep,
  TreesSummary,
  VectorsSummary,
} from '../models/inspection/model-summary.js';
export type { NamesKept } from '../models/inspection/note-model.js';
export type {
  ChosenCode,
  CodeChoice,
  CodeColumns,
  CodeSpec,
  GivenCode,
} from '../models/labels/code-columns.js';
export type { CountedWords, LearnedWords } from '../models/labels/dictionary-counts.js';
export type { MadeColumns } from '../models/labels/label-set.js';
export type { LayerColumns } from '../models/labels/layer-columns.js';
export type { PartColumns } from '../models/labels/part-columns.js';
export type { SeenTransitions } from '../models/labels/seen-transitions.js';
export type { CreateOptimizer } from '../models/learning/learner.js';
export type { FreshState, SeedMean, SeedOptions } from '../models/learning/seed-mean.js';
export type { TrainingHistory } from '../models/learning/training-history.js';
export type { JoinedPositions } from '../models/learning/waiting-records.js';
export type { ModelParts, ModelTokenizer } from '../models/model.js';
export type { HiddenStates, InformationSelection, UsedPlugin } from '../models/model-spec.js';
export type { TakenWeights } from '../models/start/add-weights.js';
export type { Mixing, OptimizerSizes } from '../optimizers/optimizer.js';
export type { Components } from '../pipeline/catalogue/components.js';
export type { Check as ModelCheck } from '../pipeline/definition/check-options.js';
export type { PipelineParts } from '../pipeline/definition/pipeline.js';
export type {
  ItemKind,
  StageComponent,
  StageFile,
} from '../pipeline/definition/stage-component.js';
export type { Path as ConfigPath } from '../pipeline/file/yaml-document.js';
export type { TrainerGroup } from '../pipeline/learners/learner-of.js';
export type { ChallengeOptions } from '../pipeline/options/challenge-options.js';
export type { ColumnsOptions } from '../pipeline/options/column-options.js';
export type { DeadLetterSection } from '../pipeline/options/dead-letter-options.js';
export type { DeployOptions } from '../pipeline/options/deploy-options.js';
export type { FeaturizeOptions, ModelFileChoice } from '../pipeline/options/feature-options.js';
export type { ModelChoice } from '../pipeline/options/model-option.js';
export type {
  Chosen as ChosenComponent,
  Named as NamedComponent,
} from '../pipeline/options/one-of.js';
export type { TagStageOptions } from '../pipeline/options/rule-options.js';
export type { SinkOptions } from '../pipeline/options/sink-options.js';
export type {
  AskOptions as AskStageOptions,
  BatchOptions as BatchStageOptions,
  CheckpointOptions as CheckpointStageOptions,
  EvaluateOptions as EvaluateStageOptions,
  JoinOptions as JoinStageOptions,
  ReplayOptions as ReplayStageOptions,
} from '../pipeline/options/stage-options.js';
export type {
  CodeRequest,
  GraphChoice,
  SegmentChoice,
  StructureChoice,
} from '../pipeline/options/structure-options.js';
export type { TokenizeStageOptions } from '../pipeline/options/tokenize-options.js';
export type { TrainOptions } from '../pipeline/options/train-options.js';
export type { NamedStage, PlanSections } from '../pipeline/plan/make-plan.js';
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
} from '../pipeline/plan/plan.js';
export type { DivergedFold } from '../pipeline/run/folds/cross-validate.js';
export type { DivergedSetting } from '../pipeline/run/folds/penalty-grid.js';
export type { RegistryChoice, WrittenModel } from '../pipeline/setup/run-options.js';
export type { ChosenSource, SourceComponent } from '../pipeline/sources/source-component.js';
export type {
  CoursePoint,
  QuantityName,
  RunMeasures,
  Values as MeasuredValues,
} from '../pipeline/study/measures/quantities.js';
export type { TestCounts } from '../pipeline/study/measures/test-counts.js';
export type { StudyFile } from '../pipeline/study/study-schema.js';
export type { BatchParts } from '../pipeline/trainers/batch-learner-of.js';
export type { ColumnRequest } from '../pipeline/training/train-request.js';
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
export type { Frozen, KnownMembers } from '../serve/schemas.js';
export type { DividedText } from '../text/divide-text.js';
export type {
  ColumnToken,
  LabelCodec,
  LabelCodecKind,
  ValuedToken,
} from '../text/labels/label-codec.js';
export type { TakeRange } from '../text/patterns/linear-pattern.js';
export type { TextPattern } from '../text/patterns/text-pattern.js';
export type {
  BundledTokenizer,
  StoredExpander,
  StoredTokenizer,
} from '../text/tokenizers/bundled-tokenizer.js';
export type { WordRules } from '../text/tokenizers/tokenizer.js';
export type { InductionOptions } from '../trainers/boosting/induction/feature-induction.js';
export type { ObjectiveOptions } from '../trainers/objective.js';
export type { PathOptions } from '../trainers/regularisation-path.js';
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
export type { PassOrder } from '../trainers/trainer-component.js';
export type { FreeParameters } from '../trainers/vectors/free-parameters.js';
export type { TrainingJob } from '../workers/thread-group.js';
