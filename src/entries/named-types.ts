// Types that exported signatures name, for who wants to name them too. They are of the inside, and may change.

export type { Holding } from '../core/delivery/flow-ledger.js';
export type { Durations } from '../core/durations.js';
export type { LayerPairs } from '../core/layer-pairs.js';
export type { TokenLinks } from '../core/minibatch/encoded-sentence.js';
export type { PackedRows } from '../core/minibatch/join-rows.js';
export type { CompactFeatures, FeaturePlaces, PlacedRows } from '../core/minibatch/minibatch.js';
export type { Precision, Reals } from '../core/reals.js';
export type { Registry } from '../core/registry.js';
export type { ContextColumns } from '../core/sentence/context-columns.js';
export type { Origin } from '../core/sentence/origin.js';
export type { TableRole } from '../core/table-role.js';
export type { Confidence, PrunedResiduals } from '../core/training/contribution.js';
export type { Refusal, SettingRefusal, TrainingSettings } from '../core/training/refusal.js';
export type { Ending, Iteration, PathPoint, Trainer } from '../core/training/trainer.js';
export type { ClusterWords } from '../features/clusters/cluster-corpus.js';
export type { LearnOptions } from '../features/clusters/learn-clusters.js';
export type { MergeLosses } from '../features/clusters/merge-losses.js';
export type { KnownWords } from '../features/context/known-words.js';
export type { Lexicon, StoredLexicon } from '../features/context/lexicon.js';
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
export type { Fingerprint } from '../features/fingerprints/fingerprint.js';
export type { FingerprintList } from '../features/fingerprints/fingerprint-list.js';
export type { TextRecorder } from '../features/fingerprints/text-recorder.js';
export type { FeatureIndex } from '../features/index/feature-index.js';
export type { RowList } from '../features/index/row-list.js';
export type { EncodedLinks, LinkEncoder } from '../features/links/link-encoder.js';
export type { GraphSpec, SameWordLinks } from '../features/links/link-spec.js';
export type { Link } from '../features/links/read-links.js';
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
export type { CompactPlane } from '../kernels/compact/compact-plane.js';
export type { FurtherScores } from '../kernels/further-scores.js';
export type { GraphLayout, GraphScores, GraphTally } from '../kernels/graph/graph-scores.js';
export type { Command as GroupCommand, GroupSignals } from '../kernels/group/group-signals.js';
export type { CorpusArray, CorpusNumbers, CorpusPlaces } from '../kernels/group/placed-corpus.js';
export type { StepPlaces } from '../kernels/group/step-memory.js';
export type { Kernel, PenaltyState } from '../kernels/kernel.js';
export type { Lattice, ResultPlaces } from '../kernels/lattice.js';
export type { LinearMemory } from '../kernels/memory/linear-memory.js';
export type { Plane, PlanePlaces, TablePlace } from '../kernels/memory/plane.js';
export type { RealTable } from '../kernels/memory/real-table.js';
export type { WasmMemory } from '../kernels/memory/wasm-memory.js';
export type { ListedLattice } from '../kernels/pairs/choose-listed.js';
export type { AddChain, PairLists } from '../kernels/pairs/pair-lists.js';
export type { Candidates, Pruning } from '../kernels/pruning/candidates.js';
export type { SegmentLayout, SegmentScores } from '../kernels/segments/segment-scores.js';
export type { BoundaryPairs, SegmentTables } from '../kernels/segments/segment-tables.js';
export type { SimdKernel } from '../kernels/simd/simd-kernel.js';
export type { CompressedRows, SumsOfRows } from '../kernels/store/compressed-rows.js';
export type { CreationTimes } from '../kernels/store/creation-times.js';
export type { CodeDecoder, OutputCodes } from '../kernels/store/output-codes.js';
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
export type { RegressionTree } from '../kernels/store/regression-tree.js';
export type { StatePairs } from '../kernels/store/state-pairs.js';
export type { StorePlaces } from '../kernels/store/store-places.js';
export type { Support } from '../kernels/store/support.js';
export type { SupportedPairs } from '../kernels/store/supported-pairs.js';
export type { Similarity } from '../kernels/vectors/similarity.js';
export type { LabelCosts } from '../losses/label-costs.js';
export type { SharedLoss } from '../losses/loss.js';
export type { BoundedExponential, BoundedLoss } from '../losses/residuals/bounded-exponential.js';
export type { ConfusionCell } from '../metrics/evaluation/confusion.js';
export type { MatchCounts, MatchScores } from '../metrics/scores/match-counts.js';
export type { TagPair } from '../metrics/scores/tagging-scores.js';
export type { TrainingNote } from '../models/files/model-notes.js';
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
export type { HiddenStates } from '../models/hidden-states.js';
export type { InformationSelection } from '../models/information-selection.js';
export type {
  ListSummary,
  SplitFeature,
  TreeStep,
  TreesSummary,
  VectorsSummary,
} from '../models/inspection/model-summary.js';
export type { CodeColumns, CodeSpec } from '../models/labels/code-columns.js';
export type { CodeChoice } from '../models/labels/code-words.js';
export type { CountedWords, LearnedWords } from '../models/labels/dictionary-counts.js';
export type { LayerColumns } from '../models/labels/layer-columns.js';
export type { SeenTransitions } from '../models/labels/seen-transitions.js';
export type { FreshState } from '../models/learning/fresh-state.js';
export type { SeedMean, SeedOptions } from '../models/learning/seed-mean.js';
export type { ModelParts } from '../models/model.js';
export type { UsedPlugin } from '../models/model-spec.js';
export type { WeightSelection } from '../models/selection/drop-small-weights.js';
export type { Deliverable } from '../operators/merge-ordered.js';
export type { AdagradOptions } from '../optimizers/adagrad.js';
export type { ArowOptions } from '../optimizers/arow.js';
export type { CountsOptions } from '../optimizers/counts.js';
export type { Mixing } from '../optimizers/optimizer.js';
export type { PassiveAggressiveOptions } from '../optimizers/passive-aggressive.js';
export type { PerceptronOptions } from '../optimizers/perceptron.js';
export type { SgdOptions } from '../optimizers/sgd.js';
export type { SgdL1Options } from '../optimizers/sgd-l1.js';
export type { StepwiseEmOptions } from '../optimizers/stepwise-em.js';
export type { VotedPerceptronOptions } from '../optimizers/voted-perceptron.js';
export type { TrainerGroup } from '../pipeline/learners/learner-of.js';
export type { CodeRequest } from '../pipeline/options/codes-option.js';
export type { BatchParts } from '../pipeline/trainers/batch-learner-of.js';
export type { DividedText } from '../text/divide-text.js';
export type { TakeRange } from '../text/patterns/take-range.js';
export type { TextPattern } from '../text/patterns/text-pattern.js';
export type { WordRules } from '../text/tokenizers/tokenizer.js';
export type { BatchPerceptronOptions } from '../trainers/batch-perceptron.js';
export type { InductionOptions } from '../trainers/boosting/induction/feature-induction.js';
export type { SequenceBoostingOptions } from '../trainers/boosting/sequence-boosting.js';
export type { TreeBoostingOptions } from '../trainers/boosting/trees/tree-boosting.js';
export type { ConjugateGradientOptions } from '../trainers/conjugate/conjugate-gradient.js';
export type { BlockOptions, DescentOptions } from '../trainers/descent/descent-options.js';
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
} from '../trainers/shards/objective-group.js';
export type { RemoteSums, ShardSums, SumsJob } from '../trainers/shards/shard-sums.js';
export type { SpacePlaces } from '../trainers/space/member-pieces.js';
export type { NarrowTable } from '../trainers/space/narrow-table.js';
export type { SmoothObjective } from '../trainers/space/smooth-objective.js';
export type { SparseTable } from '../trainers/space/sparse-table.js';
export type { SparseVector } from '../trainers/space/sparse-vector.js';
export type { Together, VectorSpace } from '../trainers/space/vector-space.js';
export type { OnlineOptions } from '../trainers/switching/online-passes.js';
export type { SwitchOptions } from '../trainers/switching/switched-trainer.js';
export type { PassOrder } from '../trainers/trainer-component.js';
export type { FreeParameters } from '../trainers/vectors/free-parameters.js';
