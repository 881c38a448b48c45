import { grouped } from '../../engine/core/wording/numbers.js';
import { spreadOf } from '../../engine/metrics/evaluation/cross-validation.js';
import { textTable } from '../../reports/figures.js';
import { plotPicture } from '../../reports/study/plot-drawing.js';
import type { ShownPlot, ShownStudy } from '../../reports/study/shown-study.js';
import type { SimulationPoint, SimulationRun } from './simulate.js';

const whole = (value: number) => grouped(Math.round(value));
const share = (value: number, of: number) => `${((100 * value) / of).toFixed(0)} %`;

/**
 * Returns a table of strategies: the final score, and the tokens and corrections that each needs to
 * reach the final score of the first.
 *
 * @param measure `F1` or `accuracy`
 */
export function simulationText(summaries: readonly StrategySummary[], measure: string): string {
  return textTable([
    heads(summaries, measure),
    ...summaries.map(summary => cells(summary, summaries)),
  ]);
}

/**
 * Returns the same content as a page, with charts of the scores by examined tokens and by
 * corrections.
 */
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
      'A token counts as looked at when its label is requested. A correction is a stretch of tokens with a wrong proposal.',
    ],
  };
}

/** Draws the scores by examined tokens as a standalone SVG file. */
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

/** Result of a strategy over all seeds. */
interface StrategySummary {
  readonly strategy: string;
  readonly points: readonly SimulationPoint[];
  /** Mean score of the last models. */
  readonly last: number;
  /**
   * Tokens and corrections needed to reach the final score of the first strategy; undefined if it
   * is not reached.
   */
  readonly reaches?:
    | {
        readonly looked: number;
        readonly corrections: number;
        /**
         * Standard deviation of the tokens over the individual runs that reach that score;
         * undefined for fewer than two.
         */
        readonly deviation?: number | undefined;
      }
    | undefined;
}

/** Number of points at which scores are averaged. */
const steps = 40;

/**
 * Returns the strategies' mean curves, and the point where each reaches the final score of the
 * first.
 *
 * Runs of a strategy have points at different numbers of tokens, and are interpolated linearly. A
 * run that ended before others keeps its last value.
 */
export function summarizeSimulation(runs: readonly SimulationRun[]): StrategySummary[] {
  const names = [...new Set(runs.map(({ strategy }) => strategy))];
  const curves = names.map(strategy => {
    const own = runs.filter(run => run.strategy === strategy).map(({ points }) => points);
    return { strategy, own, points: meanCurve(strategy, own) };
  });
  const target = curves[0]!.points.at(-1)!.score;
  return curves.map(({ strategy, own, points }) => {
    const at = points.findIndex(({ score }) => score >= target);
    return {
      strategy,
      points,
      last: points.at(-1)!.score,
      ...(at < 0
        ? {}
        : { reaches: { ...crossing(points, at, target), deviation: deviation(own, target) } }),
    };
  });
}

function meanCurve(
  strategy: string,
  runs: readonly (readonly SimulationPoint[])[],
): SimulationPoint[] {
  const from = Math.max(...runs.map(points => points[0]!.looked));
  const to = Math.max(...runs.map(points => points.at(-1)!.looked));
  return Array.from({ length: steps + 1 }, (_, i) => {
    const looked = from * (to / from) ** (i / steps);
    const found = runs.map(points => at(points, looked));
    const mean = (of: (point: SimulationPoint) => number) =>
      found.reduce((sum, point) => sum + of(point), 0) / found.length;
    return { strategy, looked, corrections: mean(p => p.corrections), score: mean(p => p.score) };
  });
}

function deviation(
  runs: readonly (readonly SimulationPoint[])[],
  target: number,
): number | undefined {
  const places = runs.flatMap(points => {
    const at = points.findIndex(({ score }) => score >= target);
    return at < 0 ? [] : [crossing(points, at, target).looked];
  });
  return places.length < 2 ? undefined : spreadOf(places).deviation!;
}

/**
 * Returns the point where the curve first reaches a score, interpolated between two of its points.
 */
function crossing(points: readonly SimulationPoint[], i: number, target: number) {
  const after = points[i]!;
  const before = points[i - 1];
  if (before === undefined) return { looked: after.looked, corrections: after.corrections };
  const share = (target - before.score) / (after.score - before.score);
  return {
    looked: before.looked + share * (after.looked - before.looked),
    corrections: before.corrections + share * (after.corrections - before.corrections),
  };
}

/** Returns the interpolated point of a run at a number of tokens. */
function at(points: readonly SimulationPoint[], looked: number): SimulationPoint {
  const last = points.at(-1)!;
  if (looked > last.looked + 1e-9) return { ...last, looked };
  const i = Math.max(
    1,
    points.findIndex(point => point.looked >= looked - 1e-9),
  );
  const after = points[Math.min(i, points.length - 1)]!;
  const before = points[Math.min(i, points.length - 1) - 1] ?? after;
  const gap = after.looked - before.looked;
  const share = gap === 0 ? 0 : (looked - before.looked) / gap;
  const between = (of: (point: SimulationPoint) => number) =>
    of(before) + share * (of(after) - of(before));
  return {
    ...after,
    looked,
    corrections: between(p => p.corrections),
    score: between(p => p.score),
  };
}
