import type { Figure } from '../figures.js';

/** Details of recent scores, in percent; null if undefined, see `figureDefinitions`. */
export interface DetailedScores {
  /** 95 % interval of the accuracy. */
  readonly accuracy: readonly [low: Figure, high: Figure];
  /** 95 % interval of F1, if tags mark spans. */
  readonly f1?: readonly [low: Figure, high: Figure];
  /** Accuracy on tokens whose words had not occurred before. */
  readonly unseen: { readonly tokens: number; readonly accuracy: Figure };
  /** Accuracy of trivial taggers. */
  readonly baselines: Baselines;
  /** Scores of spans by type, or of tokens by tag, with the same weights for recent sentences. */
  readonly labels: readonly LabelOfLate[];
}

/** Accuracy of trivial taggers. */
export interface Baselines {
  /** Accuracy of predicting the most frequent tag so far. */
  readonly majority: Figure;
  /** Accuracy of predicting the gold tag of the previous token. */
  readonly last: Figure;
  /**
   * Accuracy of predicting the word's most frequent recent tag; for unseen words, the most frequent
   * tag overall.
   */
  readonly word: Figure;
}

/** The scores of a label. */
export interface LabelOfLate {
  readonly label: string;
  readonly correct: number;
  readonly gold: number;
  readonly predicted: number;
  readonly precision: Figure;
  readonly recall: Figure;
  readonly f1: Figure;
}
