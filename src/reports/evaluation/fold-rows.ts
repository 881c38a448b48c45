import { grouped } from '../../core/wording/grouped.js';
import type { CrossValidation, SpreadScore } from '../../metrics/evaluation/cross-validation.js';
import { points } from '../figures.js';

const columns: readonly (readonly [SpreadScore, string])[] = [
  ['f1', 'F1'],
  ['precision', 'precision'],
  ['recall', 'recall'],
  ['accuracy', 'accuracy'],
];

/** The scores of each fold, their mean and deviation, and those of all folds together, as rows of text below their heads. */
export function foldRows({ folds, scores, pooled }: CrossValidation): string[][] {
  const shown = columns.filter(([score]) => scores[score] !== undefined);
  const cells = (values: (score: SpreadScore) => number | undefined) =>
    shown.map(([score]) => points(values(score) ?? 0));
  const counts = ({ sentences, skipped = 0 }: CrossValidation['folds'][number]) =>
    [sentences, skipped].map(grouped);
  return [
    ['fold', 'sentences', 'skipped', ...shown.map(([, name]) => name)],
    ...folds.map((fold, i) => [String(i + 1), ...counts(fold), ...cells(score => fold[score])]),
    ['mean', '', '', ...cells(score => scores[score]!.mean)],
    ['deviation', '', '', ...cells(score => scores[score]!.deviation)],
    ['pooled', ...counts(pooled), ...cells(score => pooled[score])],
  ];
}

/** F1 of each label over the folds, as rows of text below their heads. */
export function labelRows({ labels }: CrossValidation): string[][] {
  return [
    ['label', 'gold', 'folds', 'mean F1', 'deviation', 'pooled F1'],
    ...labels.map(({ label, gold, folds, mean, deviation, pooled }) => [
      ...[label, grouped(gold), String(folds)],
      ...[mean, deviation, pooled].map(points),
    ]),
  ];
}
