import { type Figure, isDefined, meanOf } from '../../core/figures.js';
import type { Scores } from '../../core/training/training-step.js';
import type { Evaluation, EvaluationReport } from './evaluation.js';

/** Mean and sample standard deviation of a figure over the folds in which it is defined; null if undefined. */
export interface Spread {
  readonly mean: Figure;
  /** Null for a single value. */
  readonly deviation: Figure;
}

/** Figures whose spread over folds is reported. */
export type SpreadScore = 'accuracy' | 'precision' | 'recall' | 'f1' | 'tagF1';

/** F1 of one label over the folds that contain it, and F1 pooled over all folds. */
export interface LabelSpread extends Spread {
  readonly label: string;
  /** Number of folds in which it is a gold label. */
  readonly folds: number;
  readonly gold: number;
  /** F1 of the pooled counts. */
  readonly pooled: Figure;
}

/** The result of a cross-validation; plain data. */
export interface CrossValidation {
  readonly folds: readonly Scores[];
  /** Spread of each score. */
  readonly scores: Readonly<Partial<Record<SpreadScore, Spread>>>;
  /** Spans by label if the tags mark spans, otherwise tags. */
  readonly labels: readonly LabelSpread[];
  /**
   * All folds as one evaluation: each sentence is tagged by the model that was not trained on it.
   */
  readonly pooled: EvaluationReport;
}

const scoreNames = ['accuracy', 'precision', 'recall', 'f1', 'tagF1'] as const;

/**
 * Summarises the evaluations of the folds and their pooled evaluation.
 *
 * The deviation is that over the folds, `sqrt(sum (x - mean)^2 / (folds - 1))`. Folds share most of their training
 * data, so it underestimates the deviation of independent samples (Bengio and Grandvalet 2004).
 *
 * @example
 * const fold = tag => { const e = new Evaluation({ spanScheme: false }); e.add({ tokens: ['a'], gold: ['X'], tags: [tag] }); return e; };
 * const { accuracy } = crossValidation([fold('X'), fold('Y')], fold('X')).scores;
 * [accuracy.mean, Math.round(accuracy.deviation)] // => [50, 71]
 */
export function crossValidation(folds: readonly Evaluation[], pooled: Evaluation): CrossValidation {
  const reports = folds.map(fold => fold.report());
  const report = pooled.report();
  const scores = scoreNames.flatMap(name => {
    const values = folds.map(fold => fold.scores()[name]).filter(value => value !== undefined);
    return values.length === 0 ? [] : [[name, spreadOf(values)]];
  });
  const labels = labelsOf(report).map(({ label, gold, f1 }): LabelSpread => {
    const own = reports.flatMap(each => labelsOf(each).filter(row => row.label === label));
    const values = own.filter(row => row.gold > 0).map(row => row.f1);
    return { label, gold, folds: values.length, pooled: f1, ...spreadOf(values) };
  });
  return {
    folds: folds.map(fold => fold.scores()),
    scores: Object.fromEntries(scores) as CrossValidation['scores'],
    labels,
    pooled: report,
  };
}

function labelsOf({ spans, labels }: EvaluationReport): EvaluationReport['labels'] {
  return spans?.labels ?? labels;
}

/** Returns the mean and the sample standard deviation of the values that are defined. */
export function spreadOf(values: readonly Figure[]): Spread {
  const defined = values.filter(isDefined);
  const mean = meanOf(defined);
  if (mean === null || defined.length < 2) return { mean, deviation: null };
  const squares = defined.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt(squares / (defined.length - 1)) };
}
