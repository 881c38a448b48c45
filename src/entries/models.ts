// The entry `tagstream/models`: models, their files, decoding, and descriptions of models.

// models

export { Random } from '../core/random.js';
export { createModel } from '../models/create-model.js';
export { Decoder } from '../models/decoding/decoder.js';
export { bundleModels } from '../models/files/bundle-models.js';
export { readModel, writeModel } from '../models/files/model-file.js';
export { explainSentence } from '../models/inspection/explain.js';
export { inspectModel } from '../models/inspection/inspect-model.js';
export { namedGradient } from '../models/inspection/named-gradient.js';
export { readInspected } from '../models/inspection/read-inspected.js';
export { kernels } from '../models/kernels.js';
export { LabelSet } from '../models/labels/label-set.js';
export { parseDictionary, TagDictionary } from '../models/labels/tag-dictionary.js';
export { Model } from '../models/model.js';
export { restoreModelState, saveModelState } from '../models/state/model-state.js';
export { Tagger } from '../models/tagger.js';

// types

export type { ScorerName } from '../core/scorer.js';
export type { Results, Sentence } from '../core/sentence/sentence.js';
export type { Contribution } from '../core/training/contribution.js';
export type { State } from '../core/training/state.js';
export type { TokenFunctions } from '../features/template/token-function.js';
export type { Kernel } from '../kernels/kernel.js';
export type {
  ConfidenceOptions,
  DecodeOptions,
  DecodingRules,
} from '../models/decoding/decode-options.js';
export type { Decoded, RankedLabels } from '../models/decoding/decoded.js';
export type { CountRule, OrderRule, SequenceRule } from '../models/decoding/sequence-rules.js';
export type { AppliedRule, RuleEffect, TagRule } from '../models/decoding/tag-rules.js';
export type { BundledModel, BundleOptions } from '../models/files/bundle-models.js';
export type { ModelNotes, TemplateSize, TrainingNote } from '../models/files/model-notes.js';
export type { GrowthLimit } from '../models/growth-limit.js';
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
  LayerSummary,
  ModelSummary,
  ObservedTransition,
  StrongFeature,
  TemplateSummary,
  TransitionSummary,
} from '../models/inspection/model-summary.js';
export type { NamedSlope } from '../models/inspection/named-gradient.js';
export type { InspectedModel } from '../models/inspection/read-inspected.js';
export type { KernelName } from '../models/kernels.js';
export type { DictionaryEntries } from '../models/labels/tag-dictionary.js';
export type { TransitionRules } from '../models/labels/transition-rules.js';
export type { Learner } from '../models/learning/learner.js';
export type { IndexSpec, ModelSpec } from '../models/model-spec.js';
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
