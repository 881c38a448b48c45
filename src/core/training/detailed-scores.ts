/** Details of recent scores, in percent; 0 if there is nothing to count. */
export interface DetailedScores {
  /** The 95 % interval of the accuracy. */
  readonly accuracy: readonly [low: number, high: number];
  /** The 95 % interval of F1, if tags mark spans. */
  readonly f1?: readonly [low: number, high: number];
  /** Accuracy of tokens whose word was not there before. */
  readonly unseen: { readonly tokens: number; readonly accuracy: number };
  /** Accuracy of taggers that learn next to nothing. */
  readonly baselines: Baselines;
  /** Scores of spans by type, or of tokens by tag, with the same weights. */
  readonly labels: readonly LabelOfLate[];
}

/** Accuracy of taggers that learn next to nothing. */
export interface Baselines {
  /** The tag that was most frequent until then. */
  readonly majority: number;
  /** The gold tag of the token before. */
  readonly last: number;
  /** The tag that the word had most often recently; for unseen words, the most frequent tag. */
  readonly word: number;
}

/** The scores of a label. */
export interface LabelOfLate {
  readonly label: string;
  readonly correct: number;
  readonly gold: number;
  readonly predicted: number;
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}
