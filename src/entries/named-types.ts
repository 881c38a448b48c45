// Types that exported signatures name, for who wants to name them too. They are of the inside, and may change.
export type { Durations } from '../core/durations.js';
export type { Holding } from '../core/flow-ledger.js';
export type { CompactFeatures, FeaturePlaces, PlacedRows } from '../core/minibatch.js';
export type { PackedRows } from '../core/pack-rows.js';
export type { Precision, Reals } from '../core/reals.js';
export type { Registry } from '../core/registry.js';
export type { TableRole } from '../core/table-role.js';
export type { Ending, Iteration, PathPoint, Trainer } from '../core/trainer.js';
export type { Atom } from '../features/atom.js';
export type { ClusterWords } from '../features/clusters/cluster-corpus.js';
export type { LearnOptions } from '../features/clusters/learn-clusters.js';
export type { MergeLosses } from '../features/clusters/merge-losses.js';
export type { ContentTable } from '../features/content-table.js';
export type { ExtractionPlan, PlannedPiece, PlannedTemplate } from '../features/extraction-plan.js';
export type { FeatureExtractor, LocatedRows } from '../features/feature-extractor.js';
export type { FeatureIndex } from '../features/feature-index.js';
export type { FeatureKind } from '../features/feature-names.js';
export type { Fingerprint } from '../features/fingerprint.js';
export type { FingerprintList } from '../features/fingerprint-list.js';
export type { TokenLookup } from '../features/resources/token-lookup.js';
export type { RowList } from '../features/row-list.js';
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
export type { TextRecorder } from '../features/text-recorder.js';
export type { TransitionMask } from '../inference/mask-scores.js';
export type { RankedPath } from '../inference/n-best.js';
export type { CompactPlane } from '../kernels/compact/compact-plane.js';
export type { CompressedRows, SumsOfRows } from '../kernels/compact/compressed-rows.js';
export type { SupportedPairs } from '../kernels/compact/supported-pairs.js';
export type { Command as CrewCommand, CrewSignals } from '../kernels/crew/crew-signals.js';
export type { CorpusArray, CorpusPlaces } from '../kernels/crew/placed-corpus.js';
export type { StepPlaces } from '../kernels/crew/step-memory.js';
export type { Kernel, PenaltyState } from '../kernels/kernel.js';
export type { Lattice, ResultPlaces } from '../kernels/lattice.js';
export type { LinearMemory } from '../kernels/linear-memory.js';
export type { PairChains } from '../kernels/pair-chains.js';
export type { ParameterBirths } from '../kernels/parameter-births.js';
export type {
  ParameterCounts,
  ParameterLayout,
  ParameterStore,
  Reborn,
  VotingWeights,
} from '../kernels/parameter-store.js';
export type { Plane, PlanePlaces, TablePlace } from '../kernels/plane.js';
export type { RealTable } from '../kernels/real-table.js';
export type { SimdKernel } from '../kernels/simd/simd-kernel.js';
export type { StorePlaces } from '../kernels/store-places.js';
export type { Support } from '../kernels/support.js';
export type { LabelCosts } from '../losses/label-costs.js';
export type { SharedLoss } from '../losses/loss.js';
export type { ConfusionCell } from '../metrics/confusion.js';
export type { MatchCounts, MatchScores } from '../metrics/match-counts.js';
export type { CrewJob } from '../models/crew/crew.js';
export type { CountedWords, LearnedWords } from '../models/dictionary-counts.js';
export type { MostFeatures } from '../models/growth-limit.js';
export type { ListSummary } from '../models/inspection/model-summary.js';
export type { ModelParts } from '../models/model.js';
export type { UsedPlugin } from '../models/model-spec.js';
export type { SeenTransitions } from '../models/seen-transitions.js';
export type { WeightSelection } from '../models/selection/drop-small-weights.js';
export type { InformationSelection } from '../models/selection/information-selection.js';
export type { Deliverable } from '../operators/merge-ordered.js';
export type { AdagradOptions } from '../optimizers/adagrad.js';
export type { ArowOptions } from '../optimizers/arow.js';
export type { CountsOptions } from '../optimizers/counts.js';
export type { PassiveAggressiveOptions } from '../optimizers/passive-aggressive.js';
export type { PerceptronOptions } from '../optimizers/perceptron.js';
export type { SgdOptions } from '../optimizers/sgd.js';
export type { SgdL1Options } from '../optimizers/sgd-l1.js';
export type { VotedPerceptronOptions } from '../optimizers/voted-perceptron.js';
export type { BatchParts } from '../pipeline/trainers/batch-learner-of.js';
export type { TrainerCrew } from '../pipeline/trainers/learner-of.js';
export type { TakeRange } from '../text/patterns/take-range.js';
export type { TextPattern } from '../text/patterns/text-pattern.js';
export type { ConjugateGradientOptions } from '../trainers/conjugate-gradient.js';
export type { DescentOptions } from '../trainers/descent/descent-options.js';
export type { EgOptions } from '../trainers/eg.js';
export type { FreeParameters } from '../trainers/free-parameters.js';
export type { GisOptions } from '../trainers/gis.js';
export type { IisOptions } from '../trainers/iis.js';
export type { LbfgsOptions } from '../trainers/lbfgs.js';
export type { ObjectiveOptions } from '../trainers/objective.js';
export type { OnlineOptions } from '../trainers/online-passes.js';
export type { OwlQnOptions } from '../trainers/owl-qn.js';
export type { PathOptions } from '../trainers/regularisation-path.js';
export type { RpropOptions } from '../trainers/rprop.js';
export type { SequenceBoostingOptions } from '../trainers/sequence-boosting.js';
export type {
  ExchangePlaces,
  ObjectiveCrew,
  ObjectiveJob,
} from '../trainers/shards/objective-crew.js';
export type { SpacePlaces } from '../trainers/space/member-pieces.js';
export type { SparseTable } from '../trainers/space/sparse-table.js';
export type { SparseVector } from '../trainers/space/sparse-vector.js';
export type { Together, VectorSpace } from '../trainers/space/vector-space.js';
export type { SwitchOptions } from '../trainers/switched-trainer.js';
export type { PassOrder } from '../trainers/trainer-component.js';
