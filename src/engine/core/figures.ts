/** The value of a figure; null if it is undefined, such as a share of nothing. JSON has null too. */
export type Figure = number | null;

/** What a figure is, in all places that print or return it. */
export interface FigureDefinition {
  readonly unit: '%' | '0 to 1' | '-1 to 1' | 'points' | 'sequences' | 'nats per token' | 'nats';
  readonly definition: string;
  /** When it is undefined: null in JSON and in code, `-` in text and on pages, absent from metrics. */
  readonly undefinedIf: string;
}

/**
 * The figures that reports, pages, metrics and functions give, by name. An undefined figure enters no mean, no comparison
 * and no decision.
 */
export const figureDefinitions = {
  accuracy: {
    unit: '%',
    definition: 'correct tags / scored tokens',
    undefinedIf: 'no token is scored',
  },
  precision: {
    unit: '%',
    definition: 'correct spans / predicted spans; of a tag: correct / predicted tokens',
    undefinedIf: 'nothing is predicted',
  },
  recall: {
    unit: '%',
    definition: 'correct spans / gold spans; of a tag: correct / gold tokens',
    undefinedIf: 'there is nothing to find',
  },
  f1: {
    unit: '%',
    definition: '2 * correct / (gold + predicted), the harmonic mean of precision and recall',
    undefinedIf: 'there is nothing to find, and nothing is predicted',
  },
  tagF1: {
    unit: '%',
    definition: 'F1 of single tags other than `O`',
    undefinedIf: 'all gold and predicted tags are `O`',
  },
  unseen: {
    unit: '%',
    definition: 'accuracy on the words that do not occur in the training data',
    undefinedIf: 'all words occur there',
  },
  seen: {
    unit: '%',
    definition: 'accuracy on the words of the training data',
    undefinedIf: 'no word occurs there',
  },
  interval: {
    unit: '%',
    definition: 'ends of the 95 % interval of accuracy or F1',
    undefinedIf: 'the score is',
  },
  baseline: {
    unit: '%',
    definition:
      'accuracy of the most frequent tag, of the previous tag, or of the usual tag of the word',
    undefinedIf: 'no token is scored',
  },
  difference: {
    unit: 'points',
    definition: 'score of the first tagger minus that of the second, with its interval and p-value',
    undefinedIf: 'one of the two scores is',
  },
  rankLoss: {
    unit: 'sequences',
    definition: 'mean number of sequences that score higher than the gold tags, a sentence',
    undefinedIf: 'no sentence is scored',
  },
  confidence: {
    unit: '0 to 1',
    definition:
      'mean probability of the predictions of a bin; its accuracy: the share that is correct',
    undefinedIf: 'the bin is empty',
  },
  calibrationError: {
    unit: '0 to 1',
    definition:
      'mean (expected) or largest (maximum) gap between accuracy and confidence of the bins',
    undefinedIf: 'there is no prediction',
  },
  spread: {
    unit: '%',
    definition: 'mean and sample deviation of a score over the folds in which it is defined',
    undefinedIf: 'it is in none',
  },
  kappa: {
    unit: '-1 to 1',
    definition: '(observed - chance) / (1 - chance), the agreement of annotators beyond chance',
    undefinedIf: 'chance alone gives full agreement, as with a single label',
  },
  agreement: {
    unit: '%',
    definition: 'mean F1 of the spans over pairs of annotators',
    undefinedIf: 'no pair has marked a span',
  },
  loss: {
    unit: 'nats per token',
    definition: 'sum of the losses of the sentences, without penalties / their tokens',
    undefinedIf: 'no token is labelled; the loss of a training step is then 0',
  },
  objective: {
    unit: 'nats',
    definition: 'sum of the losses of the corpus + l1 * sum |w| + l2 * sum w^2',
    undefinedIf: 'the optimizer does not declare its penalties',
  },
} as const satisfies Readonly<Record<string, FigureDefinition>>;

/**
 * Returns `100 * part / whole`; null if `whole` is 0.
 *
 * @example
 * percent(1, 4) // => 25
 * percent(0, 0) // => null
 */
export function percent(part: number, whole: number): Figure {
  return whole > 0 ? (100 * part) / whole : null;
}

/**
 * Returns `part / whole`; null if `whole` is 0.
 *
 * @example
 * ratio(1, 4) // => 0.25
 */
export function ratio(part: number, whole: number): Figure {
  return whole > 0 ? part / whole : null;
}

/**
 * Returns the mean of the figures that are defined; null if none is.
 *
 * @example
 * meanOf([50, null, 100]) // => 75
 */
export function meanOf(figures: readonly Figure[]): Figure {
  const defined = figures.filter(isDefined);
  return ratio(
    defined.reduce((sum, value) => sum + value, 0),
    defined.length,
  );
}

/** Returns whether a figure has a value. */
export function isDefined(figure: Figure | undefined): figure is number {
  return typeof figure === 'number' && !Number.isNaN(figure);
}

/**
 * Formats a figure with a fixed number of decimals; `-` if it is undefined.
 *
 * @example
 * [figureText(88.888), figureText(null)] // => ['88.89', '-']
 */
export function figureText(figure: Figure | undefined, digits = 2): string {
  return isDefined(figure) ? figure.toFixed(digits) : '-';
}
