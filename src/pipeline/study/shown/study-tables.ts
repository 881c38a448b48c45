import type { ShownCell, ShownTable } from '../../../reports/study/shown-study.js';
import { type QuantityName, quantities, quantityOf } from '../measures/quantities.js';
import type { TableOptions } from '../shown-schema.js';
import { type Study, variantName } from '../study.js';
import type { StudyResults } from '../study-results.js';
import { digitsOfMean, figure, figureOf } from './figure.js';

/**
 * The tables of a study, published values beside those of its full form. Those about none of its runs are left out, as where it is
 * small; if all are, there is one of everything that was measured.
 */
export function studyTables(study: Study, results: StudyResults): ShownTable[] {
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

/** What stands in one place of a table. */
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
    // A study without columns has one that needs no name.
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
  const measured = figureOf(known, summary);
  if (published === undefined) return { measured };
  if (typeof published === 'string') return { measured, published };
  const digits = Math.max(known.digits, digitsOf(published));
  const text = figure(published, digits);
  if (summary === undefined) return { measured, published: text };
  const difference = summary.mean - published;
  const sign = difference > 0 ? '+' : '';
  // As exact as the more exact of the two.
  const shown = figure(difference, Math.max(digits, digitsOfMean(known, summary)));
  return { measured, published: text, difference: `${/[1-9]/.test(shown) ? sign : ''}${shown}` };
}

/** Digits after the point that a published value was written with, two at most. */
function digitsOf(value: number): number {
  return Math.min(2, String(value).split('.')[1]?.length ?? 0);
}
