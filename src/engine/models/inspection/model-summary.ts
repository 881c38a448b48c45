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
  /** Numbers of nonzero plain transitions, out of the label and into it. */
  readonly out: number;
  readonly in: number;
}

/** The weight of a plain transition. */
export interface TransitionSummary {
  readonly from: string;
  readonly to: string;
  readonly weight: number;
}

/** The weight of a label pair for an active edge feature. */
export interface ObservedTransition extends TransitionSummary {
  /** Feature name; absent if unknown. */
  readonly name?: string;
  /** Feature's row among the edge features, not counting the plain transitions. */
  readonly row: number;
}

/** A template with its feature counts, which are absent if features were not counted. */
export interface TemplateSummary {
  readonly template: string;
  readonly kind: FeatureKind;
  /** Number of features seen in training, and of those with a weight. */
  readonly met?: number;
  readonly kept?: number;
  /** Number of nonzero weights. */
  readonly weights?: number;
  /** Share of zeros among the weights of all features seen. */
  readonly zeros?: number;
}

/** A feature of a label. */
export interface StrongFeature {
  /** Feature name; absent if unknown. */
  readonly name?: string;
  /** Feature's row in the model. */
  readonly row: number;
  readonly weight: number;
}

/** The features with a label's largest weights. */
export interface LabelFeatures {
  readonly label: string;
  readonly features: readonly StrongFeature[];
}

/** A feature found by name: its weights by label, largest first. */
export interface FoundFeature {
  readonly name: string;
  readonly kind: FeatureKind;
  readonly weights: readonly { readonly label: string; readonly weight: number }[];
}

/** A feature that trees split on. */
export interface SplitFeature {
  /** Feature name; absent if unknown. */
  readonly name?: string;
  /** Feature's row in the model. */
  readonly row: number;
  /** Number of splits on the feature, and their total gain. */
  readonly splits: number;
  readonly gain: number;
}

/** A line of a tree's drawing: a split, or a leaf with its values, largest first. */
export interface TreeStep {
  /** Number of splits above it. */
  readonly depth: number;
  /** Whether the branch is for tokens with or without the feature of the split above. */
  readonly has?: boolean;
  readonly feature?: { readonly name?: string; readonly row: number };
  readonly values?: readonly { readonly label: string; readonly value: number }[];
}

/** The regression trees of a model. */
export interface TreesSummary {
  readonly trees: number;
  readonly leaves: number;
  /** Number of nonzero leaf values. */
  readonly values: number;
  /** Number of features on which the trees split. */
  readonly features: number;
  /** Features whose splits gained most. */
  readonly splits: readonly SplitFeature[];
  /** The first tree, in preorder. */
  readonly first: readonly TreeStep[];
}

/** The support vectors of a model. */
export interface VectorsSummary {
  readonly tokens: number;
  /** Number of label weights of all support tokens. */
  readonly weights: number;
  /** Kernel function that compares tokens with the support vectors. */
  readonly similarity: Similarity;
}

/** A list in which templates look up words. */
export interface ListSummary {
  readonly name: string;
  readonly kind: 'gazetteer' | 'clusters' | 'vectors';
  /** Number of entries in a gazetteer, of clusters in a hierarchy, or of words with vectors. */
  readonly size: number;
}

/** An additional tagger in a model file, whose results form a column. */
export interface LayerSummary {
  readonly column: string;
  /** Codec from labels to values; `plain` if labels are the values. */
  readonly as: string;
  /** Column that the codec reads in addition to the form. */
  readonly by?: string;
  readonly model: ModelSummary;
}

/** The summary of a model. */
export interface ModelSummary {
  readonly scheme: TagScheme;
  readonly labels: readonly LabelSummary[];
  readonly sizes: {
    readonly bytes: number;
    /** Number of state features with a weight. */
    readonly stateFeatures: number;
    readonly edgeFeatures: number;
    /** Number of features with a known name. */
    readonly named: number;
    /** Number of nonzero weights of state features. */
    readonly stateWeights: number;
    readonly edgeWeights: number;
    readonly transitionWeights: number;
    readonly trainingSentences: number | null;
  };
  /** Share of zeros among the weights of the model's features, and among the plain transitions. */
  readonly zeros: { readonly features: number; readonly transitions: number };
  readonly templates: readonly TemplateSummary[];
  /** Whether the model has plain transitions. */
  readonly hasTransitions: boolean;
  /** Nonzero plain transitions, strongest first. */
  readonly transitions: readonly TransitionSummary[];
  /** Largest weights of edge features, strongest first, if the model has any. */
  readonly observedTransitions?: readonly ObservedTransition[];
  readonly features: readonly LabelFeatures[];
  /** Present if features were requested by name. */
  readonly found?: readonly FoundFeature[];
  readonly history: readonly PassRecord[];
  /** Lists that are part of the model, by name. */
  readonly lists: readonly ListSummary[];
  /** Learned tag dictionary, if there is one. */
  readonly dictionary?: { readonly words: number; readonly minCount: number };
  /** Model file of the first model within this one, if any. */
  readonly first?: { readonly bytes: number };
  /** Taggers of additional columns in order, if there are any. */
  readonly layers?: readonly LayerSummary[];
  /**
   * Number of votes of each voter, if weights vote; everything else refers to the voters' average.
   */
  readonly voters?: readonly number[];
  /** Trees, if the model has any; the weights above do not include them. */
  readonly trees?: TreesSummary;
  /** Support vectors, if the model has any. */
  readonly vectors?: VectorsSummary;
  /** Specification of the model, without the contents of its lists. */
  readonly spec: Omit<ModelSpec, 'resources'>;
}
