/** Details of recent scores, in percent; 0 if there is nothing to count. */
export interface DetailedScores {
  /** Where the accuracy lies with a probability of 95 %. */
  readonly accuracy: readonly [low: number, high: number];
  /** The same of F1, where tags mark spans. */
  readonly f1?: readonly [low: number, high: number];
  /** Accuracy of tokens whose word was not there before. */
  readonly unseen: { readonly tokens: number; readonly accuracy: number };
  /** Accuracy of taggers that learn next to nothing. */
  readonly baselines: Baselines;
  /** Of spans by type, or of tokens by tag; weighted as all. */
  readonly labels: readonly LabelOfLate[];
}

/** Accuracy of taggers that learn next to nothing. */
export interface Baselines {
  /** The tag that was most frequent until then. */
  readonly majority: number;
  /** The gold tag of the token before. */
  readonly last: number;
  /** The tag that the word had most often of late; of unseen words the most frequent tag. */
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
