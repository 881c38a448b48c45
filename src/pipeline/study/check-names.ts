import { suggestion } from '../../core/schema/suggestion.js';
import type { Checker } from '../file/check.js';
import type { Path } from '../file/yaml-document.js';
import type { StudyFile } from './study-schema.js';

/**
 * Finds out whether what a study file says of rows and columns is about rows and columns that it has.
 *
 * @throws TagstreamError `config` with line and column
 */
export function checkNames(study: StudyFile, checker: Checker): void {
  const rows = unique(study, 'rows', checker);
  const columns = unique(study, 'columns', checker);
  const known = (name: string, among: readonly string[], what: string, path: Path) => {
    if (among.includes(name)) return;
    throw checker.fail(path, `the study has no ${what} "${name}"`, suggestion(name, among));
  };
  const all = (part: Narrowed | undefined, path: Path) => {
    for (const [i, name] of (part?.rows ?? []).entries()) {
      known(name, rows, 'row', [...path, 'rows', i]);
    }
    for (const [i, name] of (part?.columns ?? []).entries()) {
      known(name, columns, 'column', [...path, 'columns', i]);
    }
  };
  const one = (part: One, path: Path) => {
    if (part.row !== undefined) known(part.row, rows, 'row', [...path, 'row']);
    if (part.column !== undefined) known(part.column, columns, 'column', [...path, 'column']);
  };
  all(study.small, ['small']);
  for (const [i, cell] of (study.cells ?? []).entries()) one(cell, ['cells', i]);
  for (const [i, plot] of (study.plots ?? []).entries()) all(plot, ['plots', i]);
  for (const [i, expectation] of (study.expect ?? []).entries()) {
    one(expectation, ['expect', i]);
    one(expectation.of ?? {}, ['expect', i, 'of']);
    all({ rows: expectation.rows }, ['expect', i]);
  }
  for (const [i, table] of (study.tables ?? []).entries()) {
    const path = ['tables', i];
    all(table, path);
    const heads = table.quantities ?? columns;
    for (const [key, values] of Object.entries(table.published ?? {})) {
      const at = [...path, 'published', key];
      const [row, column] = key.split(/\s*\/\s*/);
      known(row!, rows, 'row', at);
      if (column !== undefined) known(column, columns, 'column', at);
      for (const head of Object.keys(values)) known(head, heads, 'column', [...at, head]);
    }
  }
  requireCourse(study, checker);
}

interface Narrowed {
  readonly rows?: readonly string[] | undefined;
  readonly columns?: readonly string[] | undefined;
}

interface One {
  readonly row?: string | undefined;
  readonly column?: string | undefined;
}

/** Names of rows or columns, each of which there is but once. */
function unique(study: StudyFile, what: 'rows' | 'columns', checker: Checker): string[] {
  const names = (study[what] ?? []).map(({ name }) => name);
  for (const [i, name] of names.entries()) {
    if (names.indexOf(name) === i) continue;
    throw checker.fail([what, i, 'name'], `the name "${name}" occurs twice`, 'rename one');
  }
  return names;
}

/** A drawing of the course of runs needs what it shows to be measured. */
function requireCourse({ plots = [], course }: StudyFile, checker: Checker): void {
  const known: readonly string[] = [...(course?.measure ?? []), 'passes', 'seconds', 'cpu'];
  for (const [i, plot] of plots.entries()) {
    for (const axis of ['x', 'y'] as const) {
      if (!plot.course || known.includes(plot[axis])) continue;
      const fix = `add ${plot[axis]} to course.measure`;
      throw checker.fail(['plots', i, axis], `${plot[axis]} is not measured during the runs`, fix);
    }
  }
}
