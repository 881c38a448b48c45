import type { ShownAxis, ShownLine, ShownPlot } from '../../../reports/study/shown-study.js';
import { type QuantityName, quantityOf } from '../measures/quantities.js';
import type { PlotOptions } from '../shown-schema.js';
import { type Study, variantName } from '../study.js';
import { measureOf, type StudyResults } from '../study-results.js';

/** The drawings of a study; points that have no value, or none on a logarithmic axis, are left out. */
export function studyPlots(study: Study, results: StudyResults): ShownPlot[] {
  return (study.options.plots ?? []).map(plot => {
    const lines = plot.course ? courses(plot, study, results) : finals(plot, study, results);
    const shown = lines
      .map(({ name, points }) => ({ name, points: points.filter(point => isShown(point, plot)) }))
      .filter(({ points }) => points.length > 0);
    return { title: plot.title, x: axisOf(plot, 'x'), y: axisOf(plot, 'y'), lines: shown };
  });
}

function axisOf(plot: PlotOptions, axis: 'x' | 'y'): ShownAxis {
  const { title, digits } = quantityOf(plot[axis]);
  return { title, digits, log: plot.log.includes(axis) };
}

function isShown(point: { readonly x: number; readonly y: number }, { log }: PlotOptions): boolean {
  return (['x', 'y'] as const).every(
    axis => Number.isFinite(point[axis]) && (point[axis] > 0 || !log.includes(axis)),
  );
}

function shownOf(plot: PlotOptions, { rows, columns }: Study) {
  return {
    rows: rows.filter(name => plot.rows?.includes(name) ?? true),
    columns:
      columns.length === 0
        ? [undefined]
        : columns.filter(name => plot.columns?.includes(name) ?? true),
  };
}

/** A line for each variant: its first replication. */
function courses(plot: PlotOptions, study: Study, results: StudyResults): ShownLine[] {
  const { rows, columns } = shownOf(plot, study);
  return rows.flatMap(row =>
    columns.map(column => {
      const points = results.runsOf(row, column)[0]?.course ?? [];
      const name = variantName(row, column);
      return {
        name,
        points: points.map(point => ({
          name: `${name}, pass ${point.values.passes}`,
          x: measureOf(point, plot.x) ?? Number.NaN,
          y: measureOf(point, plot.y) ?? Number.NaN,
        })),
      };
    }),
  );
}

/** A point for each variant, of the means; lines through those of a row or column. */
function finals(plot: PlotOptions, study: Study, results: StudyResults): ShownLine[] {
  const { rows, columns } = shownOf(plot, study);
  const value = (row: string, column: string | undefined, quantity: QuantityName) =>
    results.of(row, column, quantity)?.mean ?? Number.NaN;
  const pointOf = (row: string, column: string | undefined) => ({
    name: variantName(row, column),
    x: value(row, column, plot.x),
    y: value(row, column, plot.y),
  });
  if (plot.lines === 'rows' || columns[0] === undefined) {
    return rows.map(name => ({ name, points: columns.map(column => pointOf(name, column)) }));
  }
  return columns.map(column => ({ name: column!, points: rows.map(row => pointOf(row, column)) }));
}
