import { kinds, requireArgument } from '../../engine/core/schema/require-argument.js';
import type {
  ShownAxis,
  ShownBoxes,
  ShownCell,
  ShownExpectation,
  ShownLine,
  ShownPlot,
  ShownStudy,
  ShownTable,
} from '../../reports/study/shown-study.js';
import {
  type Quantity,
  type QuantityName,
  quantities,
  quantityOf,
} from '../measures/quantities.js';
import type { MeasuredRun } from '../run-study.js';
import type { PlotOptions, TableOptions } from '../shown-schema.js';
import { measureOf, StudyResults, type Summary } from '../study-results.js';
import { type Expectation, type Study, variantName } from '../study-schema.js';
import { type Significance, significanceOf, significanceTable } from './significance.js';

/** Returns a study with the results of its runs, for display. */
export function shownStudyOf(
  study: Study,
  runs: readonly MeasuredRun[],
): ShownStudy & { readonly significance?: Significance | undefined } {
  requireArgument('shownStudyOf: the study', study, kinds.study);
  requireArgument('shownStudyOf: the runs', runs, kinds.list);
  const results = new StudyResults(runs);
  const { name, title, reference, about, notes } = study.options;
  const significance = significanceOf(study, results);
  return {
    ...{ name, title, runs: runsText(study, runs.length) },
    ...(reference === undefined ? {} : { reference: reference.trim() }),
    ...(about === undefined ? {} : { about: about.trim() }),
    tables: [
      ...studyTables(study, results),
      ...(significance === undefined ? [] : [significanceTable(significance)]),
    ],
    ...(significance === undefined ? {} : { significance }),
    plots: studyPlots(study, results),
    boxes: studyBoxes(study, results),
    expectations: checkExpectations(study, results),
    notes: study.small ? [] : (notes ?? []).map(note => note.trim()),
  };
}

function runsText({ runs, small, partial }: Study, finished: number): string {
  const count = runs.length === 1 ? '1 run' : `${runs.length} runs`;
  const left = finished < runs.length ? `, ${finished} of them finished` : '';
  const part = partial ? ' of those asked for' : '';
  const size = small ? '; small, so that nothing compares with published values' : '';
  return `${count}${part}${left}${size}`;
}

/** Checks the expectations of a study against its results; a small study has none. */
function checkExpectations(study: Study, results: StudyResults): ShownExpectation[] {
  if (study.small) return [];
  return (study.options.expect ?? []).map(expectation =>
    expectation.rows === undefined ? bounded(expectation, results) : close(expectation, results),
  );
}

function bounded(expectation: Expectation, results: StudyResults): ShownExpectation {
  const { row, column, quantity, of, atLeast, atMost } = expectation;
  const { title, digits } = quantityOf(quantity);
  const found = results.of(row!, column, quantity)?.mean;
  const unit = of === undefined ? 1 : results.of(of.row, of.column, quantity)?.mean;
  const bound = (factor: number) =>
    of === undefined
      ? figure(factor, digits)
      : `${factor === 1 ? '' : `${factor} times `}that of ${variantName(of.row, of.column)}`;
  const bounds = [
    ...(atLeast === undefined ? [] : [`at least ${bound(atLeast)}`]),
    ...(atMost === undefined ? [] : [`at most ${bound(atMost)}`]),
  ];
  const text = `${title} of ${variantName(row!, column)} is ${bounds.join(' and ')}`;
  if (found === undefined || unit === undefined) {
    const places = [{ row: row!, column }, ...(of === undefined ? [] : [of])];
    return { text, ...withoutResult(places, results) };
  }
  const met = found >= (atLeast ?? -Infinity) * unit && found <= (atMost ?? Infinity) * unit;
  const shown = figure(found, digits);
  return { text, found: of === undefined ? shown : `${shown} and ${figure(unit, digits)}`, met };
}

/** Returns what an expectation finds if a variant has no value: one that diverged does not meet it. */
function withoutResult(
  variants: readonly { readonly row: string; readonly column?: string | undefined }[],
  results: StudyResults,
): Pick<ShownExpectation, 'found' | 'met'> {
  const failed = variants.find(({ row, column }) => results.divergenceOf(row, column).diverged > 0);
  if (failed === undefined) return { found: 'not run', met: undefined };
  return { found: `${variantName(failed.row, failed.column)} diverged`, met: false };
}

function close(expectation: Expectation, results: StudyResults): ShownExpectation {
  const { rows, column, quantity, within } = expectation;
  const { title, digits } = quantityOf(quantity);
  const values = rows!.map(row => results.of(row, column, quantity)?.mean);
  const text = `${title} of ${rows!.join(', ')} are within ${within} of each other`;
  const known = values.filter(value => value !== undefined);
  if (known.length < values.length) {
    return {
      text,
      ...withoutResult(
        rows!.map(row => ({ row, column })),
        results,
      ),
    };
  }
  const least = Math.min(...known);
  const most = Math.max(...known);
  // Values exactly that far apart may differ by slightly more in binary.
  const met = most - least <= within! + 1e-9 * Math.max(1, Math.abs(most));
  return { text, found: `${figure(least, digits)} to ${figure(most, digits)}`, met };
}

/** Returns the plots of a study; skips points without a value, and values that a logarithmic axis cannot show. */
function studyPlots(study: Study, results: StudyResults): ShownPlot[] {
  return (study.options.plots ?? []).map(plot => {
    const lines = plot.course ? courses(plot, study, results) : finals(plot, study, results);
    const shown = lines
      .map(({ name, points }) => ({ name, points: points.filter(point => isShown(point, plot)) }))
      .filter(({ points }) => points.length > 0);
    return { title: plot.title, x: axisOf(plot, 'x'), y: axisOf(plot, 'y'), lines: shown };
  });
}

/** Returns box plots for the replications of each variant that has any. */
function studyBoxes(study: Study, results: StudyResults): ShownBoxes[] {
  return (study.options.boxes ?? []).flatMap(({ title, quantity, log, ...only }) => {
    const { rows, columns } = shownOf(only, study);
    const boxes = rows.flatMap(row =>
      columns.map(column => ({
        name: variantName(row, column),
        values: results
          .runsOf(row, column)
          .map(measures => measureOf(measures, quantity) ?? Number.NaN)
          .filter(value => Number.isFinite(value) && (value > 0 || !log)),
      })),
    );
    const filled = boxes.filter(({ values }) => values.length > 0);
    const { title: axis, digits } = quantityOf(quantity);
    return filled.length === 0
      ? []
      : [{ title, axis: { title: axis, digits: Math.max(1, digits), log }, boxes: filled }];
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

function shownOf(plot: Pick<PlotOptions, 'rows' | 'columns'>, { rows, columns }: Study) {
  return {
    rows: rows.filter(name => plot.rows?.includes(name) ?? true),
    columns:
      columns.length === 0
        ? [undefined]
        : columns.filter(name => plot.columns?.includes(name) ?? true),
  };
}

/** Returns a line per variant, from its first replication. */
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

/** Returns a point per variant, from the means, with lines through the points of a row or column. */
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

/**
 * Returns the tables of a study, with published values next to those of its full form. Tables that cover none of its
 * runs are omitted, for example in the small form; if all are, one table shows everything that was measured.
 */
function studyTables(study: Study, results: StudyResults): ShownTable[] {
  const { tables, measure, title } = study.options;
  const fallback = {
    title,
    quantities: quantities.map(({ name }) => name).filter(name => measure.includes(name)),
    source: '',
  };
  const shown = (tables ?? [fallback]).map(table => tableOf(table, study, results));
  const filled = shown.filter(isFilled);
  return filled.length > 0 ? filled : [tableOf(fallback, study, results)].filter(isFilled);
}

function isFilled({ rows }: ShownTable): boolean {
  return rows.some(({ cells }) => cells.some(({ measured }) => measured !== ''));
}

/** The contents of a table cell. */
interface Place {
  readonly row: string;
  readonly column: string | undefined;
  readonly quantity: QuantityName;
  readonly published: number | string | undefined;
}

function tableOf(table: TableOptions, study: Study, results: StudyResults): ShownTable {
  const rows = study.rows.filter(name => table.rows?.includes(name) ?? true);
  const columns = study.columns.filter(name => table.columns?.includes(name) ?? true);
  const published = study.small ? {} : (table.published ?? {});
  const lines: { name: string; places: Place[] }[] = [];
  let heads: string[];
  if (table.quantity !== undefined) {
    const { quantity } = table;
    // A study without columns has a single column without a name.
    const shown = columns.length === 0 ? [undefined] : columns;
    heads = shown.map(name => name ?? quantityOf(quantity).title);
    for (const row of rows) {
      if (shown.every(column => results.runsOf(row, column).length === 0)) continue;
      const places = shown.map(column => {
        const value = published[row]?.[column ?? quantity];
        return { row, column, quantity, published: value };
      });
      lines.push({ name: row, places });
    }
  } else {
    heads = table.quantities!.map(name => quantityOf(name).title);
    const alone = columns.length === 1 && study.options.columns !== undefined;
    for (const row of rows) {
      for (const column of columns.length === 0 ? [undefined] : columns) {
        const name = alone && table.columns?.length === 1 ? row : variantName(row, column);
        if (results.runsOf(row, column).length === 0) continue;
        const known = published[variantName(row, column)] ?? published[name];
        const places = table.quantities!.map(quantity => {
          return { row, column, quantity, published: known?.[quantity] };
        });
        lines.push({ name, places });
      }
    }
  }
  const among = (i: number, is: (value: Place['published']) => boolean) =>
    lines.some(({ places }) => is(places[i]!.published));
  return {
    title: table.title,
    heads: heads.map((name, i) => ({
      name,
      ...(among(i, value => value !== undefined) ? { published: table.source } : {}),
      compared: among(i, value => typeof value === 'number'),
    })),
    rows: lines.map(({ name, places }) => ({
      name,
      cells: places.map(place => cellOf(place, results)),
    })),
    ...(table.note === undefined ? {} : { note: table.note }),
  };
}

function cellOf({ row, column, quantity, published }: Place, results: StudyResults): ShownCell {
  const known = quantityOf(quantity);
  const summary = results.of(row, column, quantity);
  const measured = measuredText(figureOf(known, summary), results.divergenceOf(row, column));
  if (published === undefined) return { measured };
  if (typeof published === 'string') return { measured, published };
  const digits = Math.max(known.digits, digitsOf(published));
  const text = figure(published, digits);
  if (summary === undefined) return { measured, published: text };
  const difference = summary.mean - published;
  const sign = difference > 0 ? '+' : '';
  // As precise as the more precise of the two values.
  const shown = figure(difference, Math.max(digits, digitsOfMean(known, summary)));
  return { measured, published: text, difference: `${/[1-9]/.test(shown) ? sign : ''}${shown}` };
}

function measuredText(
  text: string,
  { runs, diverged }: { runs: number; diverged: number },
): string {
  if (diverged === 0) return text;
  return diverged === runs ? 'diverged' : `${text} (${diverged} of ${runs} diverged)`.trim();
}

/** Returns the number of decimals of a published value, at most two. */
function digitsOf(value: number): number {
  return Math.min(2, String(value).split('.')[1]?.length ?? 0);
}

/**
 * Formats a number with thousands separators and a fixed number of decimals; only negative numbers have a sign.
 *
 * @example
 * figure(12887.218, 1) // => '12,887.2'
 */
export function figure(value: number, digits: number): string {
  const text = value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return /[1-9]/.test(text) ? text : text.replace('-', '');
}

/** Returns the number of digits after the decimal point of a mean. */
export function digitsOfMean({ digits }: Quantity, { deviation }: Summary): number {
  return deviation === undefined || deviation === 0 ? digits : Math.max(1, digits);
}

/** Formats a mean and its deviation, if any, such as `93.61 ± 0.04`. Means of differing counts have one more digit. */
export function figureOf(quantity: Quantity, summary: Summary | undefined): string {
  if (summary === undefined) return '';
  const { mean, deviation } = summary;
  const digits = digitsOfMean(quantity, summary);
  if (deviation === undefined || deviation === 0) return figure(mean, digits);
  return `${figure(mean, digits)} ± ${figure(deviation, digits)}`;
}
