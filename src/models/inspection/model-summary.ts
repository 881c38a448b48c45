import type { FeatureKind } from '../../features/extraction/feature-names.js';
import type { Similarity } from '../../kernels/vectors/support-vectors.js';
import type { TagScheme } from '../../text/tags/tag-scheme.js';
import type { PassRecord } from '../learning/training-history.js';
import type { ModelSpec } from '../model-spec.js';

/** A label and the number of its weights. */
export interface LabelSummary {
  readonly label: string;
  /** Number of nonzero feature weights. */
  readonly weights: number;
  /** The same for plain transitions out of it and into it. */
  readonly out: number;
  readonly in: number;
}

/** The weight of a plain transition. */
export interface TransitionSummary {
  readonly from: string;
  readonly to: string;
  readonly weight: number;
}

/** The weight of a pair of labels at an active edge feature. */
export interface ObservedTransition extends TransitionSummary {
  /** Name of the feature; absent if unknown. */
  readonly name?: string;
  /** Its row among the edge features, without the plain transitions. */
  readonly row: number;
}

/** A template with the counts of its features; absent if they were not counted. */
export interface TemplateSummary {
  readonly template: string;
  readonly kind: FeatureKind;
  /** Features seen in training, and those of them with a weight. */
  readonly met?: number;
  readonly kept?: number;
  /** Weights that are not zero. */
  readonly weights?: number;
  /** Share of zeros among the weights of all features seen. */
  readonly zeros?: number;
}

/** A feature of a label. */
export interface StrongFeature {
  /** Its name; absent if unknown. */
  readonly name?: string;
  /** Its row in the model. */
  readonly row: number;
  readonly weight: number;
}

/** The features with the largest weights of a label. */
export interface LabelFeatures {
  readonly label: string;
  readonly features: readonly StrongFeature[];
}

/** A feature found by name: its weights by label, the largest first. */
export interface FoundFeature {
  readonly name: string;
  readonly kind: FeatureKind;
  readonly weights: readonly { readonly label: string; readonly weight: number }[];
}

/** A feature that trees split on. */
export interface SplitFeature {
  /** Its name; absent if unknown. */
  readonly name?: string;
  /** Its row in the model. */
  readonly row: number;
  /** Number of splits on it, and their total gain. */
  readonly splits: number;
  readonly gain: number;
}

/** A line of the drawing of a tree: a split, or a leaf with its values, the largest first. */
export interface TreeStep {
  /** Splits above it. */
  readonly depth: number;
  /** Whether it is the branch for tokens with the feature of the split above, or without it. */
  readonly has?: boolean;
  readonly feature?: { readonly name?: string; readonly row: number };
  readonly values?: readonly { readonly label: string; readonly value: number }[];
}

/** The regression trees of a model. */
export interface TreesSummary {
  readonly trees: number;
  readonly leaves: number;
  /** Values of all leaves that are not zero. */
  readonly values: number;
  /** Features that they split on. */
  readonly features: number;
  /** Those whose splits gained most. */
  readonly splits: readonly SplitFeature[];
  /** The first tree, in preorder. */
  readonly first: readonly TreeStep[];
}

/** The support vectors of a model. */
export interface VectorsSummary {
  readonly tokens: number;
  /** Weights of labels of all tokens. */
  readonly weights: number;
  /** The kernel function that compares tokens with them. */
  readonly similarity: Similarity;
}

/** A list that templates look words up in. */
export interface ListSummary {
  readonly name: string;
  readonly kind: 'gazetteer' | 'clusters' | 'vectors';
  /** Entries of a gazetteer, clusters of a hierarchy, words that have vectors. */
  readonly size: number;
}

/** An additional tagger of a model file, whose results form a column. */
export interface LayerSummary {
  readonly column: string;
  /** The codec from labels to values; `plain` if labels are the values. */
  readonly as: string;
  /** The column that the codec sees in addition to the form. */
  readonly by?: string;
  readonly model: ModelSummary;
}

/** The summary of a model. */
export interface ModelSummary {
  readonly scheme: TagScheme;
  readonly labels: readonly LabelSummary[];
  readonly sizes: {
    readonly bytes: number;
    /** Features that have a weight. */
    readonly stateFeatures: number;
    readonly edgeFeatures: number;
    /** Features with a known name. */
    readonly named: number;
    /** Weights that are not zero. */
    readonly stateWeights: number;
    readonly edgeWeights: number;
    readonly transitionWeights: number;
    readonly trainingSentences: number | null;
  };
  /** Share of zeros among the weights of the model's features, and among plain transitions. */
  readonly zeros: { readonly features: number; readonly transitions: number };
  readonly templates: readonly TemplateSummary[];
  /** Whether there are plain transitions at all. */
  readonly hasTransitions: boolean;
  /** The non-zero ones, the strongest first. */
  readonly transitions: readonly TransitionSummary[];
  /** The largest weights of edge features, the strongest first, if the model has any. */
  readonly observedTransitions?: readonly ObservedTransition[];
  readonly features: readonly LabelFeatures[];
  /** Present if features were requested by name. */
  readonly found?: readonly FoundFeature[];
  readonly history: readonly PassRecord[];
  /** Lists that are part of the model, by name. */
  readonly lists: readonly ListSummary[];
  /** The learned tag dictionary, if there is one. */
  readonly dictionary?: { readonly words: number; readonly minCount: number };
  /** The model file of the first model that it contains, if any. */
  readonly first?: { readonly bytes: number };
  /** The taggers of additional columns in order, if there are any. */
  readonly layers?: readonly LayerSummary[];
  /** The votes of each voter, if weights vote; everything else refers to their average. */
  readonly voters?: readonly number[];
  /** Its trees, if it has any; the weights above do not include them. */
  readonly trees?: TreesSummary;
  /** Its support vectors, if it has any. */
  readonly vectors?: VectorsSummary;
  /** The specification of the model, without the contents of its lists. */
  readonly spec: Omit<ModelSpec, 'resources'>;
}
