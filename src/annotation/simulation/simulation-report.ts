import { grouped } from '../../core/wording/grouped.js';
import { plotPicture } from '../../reports/study/plot-picture.js';
import type { ShownPlot, ShownStudy } from '../../reports/study/shown-study.js';
import { textTable } from '../../reports/text-table.js';
import type { StrategySummary } from './summarize-simulation.js';

const whole = (value: number) => grouped(Math.round(value));
const share = (value: number, of: number) => `${((100 * value) / of).toFixed(0)} %`;

/**
 * A table of strategies: the score at the end, and the tokens and corrections with which each reaches that of the first.
 *
 * @param measure `F1` or `accuracy`
 */
export function simulationText(summaries: readonly StrategySummary[], measure: string): string {
  return textTable([
    heads(summaries, measure),
    ...summaries.map(summary => cells(summary, summaries)),
  ]);
}

/** The same as a page, with drawings of the scores by tokens looked at and by corrections. */
export function simulationStudy(
  summaries: readonly StrategySummary[],
  {
    title,
    measure,
    runs,
  }: { readonly title: string; readonly measure: string; readonly runs: string },
): ShownStudy {
  const [, ...names] = heads(summaries, measure);
  return {
    ...{ name: 'simulation', title, runs },
    tables: [
      {
        title: 'Strategies',
        heads: names.map(name => ({ name, compared: false })),
        rows: summaries.map(summary => {
          const [name, ...values] = cells(summary, summaries);
          return { name: name!, cells: values.map(measured => ({ measured })) };
        }),
      },
    ],
    plots: [
      plotOf(summaries, measure, 'tokens looked at', point => point.looked),
      plotOf(summaries, measure, 'corrections', point => point.corrections),
    ],
    expectations: [],
    notes: [
      'A token is looked at when its label is asked. A correction is a stretch of tokens that was proposed wrong.',
    ],
  };
}

/** The scores by tokens looked at, as an SVG file of its own. */
export function simulationPicture(
  summaries: readonly StrategySummary[],
  { title, measure }: { readonly title: string; readonly measure: string },
): string {
  const plot = plotOf(summaries, measure, 'tokens looked at', point => point.looked);
  return plotPicture({ ...plot, title });
}

function plotOf(
  summaries: readonly StrategySummary[],
  measure: string,
  name: string,
  of: (point: StrategySummary['points'][number]) => number,
): ShownPlot {
  return {
    title: `${measure} by ${name}`,
    x: { title: name, digits: 0, log: true },
    y: { title: measure, digits: 1, log: false },
    lines: summaries.map(({ strategy, points }) => ({
      name: strategy,
      points: points.map(point => ({ name: strategy, x: Math.max(1, of(point)), y: point.score })),
    })),
  };
}

function heads(summaries: readonly StrategySummary[], measure: string): string[] {
  const [first] = summaries;
  const target = `${measure} ${first!.last.toFixed(1)}`;
  return [
    'strategy',
    `${measure} at the end`,
    `tokens to ${target}`,
    'share',
    'corrections',
    'share',
  ];
}

function cells(
  { strategy, last, reaches }: StrategySummary,
  all: readonly StrategySummary[],
): string[] {
  const { looked, corrections } = all[0]!.points.at(-1)!;
  const found =
    reaches === undefined
      ? ['-', '-', '-', '-']
      : [
          whole(reaches.looked),
          strategy === all[0]!.strategy
            ? share(reaches.looked, looked)
            : withDeviation(share(reaches.looked, looked), reaches.deviation, looked),
          ...[whole(reaches.corrections), share(reaches.corrections, corrections)],
        ];
  return [strategy, last.toFixed(1), ...found];
}

function withDeviation(shown: string, deviation: number | undefined, of: number): string {
  return deviation === undefined ? shown : shown.replace(' %', ` ± ${share(deviation, of)}`);
}
