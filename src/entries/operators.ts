// The entry `tagstream/operators`: all operators, and the parts needed to write your own.

// operators

export type { DriftCounts, Standing } from '../engine/core/run-status.js';
export type { ConfidenceOptions } from '../engine/models/decoding/decode-options.js';
export type { ChampionChange, ContestOptions } from '../engine/models/learning/contest.js';
export { Contest } from '../engine/models/learning/contest.js';
export type {
  DriftAnswer,
  DriftDetectorChoice,
  DriftMonitorOptions,
  DriftSeries,
} from '../engine/models/learning/drift-monitor.js';
export { DriftMonitor } from '../engine/models/learning/drift-monitor.js';
export type { Question } from '../engine/operators/ask.js';
export { ask } from '../engine/operators/ask.js';
export type { AssembleOptions } from '../engine/operators/assemble.js';
export { assemble } from '../engine/operators/assemble.js';
export type { BatchOptions } from '../engine/operators/batch.js';
export { batch } from '../engine/operators/batch.js';
export { champion } from '../engine/operators/champion.js';
export { characters } from '../engine/operators/characters.js';
export type { CheckpointOptions } from '../engine/operators/checkpoint.js';
export { checkpoint } from '../engine/operators/checkpoint.js';
export type { ContributeOptions } from '../engine/operators/contribute.js';
export { contribute } from '../engine/operators/contribute.js';
export { detectDrift } from '../engine/operators/detect-drift.js';
export type { EvaluateOptions } from '../engine/operators/evaluate.js';
export { evaluate } from '../engine/operators/evaluate.js';
export { evaluateProgressive } from '../engine/operators/evaluate-progressive.js';
export { featurize } from '../engine/operators/featurize.js';
export type { IterateOptions } from '../engine/operators/iterate.js';
export { iterate } from '../engine/operators/iterate.js';
export type { JoinOptions } from '../engine/operators/join-labels.js';
export { joinLabels, rememberTags } from '../engine/operators/join-labels.js';
export { learnUnlabelled } from '../engine/operators/learn-unlabelled.js';
export type { MergeOrderedOptions } from '../engine/operators/merge-ordered.js';
export { mergeOrdered } from '../engine/operators/merge-ordered.js';
export { optimize } from '../engine/operators/optimize.js';
export type { PassesOptions } from '../engine/operators/passes.js';
export { passes } from '../engine/operators/passes.js';
export { replaceable } from '../engine/operators/replaceable.js';
export type { ReplayOptions } from '../engine/operators/replay.js';
export { replay } from '../engine/operators/replay.js';
export { segments } from '../engine/operators/segments.js';
export type { TagOptions } from '../engine/operators/tag.js';
export { tag } from '../engine/operators/tag.js';
export type { TokenizeOptions } from '../engine/operators/tokenize.js';
export { tokenize } from '../engine/operators/tokenize.js';
export type { TrackedOptions } from '../engine/operators/tracked.js';
export { tracked } from '../engine/operators/tracked.js';

// deliveries and minibatches

export { shareDelivery } from '../engine/core/delivery/delivery.js';
export { FlowLedger } from '../engine/core/delivery/flow-ledger.js';
export { packMinibatch } from '../engine/core/minibatch/pack-minibatch.js';

// types

export type { Delivery, Position } from '../engine/core/delivery/delivery.js';
export type {
  AllowedLabels,
  EncodedSentence,
  LateRows,
  TokenLinks,
} from '../engine/core/minibatch/encoded-sentence.js';
export type { Minibatch } from '../engine/core/minibatch/minibatch.js';
export type {
  LabelCounts,
  QuestionCounts,
  SampledEstimates,
  SampleEstimate,
  ScoreInterval,
} from '../engine/core/run-status.js';
export type {
  Column,
  Constraints,
  Document,
  Misaligned,
  Overlaps,
  Range,
  TextSpan,
  TokenConstraint,
} from '../engine/core/sentence/document.js';
export type { PartialTag } from '../engine/core/sentence/partial-tag.js';
export type {
  Alternative,
  LabelMarginals,
  PairMarginals,
  Sentence,
  Span,
  TaggedSentence,
} from '../engine/core/sentence/sentence.js';
export type { TaggedDocument } from '../engine/core/sentence/tagged-document.js';
export type { Contribution } from '../engine/core/training/contribution.js';
export type {
  CheckpointParts,
  CheckpointStore,
  State,
  Stateful,
} from '../engine/core/training/state.js';
export type {
  Evaluator,
  RankSummary,
  Scores,
  TrainingStep,
} from '../engine/core/training/training-step.js';
export type { ProgressiveScores } from '../engine/metrics/scores/progressive-scores.js';
export type { DecodeOptions } from '../engine/models/decoding/decode-options.js';
export type { BatchLearner } from '../engine/models/learning/batch-learner.js';
export type { Learner } from '../engine/models/learning/learner.js';
export type {
  AskedUnit,
  ChosenTokens,
  QuestionOptions,
} from '../engine/models/learning/question-budget.js';
export { QuestionBudget } from '../engine/models/learning/question-budget.js';
export type { ReplayFrom, ReplayMemoryOptions } from '../engine/models/learning/replay-memory.js';
export { ReplayMemory } from '../engine/models/learning/replay-memory.js';
export type { WaitingOptions } from '../engine/models/learning/waiting-records.js';
export { WaitingRecords } from '../engine/models/learning/waiting-records.js';
export type { Model } from '../engine/models/model.js';
export type { Deliverable } from '../engine/operators/merge-ordered.js';
export type {
  BundledTokenizer,
  StoredExpander,
  StoredTokenizer,
} from '../engine/text/tokenizers/bundled-tokenizer.js';
export type { DividedWords } from '../engine/text/tokenizers/tokenizer.js';
