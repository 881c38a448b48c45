/** What a new pipeline has beyond the plain one; nothing of an absent key. */
export interface Recipe {
  /** Ends of spans and single tokens have labels of their own. */
  readonly encode?: 'bioes' | undefined;
  /** What words labelled in training say: `%seen`. */
  readonly seen?: boolean | undefined;
  /** What was before in the document: `%document`. */
  readonly document?: boolean | undefined;
  /** A file of word clusters, as it stands in the pipeline file. */
  readonly clusters?: string | undefined;
  /** The cost of the loss softmax-margin, which takes the place of log. */
  readonly cost?: number | undefined;
  /** The share of features that is left out of each training step. */
  readonly dropout?: number | undefined;
  /** The pipeline file of a first model, as it stands in this one. */
  readonly first?: string | undefined;
}

/** A change of the recipe that is tried. */
export interface Candidate {
  readonly name: string;
  readonly change: Recipe;
}
