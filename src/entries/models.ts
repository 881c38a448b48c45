// The entry `tagstream/models`: models, their files, decoding, and descriptions of models.

// models

export { Random } from '../engine/core/random.js';
export { createModel } from '../engine/models/create-model.js';
export { Decoder } from '../engine/models/decoding/decoder.js';
export { bundleModels } from '../engine/models/files/bundle-models.js';
export { readModel, writeModel } from '../engine/models/files/model-file.js';
export { explainSentence } from '../engine/models/inspection/explain.js';
export { inspectModel } from '../engine/models/inspection/inspect-model.js';
export { namedGradient } from '../engine/models/inspection/named-gradient.js';
export { readInspected } from '../engine/models/inspection/read-inspected.js';
export { kernels } from '../engine/models/kernels.js';
export { LabelSet } from '../engine/models/labels/label-set.js';
export { parseDictionary, TagDictionary } from '../engine/models/labels/tag-dictionary.js';
export { Model } from '../engine/models/model.js';
export { restoreModelState, saveModelState } from '../engine/models/state/model-state.js';
export { Tagger } from '../engine/models/tagger.js';

// types

export type { ScorerName } from '../engine/core/scorer.js';
export type { Results, Sentence } from '../engine/core/sentence/sentence.js';
export type { Contribution } from '../engine/core/training/contribution.js';
export type { State } from '../engine/core/training/state.js';
export type { TokenFunctions } from '../engine/features/template/token-function.js';
export type { Kernel } from '../engine/kernels/kernel.js';
export type {
  ConfidenceOptions,
  DecodeOptions,
  DecodingRules,
} from '../engine/models/decoding/decode-options.js';
export type { Decoded, RankedLabels } from '../engine/models/decoding/decoded.js';
export type {
  CountRule,
  OrderRule,
  SequenceRule,
} from '../engine/models/decoding/sequence-rules.js';
export type { AppliedRule, RuleEffect, TagRule } from '../engine/models/decoding/tag-rules.js';
export type { BundledModel, BundleOptions } from '../engine/models/files/bundle-models.js';
export type { ModelNotes, TemplateSize, TrainingNote } from '../engine/models/files/model-notes.js';
export type { GrowthLimit } from '../engine/models/growth-limit.js';
export type {
  ContributionKind,
  ExplainOptions,
  ScoreContribution,
  TokenExplanation,
} from '../engine/models/inspection/explanation.js';
export type { InspectOptions } from '../engine/models/inspection/inspect-model.js';
export type {
  FoundFeature,
  LabelFeatures,
  LabelSummary,
  LayerSummary,
  ModelSummary,
  ObservedTransition,
  StrongFeature,
  TemplateSummary,
  TransitionSummary,
} from '../engine/models/inspection/model-summary.js';
export type { NamedSlope } from '../engine/models/inspection/named-gradient.js';
export type { InspectedModel } from '../engine/models/inspection/read-inspected.js';
export type { KernelName } from '../engine/models/kernels.js';
export type { DictionaryEntries } from '../engine/models/labels/tag-dictionary.js';
export type { TransitionRules } from '../engine/models/labels/transition-rules.js';
export type { Learner } from '../engine/models/learning/learner.js';
export type { IndexSpec, ModelSpec } from '../engine/models/model-spec.js';
export type { WeightSelection } from '../engine/models/selection/drop-small-weights.js';
export type {
  Analysis,
  AnalyzeOptions,
  FoundSpan,
  TaggedText,
  TaggerOptions,
  TaggerReadOptions,
  TaggerSentence,
  TagTextOptions,
} from '../engine/models/tagger.js';
