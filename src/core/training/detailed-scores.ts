/** Details of recent scores, in percent; 0 if there is nothing to count. */
export interface DetailedScores {
  /** 95 % interval of the accuracy. */
  readonly accuracy: readonly [low: number, high: number];
  /** 95 % interval of F1, if tags mark spans. */
  readonly f1?: readonly [low: number, high: number];
  /** Accuracy on tokens whose words had not occurred before. */
  readonly unseen: { readonly tokens: number; readonly accuracy: number };
  /** Accuracy of trivial taggers. */
  readonly baselines: Baselines;
  /** Scores of spans by type, or of tokens by tag, with the same weights for recent sentences. */
  readonly labels: readonly LabelOfLate[];
}

/** Accuracy of trivial taggers. */
export interface Baselines {
  /** Accuracy of predicting the most frequent tag so far. */
  readonly majority: number;
  /** Accuracy of predicting the gold tag of the previous token. */
  readonly last: number;
  /**
   * Accuracy of predicting the word's most frequent recent tag; for unseen words, the most frequent
   * tag overall.
   */
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
