/** The probabilities of all labels at each of some tokens. */
export interface LabelMarginals {
  /** The tags that a model reports, each once, in the model's order. */
  readonly labels: readonly string[];
  /** `[tokens x labels]`: p(y_t = label | x); those of a token sum to 1. */
  readonly values: Float64Array;
}
