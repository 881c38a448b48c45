import { dirname, resolve } from 'node:path';
import { TagstreamError } from '../engine/core/errors.js';
import { kinds, requireArgument, requireKnown } from '../engine/core/schema/require-argument.js';
import { suggestion } from '../engine/core/wording/nearest.js';
import { readBytes } from '../formats/reading/read-bytes.js';
import type { Pipeline } from '../runtime/pipeline/definition/pipeline.js';
import { Checker } from '../runtime/pipeline/file/check.js';
import { Substituted } from '../runtime/pipeline/file/substituted.js';
import { type Path, parseYaml } from '../runtime/pipeline/file/yaml-document.js';
import type { LoadOptions } from '../runtime/pipeline/loading/load-pipeline.js';
import { filesOf } from '../runtime/pipeline/sources/source-component.js';
import { type QuantityName, quantityOf } from './measures/quantities.js';
import {
  type Study,
  type StudyFile,
  type StudyRun,
  studySchema,
  variantName,
} from './study-schema.js';
import { VariantPipelines } from './variant-pipelines.js';

/** Options for reading a study file. */
export interface StudyOptions extends Pick<LoadOptions, 'environment'> {
  /** `path=value` settings for all runs, applied last. */
  readonly set?: readonly string[];
  /** Whether to use the small form, from the section `small`. */
  readonly small?: boolean;
  /** Names of the rows or columns to run, or of single variants as row/column. */
  readonly only?: readonly string[];
}

/**
 * Reads and checks a study file and the pipelines of all its runs, without running any.
 *
 * @throws TagstreamError `file`, `usage` (an unknown variant, a wrong setting) or `config`, with line and
 *   column
 */
export function loadStudy(file: string, options: StudyOptions = {}): Study {
  requireArgument('loadStudy: the file', file, kinds.text);
  return parseStudy(new TextDecoder().decode(readBytes(file)), file, options);
}

/**
 * Parses a study from the text of a file. Relative paths start at the folder of `file`.
 *
 * @throws TagstreamError like `loadStudy`
 */
export function parseStudy(text: string, file: string, options: StudyOptions = {}): Study {
  requireArgument('parseStudy: the text', text, kinds.text);
  requireArgument('parseStudy: the file', file, kinds.text);
  requireKnown('parseStudy', options, ['environment', 'set', 'small', 'only']);
  const yaml = parseYaml(text, file);
  const checker = new Checker(yaml);
  checker.requireContents('pipelines/studies has some to start from');
  const checked = checker.parseSubstituted(
    studySchema,
    new Substituted(yaml.value, {
      environment: options.environment ?? process.env,
      fail: (path, problem, fix) => checker.fail(path, problem, fix),
      keeps: isOfPipeline,
    }),
  );
  checkNames(checked, checker);
  const small = options.small === true ? (checked.small ?? { replications: 1 }) : undefined;
  const pipelines = new VariantPipelines(checked, yaml, file, {
    ...options,
    last: [small?.set ?? {}, options.set ?? []],
  });
  const { count, seed } = checked.replications;
  const measured = measuredOf(checked);
  const runs: StudyRun[] = [];
  for (const row of checked.rows) {
    if (small?.rows?.includes(row.name) === false) continue;
    for (const column of checked.columns ?? [undefined]) {
      const name = column?.name;
      if (name !== undefined && small?.columns?.includes(name) === false) continue;
      if (!wanted(row.name, name, options.only) || pipelines.skips(row.name, name)) continue;
      for (let i = 0; i < (small?.replications ?? count); i += 1) {
        const pipeline = pipelines.of(row, column, seed + i);
        requireMeasurable(pipeline, measured, variantName(row.name, name));
        runs.push({ row: row.name, column: name, seed: seed + i, pipeline });
      }
    }
  }
  requireAll(options.only ?? [], runs);
  if (runs.length === 0) throw noRuns(checker, small !== undefined);
  const has = (which: 'row' | 'column', name: string) => runs.some(run => run[which] === name);
  return {
    file,
    baseDirectory: dirname(resolve(file)),
    options: checked,
    runs,
    rows: checked.rows.map(({ name }) => name).filter(name => has('row', name)),
    columns: (checked.columns ?? []).map(({ name }) => name).filter(name => has('column', name)),
    measured,
    small: small !== undefined,
    partial: (options.only ?? []).length > 0,
  };
}

/** Returns whether a value becomes part of pipelines, where its variables are replaced. */
function isOfPipeline(path: Path, value: unknown): boolean {
  if (typeof value !== 'object') return false;
  return path.at(-1) === 'set' ? path[0] !== 'replications' : path.join() === 'pipeline';
}

function wanted(row: string, column: string | undefined, only: readonly string[] = []): boolean {
  return only.length === 0 || only.some(name => isCalled(name, row, column));
}

function isCalled(name: string, row: string, column: string | undefined): boolean {
  return (
    name === row ||
    name === column ||
    name.replace(/(?<!\s)\s*\/\s*/, ' / ') === variantName(row, column)
  );
}

function noRuns(checker: Checker, isSmall: boolean): TagstreamError {
  return checker.fail(
    isSmall ? ['small'] : ['rows'],
    `the ${isSmall ? 'small study' : 'study'} has no runs`,
    isSmall
      ? 'name rows and columns in small whose runs are not skipped'
      : 'add a row, or leave skip out of a cell',
  );
}

/** Checks that each name in `--only` has a run. */
function requireAll(only: readonly string[], runs: readonly StudyRun[]): void {
  for (const name of only) {
    if (runs.some(({ row, column }) => isCalled(name, row, column))) continue;
    throw new TagstreamError('usage', `--only ${name}: the study has no such variant`, {
      fix: 'give the name of a row, of a column, or row/column',
    });
  }
}

/** Returns the measures of a study's runs: those that it lists, and those that its tables and plots show. */
function measuredOf(study: StudyFile): ReadonlySet<QuantityName> {
  const { measure, tables = [], plots = [], boxes = [], expect = [], significance } = study;
  return new Set([
    ...measure,
    ...tables.flatMap(table => table.quantities ?? [table.quantity!]),
    ...plots.flatMap(({ course, x, y }) => (course ? [] : [x, y])),
    ...[...boxes, ...expect].map(({ quantity }) => quantity),
    ...(significance === undefined ? [] : [significance.quantity]),
  ]);
}

/**
 * Checks that a pipeline can be trained and measured, before others train for a long time.
 *
 * @param variant name of the run
 * @throws TagstreamError `config`
 */
function requireMeasurable(
  pipeline: Pipeline,
  measured: ReadonlySet<QuantityName>,
  variant: string,
): void {
  const refuse = (problem: string, fix: string) => {
    throw new TagstreamError('config', `${variant}: ${problem}`, {
      place: { source: pipeline.file },
      fix,
    });
  };
  if (!pipeline.trains)
    refuse('it does not train a model', 'add the stages contribute and optimize');
  const { component, options } = pipeline.source;
  const readOnce = options.from !== undefined || filesOf(options).includes('-');
  if (readOnce && component.generated === undefined) {
    refuse('a study reads its source several times', 'use a source with files');
  }
  const scores = [...measured].filter(name => quantityOf(name).score === true);
  if (scores.length > 0 && pipeline.test === undefined) {
    refuse(`${scores[0]} needs test data`, 'add the section test to the pipeline');
  }
  const whole = (['objective', 'loss', 'trainError', 'sentences'] as const).find(name =>
    measured.has(name),
  );
  if (whole !== undefined && pipeline.train?.epochs === undefined) {
    refuse(`${whole} needs a corpus, but the pipeline reads a stream`, 'add train.epochs');
  }
}

/**
 * Checks that a study file only mentions rows and columns that it has.
 *
 * @throws TagstreamError `config` with line and column
 */
function checkNames(study: StudyFile, checker: Checker): void {
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
  for (const part of ['plots', 'boxes'] as const) {
    for (const [i, shown] of (study[part] ?? []).entries()) all(shown, [part, i]);
  }
  all(study.significance, ['significance']);
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
      const [row, column] = key.split(/(?<!\s)\s*\/\s*/);
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

/** Returns the distinct names of rows or columns. */
function unique(study: StudyFile, what: 'rows' | 'columns', checker: Checker): string[] {
  const names = (study[what] ?? []).map(({ name }) => name);
  for (const [i, name] of names.entries()) {
    if (names.indexOf(name) === i) continue;
    throw checker.fail([what, i, 'name'], `the name "${name}" occurs twice`, 'rename one');
  }
  return names;
}

/** Checks that plots of the course of runs only show measured quantities. */
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
