import { type Figure, figureText } from '../../engine/core/figures.js';
import type { SampledEstimates, ScoreInterval } from '../../engine/core/run-status.js';
import type { DetailedScores } from '../../engine/core/training/detailed-scores.js';
import type { Scores } from '../../engine/core/training/training-step.js';
import { grouped, many } from '../../engine/core/wording/numbers.js';

/**
 * Formats scores in one line, with the numbers of scored and skipped sentences.
 *
 * @example
 * formatScores({ sentences: 2, tokens: 9, accuracy: 88.888 }) // => 'accuracy 88.89 % of 2 sentences'
 * formatScores({ sentences: 0, tokens: 0, accuracy: null, skipped: 3 }) // => 'no sentence can be scored, 3 skipped that are not fully labelled'
 */
export function formatScores(scores: Scores): string {
  const { sentences } = scores;
  const skipped = formatSkipped(scores);
  if (sentences === 0) return `no sentence can be scored${skipped}`;
  const count = many(sentences, 'sentence');
  return `${formatFigures(scores)} of ${count}${skipped}`;
}

/**
 * Formats the figures of scores in one line, without the number of sentences.
 *
 * @example
 * formatFigures({ sentences: 2, tokens: 9, accuracy: 88.888 }) // => 'accuracy 88.89 %'
 * formatFigures({ sentences: 2, tokens: 9, accuracy: 100, precision: null, recall: null, f1: null }) // => 'F1 - (precision -, recall -), accuracy 100.00 %'
 */
export function formatFigures(scores: Scores): string {
  const { rank } = scores;
  const mean = rank === undefined ? '' : `, rank loss ${figureText(rank.mean, 3)} a sentence`;
  const accuracy = `accuracy ${percentage(scores.accuracy)}${mean}`;
  if (scores.f1 === undefined) return accuracy;
  const parts = `precision ${figureText(scores.precision)}, recall ${figureText(scores.recall)}`;
  return `F1 ${figureText(scores.f1)} (${parts}), ${accuracy}`;
}

/** Returns a percentage with its sign, which an undefined one does not have. */
function percentage(figure: Figure): string {
  return figure === null ? figureText(figure) : `${figureText(figure)} %`;
}

/**
 * Formats the number of skipped sentences as the end of a line; empty if there are none.
 *
 * @example
 * formatSkipped({ sentences: 1, tokens: 4, accuracy: 100, skipped: 19 }) // => ', 19 skipped that are not fully labelled'
 */
export function formatSkipped({ skipped = 0 }: Scores): string {
  if (skipped === 0) return '';
  return `, ${grouped(skipped)} skipped that ${skipped === 1 ? 'is' : 'are'} not fully labelled`;
}

/**
 * Formats details of recent scores as the end of a line: their interval, unseen words, and the baseline by word.
 *
 * @example
 * const baselines = { majority: 20, last: 30, word: 80 };
 * const unseen = { tokens: 5, accuracy: 60 };
 * formatDetails({ accuracy: [89, 91], unseen, baselines, labels: [] }) // => 'accuracy 89.00-91.00 %, 60.00 % of unseen words; usual tag of the word 80.00 %'
 */
export function formatDetails({ accuracy, f1, unseen, baselines }: DetailedScores): string {
  const between = ([low, high]: readonly [Figure, Figure]) =>
    low === null ? figureText(low) : `${figureText(low)}-${figureText(high)}`;
  const spans = f1 === undefined ? '' : `F1 ${between(f1)}, `;
  const ofUnseen = unseen.tokens > 0 ? `, ${figureText(unseen.accuracy)} % of unseen words` : '';
  return `${spans}accuracy ${between(accuracy)}${accuracy[0] === null ? '' : ' %'}${ofUnseen}; usual tag of the word ${percentage(baselines.word)}`;
}

/**
 * Formats the scores estimated from randomly drawn records, with their 95 % intervals.
 *
 * @example
 * const all = { records: 50, tokens: 900, accuracy: { score: 93.2, low: 91, high: 95 } };
 * formatEstimates({ all, recent: all }) // => 'accuracy 93.20 % (91.00-95.00), recently 93.20 % (91.00-95.00)'
 */
export function formatEstimates({ all, recent }: SampledEstimates): string {
  const figures = ({ score, low, high }: ScoreInterval) =>
    score === null
      ? figureText(score)
      : `${percentage(score)} (${figureText(low)}-${figureText(high)})`;
  const named = [
    ['F1', all.f1, recent.f1] as const,
    ['accuracy', all.accuracy, recent.accuracy] as const,
  ];
  return named
    .flatMap(([name, ever, late]) =>
      ever && late ? [`${name} ${figures(ever)}, recently ${figures(late)}`] : [],
    )
    .join('; ');
}
