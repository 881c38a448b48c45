import type { EvaluationReport } from '../metrics/evaluation/evaluation.js';
import { visible } from '../text/visible.js';

/**
 * Returns the table that conlleval prints: phrases are spans, "found" counts predicted spans, FB1 is F1; the last
 * number of a type is its number of predicted spans. Empty for tags that mark no spans.
 *
 * @example
 * const evaluation = new Evaluation({ spanScheme: true });
 * evaluation.add({ tokens: ['a'], gold: ['B-X'], tags: ['B-X'] });
 * conllevalTable(evaluation.report()).split('\n')[0] // => 'processed 1 tokens with 1 phrases; found: 1 phrases; correct: 1.'
 */
export function conllevalTable({ tokens, accuracy, spans }: EvaluationReport): string {
  if (spans === undefined) return '';
  const { total, labels } = spans;
  const scores = (of: { precision: number; recall: number; f1: number }) =>
    `precision: ${points(of.precision)}%; recall: ${points(of.recall)}%; FB1: ${points(of.f1)}`;
  const lines = [
    `processed ${tokens} tokens with ${total.gold} phrases; found: ${total.predicted} phrases; correct: ${total.correct}.`,
    `accuracy: ${points(accuracy)}%; ${scores(total)}`,
    ...labels.map(row => `${visible(row.label).padStart(17)}: ${scores(row)}  ${row.predicted}`),
  ];
  return `${lines.join('\n')}\n`;
}

function points(percentage: number): string {
  return percentage.toFixed(2).padStart(6);
}
