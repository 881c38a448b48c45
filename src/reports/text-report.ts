import { type Figure, figureText, percent } from '../engine/core/figures.js';
import type { RankSummary } from '../engine/core/training/training-step.js';
import { grouped, many } from '../engine/core/wording/numbers.js';
import type { EvaluationReport, ModelComparison } from '../engine/metrics/evaluation/evaluation.js';
import type { BootstrapDifference } from '../engine/metrics/evaluation/paired-bootstrap.js';
import type { MatchScores } from '../engine/metrics/scores/match-counts.js';
import { visible } from '../engine/text/visible.js';
import { points, pValueText, signed, textTable } from './figures.js';

/** Maximum number of confused tag pairs shown. */
const shownConfusions = 20;

/** Returns the figures of an evaluation as text tables, each with a heading and all terminated by a line end. */
export function textReport(report: EvaluationReport): string {
  const parts = [
    conllevalTable(report),
    tokenTable(report),
    confusionTable(report),
    calibrationLines(report),
    extraLines(report),
  ];
  return parts.filter(part => part !== '').join('\n');
}

/**
 * Returns optional lines after the scores: ranks of the gold tags, accuracy on unseen words, and a comparison with the
 * other model.
 */
export function extraLines({ rank, words, comparison, tokens }: EvaluationReport): string {
  let text = rank === undefined ? '' : rankLines(rank);
  if (words !== undefined) {
    const { unseen, seen } = words;
    const share = points(percent(unseen.tokens, tokens));
    text += `unseen words: accuracy ${points(unseen.accuracy)} % of ${grouped(unseen.tokens)} tokens (${share} % of all); seen words: ${points(seen.accuracy)} %\n`;
  }
  if (comparison !== undefined) text += comparisonLines(comparison);
  return text;
}

function tokenTable({ labels }: EvaluationReport): string {
  const rows = labels.map(row => [
    row.label,
    ...[row.gold, row.predicted, row.correct].map(String),
    ...[row.precision, row.recall, row.f1].map(share => points(share)),
  ]);
  return textTable([
    ['tokens by tag', 'gold', 'predicted', 'correct', 'precision', 'recall', 'F1'],
    ...rows,
  ]);
}

function confusionTable({ confusions, tokens, accuracy }: EvaluationReport): string {
  if (confusions.length === 0) return '';
  const shown = confusions.slice(0, shownConfusions);
  const wrong = accuracy === null ? 0 : Math.round(tokens * (1 - accuracy / 100));
  const rows = shown.map(({ gold, predicted, count }) => [
    `${gold} -> ${predicted}`,
    String(count),
    `${points(percent(count, wrong))} %`,
  ]);
  const left = confusions.length - shown.length;
  const rest = left > 0 ? `and ${grouped(left)} more pairs\n` : '';
  return `${textTable([['gold -> predicted', 'tokens', 'of errors'], ...rows])}${rest}`;
}

function calibrationLines({ calibration }: EvaluationReport): string {
  const line = (what: string, summary: NonNullable<EvaluationReport['calibration']>['tokens']) =>
    summary === undefined
      ? ''
      : `calibration of ${what}: expected error ${figureText(summary.expectedError, 4)}, largest of a bin ${figureText(summary.maximumError, 4)} (${summary.bins.length} bins of equal width, ${grouped(summary.count)} probabilities)\n`;
  return line('tokens', calibration?.tokens) + line('spans', calibration?.spans);
}

function rankLines({ limit, beyond, loss, within }: RankSummary): string {
  const atLeast = beyond === 0 ? '' : 'at least ';
  const left =
    beyond === 0
      ? ''
      : `; the gold tags of ${many(beyond, 'sentence')} are not among the best ${grouped(limit)}`;
  const shares = within.map(({ best, share }) => `${grouped(best)}: ${points(share)}`).join('  ');
  return `rank loss ${atLeast}${grouped(loss)} in all${left}\ngold tags among the N best, % of sentences: ${shares}\n`;
}

function comparisonLines({ against, accuracy, f1, resamples, ...rest }: ModelComparison): string {
  const line = (name: string, score: Figure, found: BootstrapDifference) => {
    const [low, high] = found.interval;
    return `${name} ${signed(found.difference)} against ${points(score)} of ${against}: 95 % interval ${signed(low)} to ${signed(high)}, ${pValueText(found.pValue)}\n`;
  };
  const { scores } = rest;
  const spans = f1 === undefined ? '' : line('F1', scores.f1 ?? null, f1);
  return `${line('accuracy', scores.accuracy, accuracy)}${spans}(paired bootstrap, ${grouped(resamples)} resamples, seed ${rest.seed})\n`;
}

/**
 * Returns the table that conlleval prints: phrases are spans, "found" counts predicted spans, FB1 is F1; the last number of
 * a type is its number of predicted spans. Empty for tags that mark no spans.
 *
 * @example
 * const evaluation = new Evaluation({ spanScheme: true });
 * evaluation.add({ tokens: ['a'], gold: ['B-X'], tags: ['B-X'] });
 * conllevalTable(evaluation.report()).split('\n')[0] // => 'processed 1 tokens with 1 phrases; found: 1 phrases; correct: 1.'
 */
export function conllevalTable({ tokens, accuracy, spans }: EvaluationReport): string {
  if (spans === undefined) return '';
  const { total, labels } = spans;
  const scores = (of: Pick<MatchScores, 'precision' | 'recall' | 'f1'>) =>
    `precision: ${padded(of.precision)}%; recall: ${padded(of.recall)}%; FB1: ${padded(of.f1)}`;
  const lines = [
    `processed ${tokens} tokens with ${total.gold} phrases; found: ${total.predicted} phrases; correct: ${total.correct}.`,
    `accuracy: ${padded(accuracy)}%; ${scores(total)}`,
    ...labels.map(row => `${visible(row.label).padStart(17)}: ${scores(row)}  ${row.predicted}`),
  ];
  return `${lines.join('\n')}\n`;
}

function padded(percentage: Figure): string {
  return points(percentage).padStart(6);
}
