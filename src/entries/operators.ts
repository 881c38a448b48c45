// The entry `tagstream/operators`: all operators, and the parts needed to write your own.

// operators

export type { DriftCounts, Standing } from '../core/run-status.js';
export type { ConfidenceOptions } from '../models/decoding/decode-options.js';
export type { ChampionChange, ContestOptions } from '../models/learning/contest.js';
export { Contest } from '../models/learning/contest.js';
export type {
  DriftAnswer,
  DriftDetectorChoice,
  DriftMonitorOptions,
  DriftSeries,
} from '../models/learning/drift-monitor.js';
export { DriftMonitor } from '../models/learning/drift-monitor.js';
export type { Question } from '../operators/ask.js';
export { ask } from '../operators/ask.js';
export type { AssembleOptions } from '../operators/assemble.js';
export { assemble } from '../operators/assemble.js';
export type { BatchOptions } from '../operators/batch.js';
export { batch } from '../operators/batch.js';
export { champion } from '../operators/champion.js';
export { characters } from '../operators/characters.js';
export type { CheckpointOptions } from '../operators/checkpoint.js';
export { checkpoint } from '../operators/checkpoint.js';
export type { ContributeOptions } from '../operators/contribute.js';
export { contribute } from '../operators/contribute.js';
export { detectDrift } from '../operators/detect-drift.js';
export type { EvaluateOptions } from '../operators/evaluate.js';
export { evaluate } from '../operators/evaluate.js';
export { evaluateProgressive } from '../operators/evaluate-progressive.js';
export { featurize } from '../operators/featurize.js';
export type { IterateOptions } from '../operators/iterate.js';
export { iterate } from '../operators/iterate.js';
export type { JoinOptions } from '../operators/join-labels.js';
export { joinLabels, rememberTags } from '../operators/join-labels.js';
export { learnUnlabelled } from '../operators/learn-unlabelled.js';
export type { MergeOrderedOptions } from '../operators/merge-ordered.js';
export { mergeOrdered } from '../operators/merge-ordered.js';
export { optimize } from '../operators/optimize.js';
export type { PassesOptions } from '../operators/passes.js';
export { passes } from '../operators/passes.js';
export { replaceable } from '../operators/replaceable.js';
export type { ReplayOptions } from '../operators/replay.js';
export { replay } from '../operators/replay.js';
export { segments } from '../operators/segments.js';
export type { TagOptions } from '../operators/tag.js';
export { tag } from '../operators/tag.js';
export type { TokenizeOptions } from '../operators/tokenize.js';
export { tokenize } from '../operators/tokenize.js';
export type { TrackedOptions } from '../operators/tracked.js';
export { tracked } from '../operators/tracked.js';

// deliveries and minibatches

export { shareDelivery } from '../core/delivery/delivery.js';
export { FlowLedger } from '../core/delivery/flow-ledger.js';
export { packMinibatch } from '../core/minibatch/pack-minibatch.js';

// types

export type { Delivery, Position } from '../core/delivery/delivery.js';
export type {
  AllowedLabels,
  EncodedSentence,
  LateRows,
  TokenLinks,
} from '../core/minibatch/encoded-sentence.js';
export type { Minibatch } from '../core/minibatch/minibatch.js';
export type {
  LabelCounts,
  QuestionCounts,
  SampledEstimates,
  SampleEstimate,
  ScoreInterval,
} from '../core/run-status.js';
export type {
  Column,
  Constraints,
  Document,
  Misaligned,
  Overlaps,
  Range,
  TextSpan,
  TokenConstraint,
} from '../core/sentence/document.js';
export type { PartialTag } from '../core/sentence/partial-tag.js';
export type {
  Alternative,
  LabelMarginals,
  PairMarginals,
  Sentence,
  Span,
  TaggedSentence,
} from '../core/sentence/sentence.js';
export type { TaggedDocument } from '../core/sentence/tagged-document.js';
export type { Contribution } from '../core/training/contribution.js';
export type { CheckpointParts, CheckpointStore, State, Stateful } from '../core/training/state.js';
export type {
  Evaluator,
  RankSummary,
  Scores,
  TrainingStep,
} from '../core/training/training-step.js';
export type { ProgressiveScores } from '../metrics/scores/progressive-scores.js';
export type { DecodeOptions } from '../models/decoding/decode-options.js';
export type { BatchLearner } from '../models/learning/batch-learner.js';
export type { Learner } from '../models/learning/learner.js';
export type {
  AskedUnit,
  ChosenTokens,
  QuestionOptions,
} from '../models/learning/question-budget.js';
export { QuestionBudget } from '../models/learning/question-budget.js';
export type { ReplayFrom, ReplayMemoryOptions } from '../models/learning/replay-memory.js';
export { ReplayMemory } from '../models/learning/replay-memory.js';
export type { WaitingOptions } from '../models/learning/waiting-records.js';
export { WaitingRecords } from '../models/learning/waiting-records.js';
export type { Model } from '../models/model.js';
export type { Deliverable } from '../operators/merge-ordered.js';
export type {
  BundledTokenizer,
  StoredExpander,
  StoredTokenizer,
} from '../text/tokenizers/bundled-tokenizer.js';
export type { DividedWords } from '../text/tokenizers/tokenizer.js';
